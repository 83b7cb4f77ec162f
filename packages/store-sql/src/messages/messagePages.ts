/**
 * Lists of messages, the most frequent reads. Rows are not decoded and the stored JSON of a message is not parsed: the
 * members that can change are appended to it. Every list is a range of one index, read in its order.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import {
  type Instant,
  type MailboxId,
  type MessageId,
  type MessageStatus,
  type ThreadId,
  timestampOrNull,
  newestFirst,
} from "@mailroom/domain"
import type { MessageJson, MessageQuery, MessageStore, SearchStore } from "@mailroom/engine"
import { Clock, Effect } from "effect"
import { claimColumns, claimOf, type ClaimValues } from "../claims/claimColumns.js"
import { inLists, unionAll } from "../database/batches.js"
import { orStorageFailure } from "../database/failures.js"
import { firstThatFit } from "../database/firstThatFit.js"
import { dialectOf } from "../dialect.js"
import { currentThread, movesOf } from "../threads/moves.js"
import { UNLOCKED } from "./gates.js"
import { openItem } from "./listing.js"
import { quarantineColumns } from "./quarantine.js"

/** Bytes of listings that a page has at most; its first message may be larger. A listing may have a megabyte. */
const PAGE_MAX_BYTES = 32 * 1024 * 1024
/** Bytes of a listing that is read with its row: 512 of them make a page. Larger ones are read when the page has room. */
const READ_WITH_ROW_MAX_BYTES = PAGE_MAX_BYTES / 512

interface ListedId {
  readonly id: MessageId
  readonly createdAt: Instant
}

/** A row of a message without its listing. */
export interface MessageRow extends ListedId, ClaimValues {
  readonly threadId: ThreadId
  readonly status: MessageStatus
  /** JSON array */
  readonly labels: string
  readonly readAt: Instant | null
  readonly sentAt: Instant | null
  readonly quarantinedAt: Instant | null
  /** JSON array */
  readonly quarantineReasons: string | null
}

interface ListedRow extends MessageRow {
  /** JSON object with at least one member; null: too large to be read with its row */
  readonly listing: string | null
  /** size of the listing */
  readonly bytes: number
}

/** The SELECT list of a `MessageRow`, of `messages`. */
export const MESSAGE_ROW = `id, ${currentThread("messages")} AS "threadId", status, labels, read_at AS "readAt", sent_at AS "sentAt",
  created_at AS "createdAt", ${claimColumns("messages")}, ${quarantineColumns("messages")}`

/** The SELECT list of a `ListedRow`, of `messages`. */
const LISTED = `${MESSAGE_ROW}, octet_length(listing) AS bytes,
  CASE WHEN octet_length(listing) <= ${READ_WITH_ROW_MAX_BYTES} THEN listing END AS listing`

const time = (at: Instant | null): string => JSON.stringify(timestampOrNull(at))

const quarantine = ({ quarantinedAt, quarantineReasons }: MessageRow): string =>
  quarantinedAt === null ? "null" : `{"at":${time(quarantinedAt)},"reasons":${quarantineReasons ?? "[]"}}`

/** The JSON text of a `MessageListItem`. A listed message is never over a limit. */
const itemOf = (row: MessageRow, listing: string, now: Instant): MessageJson =>
  `${openItem(listing)},"threadId":${JSON.stringify(row.threadId)},"status":${JSON.stringify(row.status)},` +
  `"overLimit":false,"labels":${row.labels},"readAt":${time(row.readAt)},"sentAt":${time(row.sentAt)},` +
  `"claim":${JSON.stringify(claimOf(row, now))},"quarantined":${quarantine(row)}}`

/** A query in one mailbox, or in one thread of any mailbox. */
type RangeQuery = Omit<MessageQuery, "mailboxId"> & { readonly mailboxId: MailboxId | null }

/** Reads up to `limit` rows, newest first. */
const rowsIn = (sql: SqlClient.SqlClient) => {
  const { indexedBy } = dialectOf(sql)
  const index = {
    newest: sql.literal(indexedBy("messages_newest")),
    direction: sql.literal(indexedBy("messages_direction")),
    thread: sql.literal(indexedBy("messages_thread")),
  }
  const listed = sql.literal(LISTED)
  const { movingTo } = movesOf(sql)
  const noCondition: Statement.Fragment = sql.literal("")
  const unless = (absent: boolean, condition: () => Statement.Fragment) =>
    absent ? noCondition : condition()

  const inMailbox = ({ mailboxId }: RangeQuery) =>
    unless(mailboxId === null, () => sql`AND mailbox_id = ${mailboxId}`)

  /** Unlocked messages whose rows are not updated yet (docs/decisions/0044) still have `visible = 0`: another range of the same index. */
  const shown = sql.literal("visible = 1")
  const unlocked = sql.literal(UNLOCKED)

  /**
   * FROM, WHERE and ORDER BY for a range of one index. For visible messages the index has every column of the condition,
   * except for `more`: the index of a thread lacks the mailbox.
   */
  const range = (
    query: RangeQuery,
    which: Statement.Fragment,
    limit: number,
    offset: number,
    more = noCondition,
  ) => {
    const { before, direction, since, threadId } = query
    return sql`messages ${threadId !== null ? index.thread : direction !== null ? index.direction : index.newest}
      WHERE ${which} ${threadId === null ? inMailbox(query) : sql`AND thread_id = ${threadId}`} ${more}
      ${unless(direction === null, () => sql`AND direction = ${direction}`)}
      ${unless(since === null, () => sql`AND created_at >= ${since}`)}
      ${unless(before === null, () => sql`AND (created_at, id) < (${before?.createdAt}, ${before?.id})`)}
      ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`
  }

  // The mailbox is compared as an expression: by the column, SQLite would read the whole mailbox instead of these ids.
  const withIds = ({ mailboxId }: RangeQuery, ids: Statement.Fragment) =>
    Effect.map(
      orStorageFailure(
        sql<ListedRow>`SELECT ${listed} FROM messages
          WHERE id IN ${ids} ${unless(mailboxId === null, () => sql`AND coalesce(mailbox_id, '') = ${mailboxId}`)}`,
      ),
      (found) => [...found].sort(newestFirst),
    )

  /**
   * Merges several ranges, which have no message in common, into one list. In one statement: between two, a message could move from one
   * range to another.
   */
  const merged = (query: RangeQuery, ranges: ReadonlyArray<Statement.Fragment>) =>
    Effect.gen(function* () {
      const parts = ranges.map((one) => sql`SELECT * FROM (SELECT id, created_at FROM ${one}) AS range`)
      const found = yield* orStorageFailure(
        sql<ListedId>`SELECT id, created_at AS "createdAt" FROM (SELECT * FROM (${unionAll(parts)}) AS ranges
          ORDER BY created_at DESC, id DESC LIMIT ${query.limit} OFFSET ${query.offset}) AS newest`,
      )
      return found.length === 0 ? [] : yield* withIds(query, sql`${sql.in(found.map(({ id }) => id))}`)
    })

  return (query: RangeQuery, withUnlocked: boolean): Effect.Effect<ReadonlyArray<ListedRow>> =>
    Effect.gen(function* () {
      const { limit, offset, threadId } = query
      const moving = threadId === null ? [] : yield* movingTo(threadId)
      if (withUnlocked || moving.length > 0)
        return yield* merged(
          query,
          [...moving, threadId].flatMap((one) =>
            (withUnlocked ? [unlocked, shown] : [shown]).map((which) =>
              range({ ...query, threadId: one }, which, offset + limit, 0),
            ),
          ),
        )
      // Only the index is read for messages that the offset skips.
      if (offset > 0)
        return yield* withIds(query, sql`(SELECT id FROM ${range(query, shown, limit, offset)})`)
      const scoped = threadId === null ? noCondition : inMailbox(query)
      return yield* orStorageFailure(
        sql<ListedRow>`SELECT ${listed} FROM ${range(query, shown, limit, 0, scoped)}`,
      )
    })
}

/** Makes the items of rows, and reads the listings that were not read with them. A message that was removed meanwhile is left out. */
const itemsOf =
  (sql: SqlClient.SqlClient) =>
  (rows: ReadonlyArray<ListedRow>): Effect.Effect<ReadonlyArray<MessageJson>> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const large = yield* inLists(
        rows.flatMap(({ id, listing }) => (listing === null ? [id] : [])),
        (list) =>
          orStorageFailure(
            sql<{
              id: MessageId
              listing: string
            }>`SELECT id, listing FROM messages WHERE id IN ${sql.in(list)}`,
          ),
      )
      const listings = new Map(large.map(({ id, listing }) => [id, listing]))
      return rows.flatMap((row) => {
        const listing = row.listing ?? listings.get(row.id)
        return listing === undefined ? [] : [itemOf(row, listing, now)]
      })
    })

/** `MessageStore.page` */
export const pageOf = (sql: SqlClient.SqlClient): MessageStore["Type"]["page"] => {
  const read = rowsIn(sql)
  const items = itemsOf(sql)
  return (query, withUnlocked = false) =>
    Effect.gen(function* () {
      const found = yield* read({ ...query, limit: query.limit + 1 }, withUnlocked)
      const shown = firstThatFit(found, query.limit, PAGE_MAX_BYTES)
      const last = shown.at(-1)
      return {
        items: yield* items(shown),
        hasMore: found.length > shown.length,
        last: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
      }
    })
}

/** `MessageStore.inThread` */
export const inThreadOf = (
  sql: SqlClient.SqlClient,
): ((threadId: ThreadId, limit: number) => Effect.Effect<ReadonlyArray<MessageJson>>) => {
  const read = rowsIn(sql)
  const items = itemsOf(sql)
  const anywhere = { mailboxId: null, direction: null, since: null, before: null, offset: 0 }
  return (threadId, limit) =>
    Effect.gen(function* () {
      const found = yield* read({ ...anywhere, threadId, limit }, false)
      const newest = yield* items(firstThatFit(found, limit, PAGE_MAX_BYTES))
      return newest.toReversed()
    })
}

/** `SearchStore.items` */
export const itemsByIdOf = (sql: SqlClient.SqlClient): SearchStore["Type"]["items"] => {
  const listed = sql.literal(LISTED)
  const items = itemsOf(sql)
  return (accountId, ids) =>
    Effect.gen(function* () {
      // The account is compared as an expression: by the column, SQLite would read the whole account instead of these ids.
      const found = yield* inLists(ids, (list) =>
        orStorageFailure(
          sql<ListedRow>`SELECT ${listed} FROM messages
            WHERE id IN ${sql.in(list)} AND coalesce(account_id, '') = ${accountId}`,
        ),
      )
      const rows = new Map(found.map((row) => [row.id, row]))
      const sized = ids.map((id) => {
        const row = rows.get(id)
        return { row, bytes: row?.bytes ?? 0 }
      })
      const shown = firstThatFit(sized, ids.length, PAGE_MAX_BYTES)
      return { items: yield* items(shown.flatMap(({ row }) => row ?? [])), count: shown.length }
    })
}
