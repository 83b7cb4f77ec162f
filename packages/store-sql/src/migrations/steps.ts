/** Long changes in small steps: unlocking messages, and merging threads (docs/decisions/0044). */
import type { Dialect } from "../dialect.js"

export const stepTables = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  // The unlock counts of an account's gates. A message is gated while its generation equals the count of its gate.
  `ALTER TABLE accounts ADD COLUMN cap_unlocks BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE accounts ADD COLUMN trial_unlocks BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE accounts ADD COLUMN unlocking SMALLINT NOT NULL DEFAULT 0`,
  `ALTER TABLE messages ADD COLUMN gate_generation BIGINT NOT NULL DEFAULT 0`,
  `CREATE INDEX messages_gate_generation ON messages (account_id, gate, gate_generation, mailbox_id, created_at, id)
    WHERE gate IS NOT NULL`,

  // Absorbed threads whose messages, links and aliases have not all moved to the new thread yet. Never a chain.
  `CREATE TABLE thread_moves (
    old_id ${id} NOT NULL PRIMARY KEY,
    thread_id ${id} NOT NULL,
    mailbox_id ${id} NOT NULL
  ) ${clustered}`,
  `CREATE INDEX thread_moves_thread ON thread_moves (thread_id)`,
  `CREATE INDEX thread_moves_mailbox ON thread_moves (mailbox_id)`,

  // Sums the stored bytes of an account from the index alone.
  `CREATE INDEX attachments_account ON attachments (account_id, size_bytes)`,
]
