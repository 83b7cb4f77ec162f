/** The stored text and facts of messages, as search reads them. */
import type { SqlClient, Statement } from "@effect/sql"
import {
  AccountId,
  Direction,
  HeaderMap,
  Instant,
  MailboxId,
  MessageId,
  SCORED_BODY_MAX_LENGTH,
  SEARCHED_BODY_MAX_LENGTH,
  ThreadId,
  newestFirst,
} from "@mailroom/domain"
import type { SearchStore, StoredText, UnreadableText } from "@mailroom/engine"
import { Effect, Either, Option, Schema } from "effect"
import { inLists, isAmong } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { orStorageFailure } from "../database/failures.js"
import { all, allAsStored, first, rowsOf } from "../database/Table.js"
import { gateOf } from "../messages/gates.js"
import { currentThread } from "../threads/moves.js"
import { fileTextsIn } from "./fileTexts.js"

/** SQL for whether a search may show a row of `messages AS alias`; its mailbox may be deleted before its messages. */
export const isShown = (alias: string): string =>
  `(${alias}.visible = 1 OR (${alias}.gate IS NOT NULL AND ${alias}.quarantined_at IS NULL AND ${alias}.status <> 'SENDING' AND ${gateOf(alias)} IS NULL))
    AND EXISTS (SELECT 1 FROM mailboxes AS b WHERE b.id = ${alias}.mailbox_id)`

const { Array, Boolean, Int, NullOr, optional, String, Struct, Unknown } = Schema

const rows = rowsOf(
  Struct({
    id: MessageId,
    accountId: AccountId,
    mailboxId: MailboxId,
    threadId: ThreadId,
    labels: JsonText(Array(String)),
    readAt: NullOr(Instant),
    createdAt: Instant,
    sizeBytes: Int,
    listing: JsonText(
      Struct({
        subject: String,
        fromAddress: String,
        fromName: NullOr(String),
        toAddresses: Array(String),
        ccAddresses: Array(String),
        bccAddresses: Array(String),
        bodyText: NullOr(String),
        bodyHtml: NullOr(String),
        direction: Direction,
        automated: Boolean,
        attachments: Array(Struct({ filename: String, contentType: String })),
        codes: Array(Unknown),
        links: Array(Unknown),
        calendar: optional(Unknown),
      }),
    ),
    headers: JsonText(HeaderMap),
    bodyText: NullOr(String),
    bodyHtml: NullOr(String),
  }),
)

const waiting = rowsOf(Struct({ id: MessageId }))
const entries = Schema.decodeUnknown(Struct({ id: MessageId, createdAt: Instant, revision: Int }))

/**
 * The columns of `rows`, of `messages AS m` joined with `message_details AS d`, with so many UTF-16 units of the text. HTML
 * counts only where there is no text; twice as much of it is read, because tags take room.
 */
const selectionOf = (
  bodyLength: number,
): string => `m.id, m.account_id AS "accountId", m.mailbox_id AS "mailboxId", ${currentThread("m")} AS "threadId",
  m.labels, m.read_at AS "readAt", m.created_at AS "createdAt", m.listing, d.headers,
  coalesce((SELECT size_bytes FROM raw_mails WHERE raw_mails.id = m.raw_id), 0) AS "sizeBytes",
  substr(d.body_text, 1, ${bodyLength}) AS "bodyText",
  CASE WHEN d.body_text IS NULL THEN substr(d.body_html, 1, ${2 * bodyLength}) END AS "bodyHtml"`

type Row = Effect.Effect.Success<ReturnType<typeof rows.decode>>[number]

const textOf = (
  { listing, bodyText, bodyHtml, ...message }: Row,
  fileTexts: ReadonlyArray<string>,
): StoredText => ({
  ...message,
  content: { ...listing, bodyText: bodyText ?? listing.bodyText, bodyHtml: bodyHtml ?? listing.bodyHtml },
  fileTexts,
})

/** `queued`, `shownTexts`, `texts`, `beginnings`, `isBehind` and `pending` of `SearchStore` */
export const storedTextsIn = (
  sql: SqlClient.SqlClient,
): Pick<SearchStore["Type"], "queued" | "shownTexts" | "texts" | "beginnings" | "pending" | "isBehind"> => {
  const selection = sql.literal(selectionOf(SEARCHED_BODY_MAX_LENGTH))
  const beginning = sql.literal(selectionOf(SCORED_BODY_MAX_LENGTH))
  const shown = sql.literal(isShown("m"))
  const fileTextsOf = fileTextsIn(sql)

  /** Decodes each row by itself: one that does not decode is left out, and no other. */
  const decoded = (stored: ReadonlyArray<object>) =>
    Effect.map(
      Effect.forEach(stored, (row) => Effect.either(rows.decode([row]))),
      (found) => found.flatMap((one) => (Either.isRight(one) ? one.right : [])),
    )

  const withFiles = (found: ReadonlyArray<Row>) =>
    Effect.map(fileTextsOf(found.map(({ id }) => id)), (files) =>
      found.map((row) => textOf(row, files.get(row.id) ?? [])),
    )

  const byIds = (
    columns: Statement.Fragment,
    accountId: AccountId,
    ids: ReadonlyArray<MessageId>,
    only: Statement.Fragment = sql.literal(""),
  ) =>
    inLists(ids, (list) =>
      allAsStored(
        // The account is compared as an expression: by the column, SQLite would read the whole account instead of these ids.
        sql`SELECT ${columns} FROM messages AS m JOIN message_details AS d ON d.message_id = m.id
          WHERE m.id IN ${sql.in(list)} AND coalesce(m.account_id, '') = ${accountId} ${only}`,
      ),
    )

  const readable = (stored: ReadonlyArray<object>) => Effect.flatMap(decoded(stored), withFiles)

  return {
    texts: (accountId, ids) => Effect.flatMap(byIds(selection, accountId, ids), readable),
    beginnings: (accountId, ids) =>
      Effect.map(Effect.flatMap(byIds(beginning, accountId, ids), decoded), (found) =>
        found.map((row) => textOf(row, [])),
      ),
    queued: (accountId, limit) =>
      Effect.map(
        all(
          waiting,
          sql`SELECT message_id AS id FROM search_queue WHERE account_id = ${accountId}
            ORDER BY created_at DESC, message_id DESC LIMIT ${limit}`,
        ),
        (found) => found.map(({ id }) => id),
      ),
    shownTexts: ({ accountId, mailboxIds }, ids) =>
      Effect.flatMap(
        byIds(
          selection,
          accountId,
          ids,
          sql`AND ${shown} ${mailboxIds === null ? sql.literal("") : sql`AND m.mailbox_id ${isAmong(sql, mailboxIds)}`}`,
        ),
        readable,
      ),
    isBehind: Effect.map(
      first(waiting, sql`SELECT message_id AS id FROM search_queue ORDER BY created_at DESC LIMIT 1`),
      Option.isSome,
    ),
    pending: (limit) =>
      Effect.gen(function* () {
        const stored = yield* allAsStored(
          sql`SELECT ${selection}, waiting.revision FROM (
              SELECT message_id, revision FROM search_queue
              ORDER BY created_at DESC, message_id DESC LIMIT ${limit}) AS waiting
            CROSS JOIN messages AS m CROSS JOIN message_details AS d
            WHERE m.id = waiting.message_id AND d.message_id = m.id`,
        )
        const unreadable: Array<UnreadableText> = []
        const found: Array<Row> = []
        const revisions = new Map<MessageId, number>()
        for (const row of stored) {
          const entry = yield* orStorageFailure(entries(row))
          revisions.set(entry.id, entry.revision)
          const text = yield* Effect.either(rows.decode([row]))
          if (Either.isRight(text)) found.push(...text.right)
          else unreadable.push({ ...entry, error: text.left })
        }
        const texts = (yield* withFiles(found)).map((text) => ({
          ...text,
          revision: revisions.get(text.id) ?? 0,
        }))
        return { texts: texts.sort(newestFirst), unreadable }
      }),
  }
}
