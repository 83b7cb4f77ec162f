/**
 * Addresses that one mailbox must not send to (docs/decisions/0069). In a table of their own, because the previous
 * version reads each row of `suppressions` as one of the whole account, and needs its unique index.
 */
import type { Dialect } from "../dialect.js"

export const mailboxSuppressionTable = ({ id }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE mailbox_suppressions (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL REFERENCES accounts (id),
    mailbox_id ${id} NOT NULL,
    email ${id} NOT NULL,
    reason TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX mailbox_suppressions_email ON mailbox_suppressions (mailbox_id, email)`,
  `CREATE INDEX mailbox_suppressions_newest ON mailbox_suppressions (account_id, created_at, id)`,
  `CREATE INDEX mailbox_suppressions_found ON mailbox_suppressions (account_id, email, created_at, id)`,
]
