/** Requests with an `Idempotency-Key`, and their answers (spec: decisions.idempotency.replay). */
import type { Dialect } from "../dialect.js"

export const idempotencyTables = ({ id }: Dialect): ReadonlyArray<string> => [
  // Not WITHOUT ROWID on SQLite, because an answer may be megabytes long.
  `CREATE TABLE idempotency_keys (
    account_id ${id} NOT NULL,
    id ${id} NOT NULL,
    fingerprint TEXT NOT NULL,
    state TEXT NOT NULL,
    mailbox_id ${id},
    message_id ${id},
    answer TEXT,
    locked_until BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
  )`,
  `CREATE INDEX idempotency_keys_expired ON idempotency_keys (expires_at)`,
  `CREATE INDEX idempotency_keys_leased ON idempotency_keys (locked_until) WHERE locked_until > 0`,
]
