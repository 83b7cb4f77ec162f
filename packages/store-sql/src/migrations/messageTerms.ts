/** Filtered lists (docs/decisions/0060): the terms and subjects of messages, and indexes for the lists of an account. */
import type { Dialect } from "../dialect.js"

export const messageTermTables = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  // term: a part of the mailbox's id, and a hash of a term (`../messages/terms.ts`).
  `CREATE TABLE message_terms (
    term ${id} NOT NULL,
    created_at BIGINT NOT NULL,
    message_id ${id} NOT NULL,
    PRIMARY KEY (term, created_at, message_id)
  ) ${clustered}`,
  // Folded subjects. Beside the listing, which may be large, they would be slow to read.
  `CREATE TABLE message_subjects (
    message_id ${id} NOT NULL PRIMARY KEY,
    subject TEXT NOT NULL
  ) ${clustered}`,
  // 0: a message of a version without these tables, whose terms and subject are still to be stored.
  `ALTER TABLE messages ADD COLUMN indexed SMALLINT NOT NULL DEFAULT 0`,
  `CREATE INDEX messages_unindexed ON messages (account_id, id) WHERE indexed = 0 AND gate IS NULL`,
  `CREATE INDEX messages_account ON messages (account_id, visible, direction, created_at, id)`,
  `CREATE INDEX messages_unread ON messages (mailbox_id, created_at, id) WHERE visible = 1 AND read_at IS NULL`,
  `CREATE INDEX threads_account ON threads (account_id, last_message_at, id) WHERE message_count > 0`,
]
