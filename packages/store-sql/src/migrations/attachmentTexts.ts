/** The text inside attachments (docs/decisions/0063). */
import type { Dialect } from "../dialect.js"

export const attachmentTextTable = ({ id, blob }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE attachment_texts (
    attachment_id ${id} NOT NULL PRIMARY KEY REFERENCES attachments (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    deflated ${blob} NOT NULL,
    truncated SMALLINT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
]
