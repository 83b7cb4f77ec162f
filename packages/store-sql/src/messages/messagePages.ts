/**
 * Lists of messages, the path that is read most. Rows are trusted and their content is never parsed: the JSON that
 * was stored with each message is closed with what may have changed since. Every list is a range of one index, read
 * in its order.
 */
import { type SqlClient, type Statement } from "@effect/sql"
import {
  type Instant,
  type MessageId,
  type MessageStatus,
  type ThreadId,
  timestampOrNull,
} from "@mailroom/domain"
import type { MessageJson, MessagePage, MessageQuery } from "@mailroom/engine"
import { Effect } from "effect"
import { orStorageFailure } from "../database/failures.js"
import { dialectOf } from "../dialect.js"
import { openItem } from "./listing.js"

interface ListedRow {
  readonly id: MessageId
  readonly threadId: ThreadId
  readonly status: MessageStatus
  /** JSON */
  readonly labels: string
  readonly readAt: Instant | null
  readonly sentAt: Instant | null
  readonly createdAt: Instant
  /** JSON of an object that is not empty */
  readonly listing: string
}

const LISTED = `id, thread_id AS "threadId", status, labels, read_at AS "readAt", sent_at AS "sentAt",
  created_at AS "createdAt", listing`

const time = (at: Instant | null): string => JSON.stringify(timestampOrNull(at))

/** The JSON text of a `MessageListItem`. A message in a list is visible, and so never over the limit. */
const itemOf = (row: ListedRow): MessageJson =>
  `${openItem(row.listing)},"threadId":${JSON.stringify(row.threadId)},"status":${JSON.stringify(row.status)},` +
  `"overLimit":false,"labels":${row.labels},"readAt":${time(row.readAt)},"sentAt":${time(row.sentAt)}}`

/** `MessageStore.page` */
export const pageOf = (sql: SqlClient.SqlClient): ((query: MessageQuery) => Effect.Effect<MessagePage>) => {
  const { indexedBy } = dialectOf(sql)
  const index = {
    newest: sql.literal(indexedBy("messages_newest")),
    direction: sql.literal(indexedBy("messages_direction")),
    thread: sql.literal(indexedBy("messages_thread")),
  }
  const listed = sql.literal(LISTED)
  const noCondition = sql.literal("")
  const unless = (absent: boolean, condition: () => Statement.Fragment) =>
    absent ? noCondition : condition()

  const rows = ({
    before,
    direction,
    limit,
    mailboxId,
    offset,
    since,
    threadId,
  }: MessageQuery) => sql<ListedRow>`
    SELECT ${listed} FROM messages
    ${threadId !== null ? index.thread : direction !== null ? index.direction : index.newest}
    WHERE mailbox_id = ${mailboxId} AND visible = 1
    ${unless(threadId === null, () => sql`AND thread_id = ${threadId}`)}
    ${unless(direction === null, () => sql`AND direction = ${direction}`)}
    ${unless(since === null, () => sql`AND created_at >= ${since}`)}
    ${unless(before === null, () => sql`AND (created_at, id) < (${before?.createdAt}, ${before?.id})`)}
    ORDER BY created_at DESC, id DESC LIMIT ${limit + 1} OFFSET ${offset}`

  return (query) =>
    Effect.map(orStorageFailure(rows(query)), (found) => {
      const shown = found.slice(0, query.limit)
      const last = shown.at(-1)
      return {
        items: shown.map(itemOf),
        hasMore: found.length > query.limit,
        last: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
      }
    })
}

/** `MessageStore.inThread` */
export const inThreadOf = (
  sql: SqlClient.SqlClient,
): ((threadId: ThreadId, limit: number) => Effect.Effect<ReadonlyArray<MessageJson>>) => {
  const index = sql.literal(dialectOf(sql).indexedBy("messages_thread"))
  const listed = sql.literal(LISTED)
  return (threadId, limit) =>
    Effect.map(
      orStorageFailure(sql<ListedRow>`
        SELECT ${listed} FROM messages ${index} WHERE thread_id = ${threadId} AND visible = 1
        ORDER BY created_at DESC, id DESC LIMIT ${limit}`),
      (newestFirst) => newestFirst.map(itemOf).reverse(),
    )
}
