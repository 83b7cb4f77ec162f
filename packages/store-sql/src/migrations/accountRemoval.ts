/** Deleting accounts, expiry of what proves their owners, and the mails that their owners were sent. */
import type { Dialect } from "../dialect.js"

export const accountRemoval = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  `ALTER TABLE accounts ADD COLUMN deleted_at BIGINT`,
  `ALTER TABLE accounts ADD COLUMN welcomed_at BIGINT`,
  `ALTER TABLE accounts ADD COLUMN onboarded_at BIGINT`,

  `CREATE TABLE reserved_names (
    name ${id} NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
  ) ${clustered}`,
  `CREATE INDEX reserved_names_expiry ON reserved_names (expires_at)`,

  // account_id: set for mails to the owner, which are removed with the account.
  `ALTER TABLE jobs ADD COLUMN account_id ${id}`,
  `ALTER TABLE jobs ADD COLUMN since BIGINT NOT NULL DEFAULT 0`,
  `UPDATE jobs SET since = due_at`,
  `CREATE INDEX jobs_account ON jobs (account_id) WHERE account_id IS NOT NULL`,

  `CREATE INDEX attachments_unsent ON attachments (account_id) WHERE message_id IS NULL`,

  `CREATE INDEX sessions_expiry ON sessions (expires_at)`,
  `CREATE INDEX mail_tokens_expiry ON mail_tokens (expires_at)`,
  `CREATE INDEX checkouts_expiry ON checkouts (expires_at)`,
]
