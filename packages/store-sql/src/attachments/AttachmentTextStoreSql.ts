/** The text inside attachments in SQL, deflated. A row disappears with the row of its attachment. */
import * as SqlClient from "@effect/sql/SqlClient"
import {
  type AccountId,
  AttachmentId,
  AttachmentRecord,
  DocumentKind,
  type DocumentText,
  FILE_READ_ON_REQUEST_BYTES,
  type Instant,
  MessageId,
} from "@mailroom/domain"
import { AttachmentTextStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { Flag } from "../database/columns.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { queueAgainIn } from "../search/queueAgain.js"
import { attachments } from "./AttachmentStoreSql.js"
import { deflatedText, inflatedText } from "./deflatedText.js"

const texts = rowsOf(
  Schema.Struct({
    attachmentId: AttachmentId,
    kind: DocumentKind,
    deflated: Schema.Uint8ArrayFromSelf,
    truncated: Flag,
  }),
)
type StoredText = Effect.Effect.Success<ReturnType<typeof texts.decode>>[number]

const messages = rowsOf(Schema.Struct({ id: MessageId }))
const places = rowsOf(Schema.Struct({ messageId: Schema.NullOr(MessageId) }))
const claimed = rowsOf(Schema.Struct({ ...AttachmentRecord.fields, attempt: Schema.Int }))

const SELECTION = `t.attachment_id AS "attachmentId", t.kind, t.deflated, t.truncated`

/** The condition of the index of waiting files, word by word. */
const IS_WAITING = `message_id IS NOT NULL AND size_bytes < ${FILE_READ_ON_REQUEST_BYTES}
  AND substr(content_type, 1, 6) <> 'image/' AND text_due_at IS NOT NULL`

const textOf = ({ deflated, ...stored }: StoredText) =>
  Effect.map(inflatedText(deflated), (text) => ({ ...stored, text }))

const make = (sql: SqlClient.SqlClient): AttachmentTextStore["Type"] => {
  const { join, joinUnsynced } = transactionOf(sql)
  const { forUpdate, indexedBy, skipLocked } = dialectOf(sql)
  const selection = sql.literal(SELECTION)
  const locked = sql.literal(forUpdate)
  const queueAgain = queueAgainIn(sql)
  const dismiss = (id: AttachmentId) =>
    run(sql`UPDATE attachments SET text_due_at = NULL WHERE id = ${id} AND text_due_at IS NOT NULL`)

  /**
   * Writes a text. False: a message took the attachment meanwhile, or the attachment names a message that is not there, and nothing is written. Locks the message and then the
   * attachment, in the order of a removal, so that neither is removed before its text is there to be removed with it.
   */
  const insert = (id: AttachmentId, { kind, truncated }: DocumentText, bytes: Uint8Array, at: Instant) =>
    Effect.gen(function* () {
      const message = yield* first(
        messages,
        sql`SELECT id FROM messages WHERE id = (SELECT message_id FROM attachments WHERE id = ${id}) ${locked}`,
      )
      const place = yield* first(
        places,
        sql`SELECT message_id AS "messageId" FROM attachments WHERE id = ${id} ${locked}`,
      )
      if (Option.isNone(place)) return true
      const { messageId } = place.value
      if (messageId !== null && Option.isNone(message)) return false
      const inserted = yield* all(
        messages,
        sql`INSERT INTO attachment_texts (attachment_id, kind, deflated, truncated, created_at)
          VALUES (${id}, ${kind}, ${bytes}, ${truncated ? 1 : 0}, ${at})
          ON CONFLICT (attachment_id) DO NOTHING RETURNING attachment_id AS id`,
      )
      yield* dismiss(id)
      if (messageId !== null && inserted.length > 0) yield* queueAgain([messageId])
      return true
    })

  const claimBehind = (after: AccountId | "", now: Instant, until: Instant) =>
    first(
      claimed,
      sql`UPDATE attachments SET text_due_at = ${until}, text_attempts = text_attempts + 1
        WHERE id = (SELECT id FROM attachments ${sql.literal(indexedBy("attachments_waiting"))}
          WHERE ${sql.literal(IS_WAITING)} AND account_id > ${after} AND text_due_at <= ${now}
          ORDER BY account_id, created_at DESC, id DESC LIMIT 1 ${sql.literal(skipLocked)})
        RETURNING ${sql.literal(attachments.selection)}, text_attempts AS attempt`,
    )

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
      Effect.flatMap(deflatedText(text.text), (bytes) =>
        Effect.asVoid(
          Effect.repeat(join(insert(id, text, bytes, at)), { until: (isDone) => isDone, times: 1 }),
        ),
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
    claim: (after, now, until) =>
      joinUnsynced(
        Effect.gen(function* () {
          const next = yield* claimBehind(after ?? "", now, until)
          const found = Option.isSome(next) || after === null ? next : yield* claimBehind("", now, until)
          return Option.map(found, ({ attempt, ...attachment }) => ({ attachment, attempt }))
        }),
      ),
    dismiss,
    release: (id) =>
      joinUnsynced(
        run(
          sql`UPDATE attachments SET text_due_at = 0, text_attempts = text_attempts - 1
            WHERE id = ${id} AND text_due_at > 0`,
        ),
      ),
  }
}

export const AttachmentTextStoreSql: Layer.Layer<AttachmentTextStore, never, SqlClient.SqlClient> =
  Layer.effect(AttachmentTextStore, Effect.map(SqlClient.SqlClient, make))
