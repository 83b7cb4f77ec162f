/** The delivery queue in the order of its turns, fair among tenants; large and slow mail in a lane of its own. */
import type { Dialect } from "../dialect.js"

export const deliveryOrder = ({ id }: Dialect): ReadonlyArray<string> => [
  // What the version before this one enqueues meanwhile comes first.
  `ALTER TABLE inbound_queue ADD COLUMN lane TEXT NOT NULL DEFAULT 'fast'`,
  `ALTER TABLE inbound_queue ADD COLUMN turn BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE inbound_queue ADD COLUMN tenant ${id} NOT NULL DEFAULT ''`,
  `ALTER TABLE inbound_queue ADD COLUMN work_bytes BIGINT NOT NULL DEFAULT 0`,
  // A claim reads the free entries alone, however many are leased.
  `CREATE INDEX inbound_queue_free ON inbound_queue (lane, turn, id) WHERE locked_until = 0`,
  `CREATE INDEX inbound_queue_leased ON inbound_queue (locked_until) WHERE locked_until > 0`,
  `CREATE INDEX inbound_queue_tenants ON inbound_queue (tenant, locked_by) WHERE locked_until > 0`,
  `DROP INDEX inbound_queue_due`,
]
