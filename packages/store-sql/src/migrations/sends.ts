/** Drafts of blobs, and the correspondent of an automatic answer. */
import type { Dialect } from "../dialect.js"

export const sendTables = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  // A blob is written before the transaction whose row refers to it. Its draft is inserted before the blob is written,
  // and that transaction deletes it. A draft that is left when it is due belongs to a blob without a reference, unless
  // the answer to a COMMIT was lost: the collector looks for a row before it removes the blob.
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
