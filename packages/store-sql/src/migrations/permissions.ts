/** What a key may do, and the audit trail (docs/decisions/0065). */
import type { Dialect } from "../dialect.js"

export const permissionTables = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  // Null: the default of the key's scope, which is what a key of an earlier version may do.
  `ALTER TABLE api_keys ADD COLUMN permissions TEXT`,

  // account_id null: the operator's own trail. No foreign key: an entry about an account that is being removed neither fails
  // nor holds the removal up. It goes with the account, or after 400 days.
  `CREATE TABLE audit_entries (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id},
    action TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT,
    target TEXT,
    detail TEXT NOT NULL,
    created_at BIGINT NOT NULL
  ) ${clustered}`,
  `CREATE INDEX audit_entries_account ON audit_entries (account_id, created_at, id)`,
  `CREATE INDEX audit_entries_age ON audit_entries (created_at)`,
]
