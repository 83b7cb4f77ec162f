/** The inbound queue ordered by turns, which is fair among tenants; a separate lane for large and slow mail. */
import type { Dialect } from "../dialect.js"

export const deliveryOrder = ({ id }: Dialect): ReadonlyArray<string> => [
  // The previous version, which may still run, enqueues with these defaults: its mail comes first.
  `ALTER TABLE inbound_queue ADD COLUMN lane TEXT NOT NULL DEFAULT 'fast'`,
  `ALTER TABLE inbound_queue ADD COLUMN turn BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE inbound_queue ADD COLUMN tenant ${id} NOT NULL DEFAULT ''`,
  `ALTER TABLE inbound_queue ADD COLUMN work_bytes BIGINT NOT NULL DEFAULT 0`,
  // A claim reads only free entries, however many are leased.
  `CREATE INDEX inbound_queue_free ON inbound_queue (lane, turn, id) WHERE locked_until = 0`,
  `CREATE INDEX inbound_queue_leased ON inbound_queue (locked_until) WHERE locked_until > 0`,
  `CREATE INDEX inbound_queue_tenants ON inbound_queue (tenant, locked_by) WHERE locked_until > 0`,
  `DROP INDEX inbound_queue_due`,
]
