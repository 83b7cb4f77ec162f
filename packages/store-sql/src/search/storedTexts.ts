/** The stored text and facts of messages, as search reads them. */
import type { SqlClient } from "@effect/sql"
import {
  AccountId,
  Direction,
  HeaderMap,
  Instant,
  MailboxId,
  MessageId,
  SEARCHED_BODY_MAX_LENGTH,
  ThreadId,
  newestFirst,
} from "@mailroom/domain"
import type { SearchStore, StoredText } from "@mailroom/engine"
import { Effect, Option, Schema } from "effect"
import { inLists, isAmong } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { all, first, rowsOf } from "../database/Table.js"
import { gateOf } from "../messages/gates.js"
import { currentThread } from "../threads/moves.js"

/** SQL for whether a search may show a row of `messages AS alias`; its mailbox may be deleted before its messages. */
export const isShown = (alias: string): string =>
  `(${alias}.visible = 1 OR (${alias}.gate IS NOT NULL AND ${alias}.quarantined_at IS NULL AND ${alias}.status <> 'SENDING' AND ${gateOf(alias)} IS NULL))
    AND EXISTS (SELECT 1 FROM mailboxes AS b WHERE b.id = ${alias}.mailbox_id)`

const { Array, Boolean, Int, NullOr, String, Struct, Unknown } = Schema

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
      }),
    ),
    headers: JsonText(HeaderMap),
    bodyText: NullOr(String),
    bodyHtml: NullOr(String),
  }),
)

const waiting = rowsOf(Struct({ id: MessageId }))

/** The columns of `rows`, of `messages AS m` joined with `message_details AS d`. HTML counts only where there is no text. */
const SELECTION = `m.id, m.account_id AS "accountId", m.mailbox_id AS "mailboxId", ${currentThread("m")} AS "threadId",
  m.labels, m.read_at AS "readAt", m.created_at AS "createdAt", m.listing, d.headers,
  coalesce((SELECT size_bytes FROM raw_mails WHERE raw_mails.id = m.raw_id), 0) AS "sizeBytes",
  substr(d.body_text, 1, ${SEARCHED_BODY_MAX_LENGTH}) AS "bodyText",
  CASE WHEN d.body_text IS NULL THEN substr(d.body_html, 1, ${2 * SEARCHED_BODY_MAX_LENGTH}) END AS "bodyHtml"`

const textOf = ({
  listing,
  bodyText,
  bodyHtml,
  ...message
}: Effect.Effect.Success<ReturnType<typeof rows.decode>>[number]): StoredText => ({
  ...message,
  content: { ...listing, bodyText: bodyText ?? listing.bodyText, bodyHtml: bodyHtml ?? listing.bodyHtml },
})

/** `texts`, `unindexed`, `isBehind` and `pending` of `SearchStore` */
export const storedTextsIn = (
  sql: SqlClient.SqlClient,
): Pick<SearchStore["Type"], "texts" | "unindexed" | "pending" | "isBehind"> => {
  const selection = sql.literal(SELECTION)
  const shown = sql.literal(isShown("m"))

  return {
    texts: (accountId, ids) =>
      Effect.map(
        inLists(ids, (list) =>
          all(
            rows,
            sql`SELECT ${selection} FROM messages AS m JOIN message_details AS d ON d.message_id = m.id
              WHERE m.id IN ${sql.in(list)} AND m.account_id = ${accountId}`,
          ),
        ),
        (found) => found.map(textOf),
      ),
    unindexed: ({ accountId, mailboxIds }, limit) =>
      Effect.map(
        all(
          rows,
          sql`SELECT ${selection} FROM (
              SELECT message_id FROM search_queue WHERE account_id = ${accountId}
              ORDER BY created_at DESC, message_id DESC LIMIT ${limit}) AS waiting
            CROSS JOIN messages AS m CROSS JOIN message_details AS d
            WHERE m.id = waiting.message_id AND d.message_id = m.id AND ${shown}
            ${mailboxIds === null ? sql.literal("") : sql`AND m.mailbox_id ${isAmong(sql, mailboxIds)}`}`,
        ),
        (found) => found.map(textOf).sort(newestFirst),
      ),
    isBehind: Effect.map(
      first(waiting, sql`SELECT message_id AS id FROM search_queue ORDER BY created_at DESC LIMIT 1`),
      Option.isSome,
    ),
    pending: (limit) =>
      Effect.map(
        all(
          rows,
          sql`SELECT ${selection} FROM (
              SELECT message_id FROM search_queue ORDER BY created_at DESC, message_id DESC LIMIT ${limit}) AS waiting
            CROSS JOIN messages AS m CROSS JOIN message_details AS d
            WHERE m.id = waiting.message_id AND d.message_id = m.id`,
        ),
        (found) => found.map(textOf).sort(newestFirst),
      ),
  }
}
