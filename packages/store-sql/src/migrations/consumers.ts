/** Consumers of events: how far each has read the log, and the events that it has not completed (docs/decisions/0071). */
import type { Dialect } from "../dialect.js"

export const consumerTables = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  // read_seq: the consumer has taken every event up to this number.
  `CREATE TABLE consumers (
    account_id ${id} NOT NULL REFERENCES accounts (id),
    name ${id} NOT NULL,
    read_seq BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, name)
  ) ${clustered}`,

  // due_at: when the next attempt may begin; NULL for a parked event.
  `CREATE TABLE consumer_events (
    account_id ${id} NOT NULL,
    consumer ${id} NOT NULL,
    seq BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT,
    error TEXT,
    parked_at BIGINT,
    locked_until BIGINT NOT NULL DEFAULT 0,
    locked_by ${id},
    PRIMARY KEY (account_id, consumer, seq),
    FOREIGN KEY (account_id, consumer) REFERENCES consumers (account_id, name) ON DELETE CASCADE
  ) ${clustered}`,
  `CREATE INDEX consumer_events_due ON consumer_events (account_id, consumer, due_at, seq) WHERE due_at IS NOT NULL`,
  `CREATE INDEX consumer_events_held ON consumer_events (locked_by) WHERE locked_until > 0`,
]
