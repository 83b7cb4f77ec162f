/** Who holds a lease: what a process held goes on elsewhere once the process is gone. And the places of open streams. */
import type { Dialect } from "../dialect.js"

export const leaseHolders = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  ...LEASED.map((table) => `ALTER TABLE ${table} ADD COLUMN locked_by ${id}`),

  // Of Postgres alone: a database in a file has one process.
  `CREATE TABLE processes (
    id ${id} NOT NULL PRIMARY KEY,
    alive_until BIGINT NOT NULL
  ) ${clustered}`,

  `CREATE TABLE stream_places (
    account_id ${id} NOT NULL,
    place BIGINT NOT NULL,
    locked_by ${id} NOT NULL,
    PRIMARY KEY (account_id, place)
  ) ${clustered}`,
  `CREATE INDEX stream_places_holder ON stream_places (locked_by)`,
]

/** Tables whose rows are leased: `locked_until` says how long, `locked_by` to whom. */
export const LEASED = ["inbound_queue", "jobs", "webhooks", "domains", "idempotency_keys"] as const
