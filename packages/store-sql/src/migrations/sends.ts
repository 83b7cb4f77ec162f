/** Blobs that a row may come to name, and whom an answer of ours answers. */
import type { Dialect } from "../dialect.js"

export const sendTables = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  // A blob is written before the transaction that names it. This row is older than the blob, and goes with that
  // transaction: what is left when it is due was named by nobody, or is named by a row that can be looked up.
  `CREATE TABLE blob_drafts (
    blob_key ${id} NOT NULL PRIMARY KEY,
    due_at BIGINT NOT NULL
  ) ${clustered}`,
  `CREATE INDEX blob_drafts_due ON blob_drafts (due_at, blob_key)`,
  `CREATE INDEX raw_mails_blob ON raw_mails (blob_key) WHERE blob_key IS NOT NULL`,

  `ALTER TABLE messages ADD COLUMN correspondent ${id}`,
  `CREATE INDEX messages_correspondent ON messages (mailbox_id, correspondent, created_at)
    WHERE correspondent IS NOT NULL`,
]
