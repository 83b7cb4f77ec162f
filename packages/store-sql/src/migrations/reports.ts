/** What is reported about mail that left, keys that follow one another, and threads in which machines answer each other. */
import type { Dialect } from "../dialect.js"

export const reportTables = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE message_reports (
    message_id ${id} NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    recipient ${id} NOT NULL,
    outcome TEXT NOT NULL,
    reported_at BIGINT NOT NULL,
    PRIMARY KEY (message_id, recipient, outcome)
  ) ${clustered}`,

  `ALTER TABLE messages ADD COLUMN automatic_turn SMALLINT NOT NULL DEFAULT 0`,
  `CREATE INDEX messages_turns ON messages (thread_id, created_at) WHERE automatic_turn = 1`,

  // The key that a custom domain's mail will be signed with, once it is found in DNS.
  ...["next_dkim_selector TEXT", "next_dkim_public_key TEXT", "next_sealed_dkim_key TEXT"].map(
    (column) => `ALTER TABLE domains ADD COLUMN ${column}`,
  ),

  // The keys of the platform domain: one that signs, and perhaps the one that will.
  `CREATE TABLE platform_keys (
    selector ${id} NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    public_key TEXT NOT NULL,
    sealed_key TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX platform_keys_role ON platform_keys (role)`,
]
