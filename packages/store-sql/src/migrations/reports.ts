/** Reports about sent mail, rotation of DKIM keys, and detection of mail loops. */
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

  // The next DKIM key of a custom domain. It signs as soon as DNS has it.
  ...["next_dkim_selector TEXT", "next_dkim_public_key TEXT", "next_sealed_dkim_key TEXT"].map(
    (column) => `ALTER TABLE domains ADD COLUMN ${column}`,
  ),

  // The DKIM keys of the platform domain: the one that signs, and during a rotation the next one.
  `CREATE TABLE platform_keys (
    selector ${id} NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    public_key TEXT NOT NULL,
    sealed_key TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX platform_keys_role ON platform_keys (role)`,
]
