/** Who may write to a mailbox: its policies, allow and block lists, and quarantined messages (docs/decisions/0064). */
import type { Dialect } from "../dialect.js"

export const senderTables = ({ id }: Dialect): ReadonlyArray<string> => [
  // JSON text; NULL: the defaults.
  `ALTER TABLE mailboxes ADD COLUMN policies TEXT`,

  // owner_id: the account or the mailbox whose list it is on.
  `CREATE TABLE address_list_entries (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL,
    owner_id ${id} NOT NULL,
    direction TEXT NOT NULL,
    kind TEXT NOT NULL,
    entry ${id} NOT NULL,
    reason TEXT,
    created_at BIGINT NOT NULL
  )`,
  // Finds the entries that match an address, and keeps a list free of duplicates.
  `CREATE UNIQUE INDEX address_list_entries_entry ON address_list_entries (owner_id, direction, entry, kind)`,
  `CREATE INDEX address_list_entries_listed ON address_list_entries (owner_id, direction, kind, created_at, id)`,
  `CREATE INDEX address_list_entries_account ON address_list_entries (account_id)`,
  // 0 for most accounts: then delivery and sends look nothing up.
  `ALTER TABLE accounts ADD COLUMN list_entry_count BIGINT NOT NULL DEFAULT 0`,

  // Since when a message is quarantined, and why, as JSON text; NULL: it is not.
  `ALTER TABLE messages ADD COLUMN quarantined_at BIGINT`,
  `ALTER TABLE messages ADD COLUMN quarantine_reasons TEXT`,
  `CREATE INDEX messages_quarantined ON messages (mailbox_id, created_at, id) WHERE quarantined_at IS NOT NULL`,
  `CREATE INDEX messages_quarantined_account ON messages (account_id, created_at, id)
    WHERE quarantined_at IS NOT NULL`,
]
