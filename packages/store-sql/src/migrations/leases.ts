/** The process that holds a lease, so that another can free it when that process is dead; and the slots of streams. */
import type { Dialect } from "../dialect.js"

export const leaseHolders = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  ...FIRST_LEASED.map((table) => `ALTER TABLE ${table} ADD COLUMN locked_by ${id}`),

  // Used on Postgres only: a SQLite file has one process.
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

/** The tables that got leases before `drafts`. */
export const FIRST_LEASED = ["inbound_queue", "jobs", "webhooks", "domains", "idempotency_keys"] as const

/** Tables with leases: `locked_until` is the end of the lease, 0 for none, and `locked_by` the process that holds it. */
export const LEASED = [...FIRST_LEASED, "drafts", "consumer_events"] as const

/** Tables of slots, with the process that holds each in `locked_by`: of event streams, and of waiting requests. */
export const SLOTS = ["stream_places", "wait_slots"] as const
