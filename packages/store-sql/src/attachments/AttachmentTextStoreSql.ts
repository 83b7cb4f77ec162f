/** The text inside attachments in SQL, deflated. A row disappears with the row of its attachment. */
import { SqlClient } from "@effect/sql"
import { AttachmentId, DocumentKind, type DocumentText } from "@mailroom/domain"
import { AttachmentTextStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import { Flag } from "../database/columns.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"

// A text may have 6 MB: the main thread does not wait.
const deflated = promisify(deflateRaw)
const inflated = promisify(inflateRaw)

const texts = rowsOf(
  Schema.Struct({
    attachmentId: AttachmentId,
    kind: DocumentKind,
    deflated: Schema.Uint8ArrayFromSelf,
    truncated: Flag,
  }),
)
type StoredText = Effect.Effect.Success<ReturnType<typeof texts.decode>>[number]

const attachments = rowsOf(Schema.Struct({ id: AttachmentId }))

const SELECTION = `t.attachment_id AS "attachmentId", t.kind, t.deflated, t.truncated`

const textOf = ({ deflated: bytes, ...stored }: StoredText) =>
  Effect.promise(async () => ({ ...stored, text: (await inflated(bytes)).toString("utf8") }))

const make = (sql: SqlClient.SqlClient): AttachmentTextStore["Type"] => {
  const { join } = transactionOf(sql)
  const selection = sql.literal(SELECTION)
  const locked = sql.literal(dialectOf(sql).forUpdate)

  const insert = (id: AttachmentId, { kind, truncated }: DocumentText, bytes: Uint8Array, at: number) =>
    Effect.gen(function* () {
      // Locked, so that the attachment is not removed before its text is there to be removed with it.
      const found = yield* first(attachments, sql`SELECT id FROM attachments WHERE id = ${id} ${locked}`)
      if (Option.isNone(found)) return
      yield* run(
        sql`INSERT INTO attachment_texts (attachment_id, kind, deflated, truncated, created_at)
          VALUES (${id}, ${kind}, ${bytes}, ${truncated ? 1 : 0}, ${at}) ON CONFLICT (attachment_id) DO NOTHING`,
      )
    })

  return {
    byId: (accountId, id) =>
      first(
        texts,
        sql`SELECT ${selection} FROM attachment_texts AS t JOIN attachments AS a ON a.id = t.attachment_id
          WHERE t.attachment_id = ${id} AND a.account_id = ${accountId}`,
      ).pipe(
        Effect.flatMap(
          Option.match({
            onNone: () => Effect.succeedNone,
            onSome: (stored) =>
              Effect.map(textOf(stored), ({ kind, text, truncated }) =>
                Option.some({ kind, text, truncated }),
              ),
          }),
        ),
      ),
    keep: (id, text, at) =>
      Effect.flatMap(
        Effect.promise(() => deflated(text.text)),
        (bytes) => join(insert(id, text, bytes, at)),
      ),
    ofMessage: (accountId, messageId) =>
      Effect.flatMap(
        all(
          texts,
          sql`SELECT ${selection} FROM attachments AS a JOIN attachment_texts AS t ON t.attachment_id = a.id
            WHERE a.message_id = ${messageId} AND a.account_id = ${accountId}`,
        ),
        (rows) =>
          Effect.forEach(
            rows.toSorted((one, other) => (one.attachmentId < other.attachmentId ? -1 : 1)),
            (stored) => textOf(stored),
          ),
      ),
  }
}

export const AttachmentTextStoreSql: Layer.Layer<AttachmentTextStore, never, SqlClient.SqlClient> =
  Layer.effect(AttachmentTextStore, Effect.map(SqlClient.SqlClient, make))
