/** Drafts, the files that they keep, and what accounts hold of sending (docs/decisions/0066). */
import type { Dialect } from "../dialect.js"

export const draftTables = ({ id }: Dialect): ReadonlyArray<string> => [
  // listed: the content with cut bodies, for lists; NULL where nothing is cut. due_at: when a worker looks at the draft.
  `CREATE TABLE drafts (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL,
    mailbox_id ${id} NOT NULL,
    status TEXT NOT NULL,
    content TEXT NOT NULL,
    listed TEXT,
    digest TEXT NOT NULL,
    approved_digest TEXT,
    client_id ${id},
    send_at BIGINT,
    review TEXT,
    error TEXT,
    due_at BIGINT,
    attempts BIGINT NOT NULL,
    size_bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    locked_until BIGINT NOT NULL DEFAULT 0,
    locked_by ${id}
  )`,
  `CREATE INDEX drafts_account ON drafts (account_id, created_at, id)`,
  `CREATE INDEX drafts_mailbox ON drafts (mailbox_id, created_at, id)`,
  `CREATE UNIQUE INDEX drafts_client ON drafts (mailbox_id, client_id) WHERE client_id IS NOT NULL`,
  `CREATE INDEX drafts_due ON drafts (due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX drafts_held ON drafts (locked_by) WHERE locked_until > 0`,

  `ALTER TABLE attachments ADD COLUMN draft_id ${id}`,
  `CREATE INDEX attachments_draft ON attachments (draft_id) WHERE draft_id IS NOT NULL`,

  `ALTER TABLE accounts ADD COLUMN sending_paused SMALLINT NOT NULL DEFAULT 0`,
  `ALTER TABLE accounts ADD COLUMN review_noticed_at BIGINT`,
]
