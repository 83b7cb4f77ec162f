/** Indexes for the operator's searches and lists. */
import type { Dialect } from "../dialect.js"

export const adminIndexes = ({ bytewise }: Dialect): ReadonlyArray<string> => [
  `CREATE INDEX accounts_email_prefix ON accounts (email ${bytewise}, id)`,
  `CREATE INDEX accounts_slug_prefix ON accounts (slug ${bytewise}, id)`,
  `CREATE INDEX accounts_suspended ON accounts (id) WHERE suspended_at IS NOT NULL`,
  `CREATE INDEX events_complaints ON events (created_at, account_id, seq) WHERE kind = 'message.complaint'`,
]
