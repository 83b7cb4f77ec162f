/**
 * Filtered lists of messages (docs/decisions/0060). A page reads one index in the order of the list, its driver, and checks
 * the other conditions of each message that it finds there by primary key. It examines a bounded number of messages, so
 * its cost does not grow with the list, nor with the depth of the page.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import {
  type AccountId,
  type Instant,
  matchesFilter,
  type MessageId,
  newestFirst,
  oldestFirst,
  planOf,
  readsTerms,
} from "@mailroom/domain"
import type { FilteredQuery, MessagePosition, MessageStore } from "@mailroom/engine"
import { Array, Clock, Effect, Option, Schema } from "effect"
import { claimOf } from "../claims/claimColumns.js"
import { inLists, unionAll } from "../database/batches.js"
import { allAsStored, first, rowsOf } from "../database/Table.js"
import { dialectOf } from "../dialect.js"
import { filterConditionsOf } from "./filterConditions.js"
import { filterRangesOf, type Range, type Reading } from "./filterRanges.js"
import { itemsByIdOf, MESSAGE_ROW, type MessageRow } from "./messagePages.js"
import { isQuarantined } from "./quarantine.js"
import { decodeSource } from "./terms.js"

/** Queries of one UNION; SQLite takes 500. A key may have 200 mailboxes, with three ranges each. */
const UNION_MAX = 400
/** Messages that one request examines. */
const EXAMINED_MAX = 500
/** Messages that one request examines when it must read their listings. */
const SCANNED_MAX = 200
/** Growth of the number of messages that one statement examines, from statement to statement. */
const GROWTH = 4

interface Candidate {
  readonly id: MessageId
  readonly createdAt: Instant
}

interface Examined extends Candidate {
  readonly matches: 0 | 1
}

interface ScannedRow extends MessageRow {
  /** JSON object */
  readonly listing: string
  readonly direction: "INBOUND" | "OUTBOUND"
}

const nothing: Examination = { examined: [], isEnd: true }

const found = rowsOf(Schema.Struct({ found: Schema.Int }))
const and = Statement.join(" AND ", false)

/** Messages that a statement examined. */
interface Examination {
  /** each once, in the order of the list */
  readonly examined: ReadonlyArray<Examined>
  /** whether the list has no more */
  readonly isEnd: boolean
}

/** Each message once, in the order of the list. Two ranges may both have one that moves between them. */
const sorted = <C extends Candidate>(
  { order }: Pick<FilteredQuery, "order">,
  candidates: ReadonlyArray<C>,
): ReadonlyArray<C> =>
  [...new Map(candidates.map((one) => [one.id, one])).values()].sort(
    order === "desc" ? newestFirst : oldestFirst,
  )

/** `MessageStore.filtered` */
export const filteredOf = (sql: SqlClient.SqlClient): MessageStore["Type"]["filtered"] => {
  const { indexedBy } = dialectOf(sql)
  const { readingOf, scannedRanges } = filterRangesOf(sql)
  const { placedIn, conditionsOf } = filterConditionsOf(sql)
  const items = itemsByIdOf(sql)

  /** SELECT of the first `limit` messages of a range behind a position. */
  const selectRange = (
    { filter: { since, before }, order }: FilteredQuery,
    { from, id, where }: Range,
    after: MessagePosition | null,
    limit: number,
  ) => {
    const idColumn = sql.literal(id)
    const bounds = [
      ...where,
      ...(since === null ? [] : [sql`created_at >= ${since}`]),
      ...(before === null ? [] : [sql`created_at < ${before}`]),
      ...(after === null
        ? []
        : [
            sql`(created_at, ${idColumn}) ${sql.literal(order === "desc" ? "<" : ">")} (${after.createdAt}, ${after.id})`,
          ]),
    ]
    const direction = sql.literal(order === "desc" ? "DESC" : "ASC")
    // The limit is text, so that Postgres plans for this number of rows.
    return sql`SELECT ${idColumn} AS id, created_at FROM ${sql.literal(from)} WHERE ${and(bounds)}
      ORDER BY created_at ${direction}, ${idColumn} ${direction} LIMIT ${sql.literal(String(limit))}`
  }

  /** SELECT of the first `limit` messages of all ranges behind a position. One that moves may be in two of them. */
  const selectRanges = (
    query: FilteredQuery,
    ranges: ReadonlyArray<Range>,
    after: MessagePosition | null,
    limit: number,
  ) => {
    const parts = ranges.map((range) => selectRange(query, range, after, limit))
    if (parts.length === 1) return unionAll(parts)
    const queries = parts.map((part) => sql`SELECT * FROM (${part}) AS range`)
    const groups = Array.chunksOf(queries, UNION_MAX).map(
      (group) => sql`SELECT * FROM (${unionAll(group)}) AS ranges`,
    )
    const direction = sql.literal(query.order === "desc" ? "DESC" : "ASC")
    return sql`SELECT * FROM (${unionAll(groups.length === 1 ? queries : groups)}) AS ranges
      ORDER BY created_at ${direction}, id ${direction} LIMIT ${sql.literal(String(limit))}`
  }

  /** Reads up to `limit` candidates behind a position, and whether each matches. */
  const examine = (query: FilteredQuery, { ranges, terms }: Reading, now: Instant) => {
    const conditions = and([sql.literal("messages.id = candidates.id"), ...conditionsOf(query, terms, now)])
    return (after: MessagePosition | null, limit: number): Effect.Effect<Examination> => {
      if (ranges.length === 0) return Effect.succeed(nothing)
      return Effect.map(
        allAsStored(
          sql<Examined>`SELECT candidates.id, candidates.created_at AS "createdAt",
              coalesce((SELECT 1 FROM messages WHERE ${conditions}), 0) AS matches
            FROM (${selectRanges(query, ranges, after, limit)}) AS candidates`,
        ),
        (rows) => ({ examined: sorted(query, rows), isEnd: rows.length < limit }),
      )
    }
  }

  /** As `examine`, without terms and subjects: reads whole listings of the newest messages, or the oldest. */
  const scan = (query: FilteredQuery, withUnlocked: boolean, now: Instant) => {
    const ranges = scannedRanges(query, withUnlocked)
    const columns = sql.literal(`${MESSAGE_ROW}, listing, direction`)
    return (after: MessagePosition | null, limit: number): Effect.Effect<Examination> =>
      Effect.gen(function* () {
        if (ranges.length === 0) return nothing
        const candidates = yield* allAsStored(
          sql<Candidate>`SELECT id, created_at AS "createdAt"
            FROM (${selectRanges(query, ranges, after, limit)}) AS candidates`,
        )
        const next = sorted(query, candidates)
        const rows = yield* inLists(
          next.map(({ id }) => id),
          (list) =>
            allAsStored(
              sql<ScannedRow>`SELECT ${columns} FROM messages
                WHERE id IN ${sql.in(list)} AND ${and(placedIn(query))}
                AND (quarantined_at IS NULL OR ${sql.literal(isQuarantined("messages"))})`,
            ),
        )
        const matching = new Set(
          rows.flatMap((row) => (matchesFilter(query.filter, scannedOf(row, now)) ? [row.id] : [])),
        )
        return {
          examined: next.map((one) => ({ ...one, matches: matching.has(one.id) ? 1 : 0 })),
          isEnd: candidates.length < limit,
        }
      })
  }

  const isUnindexed = (accountId: AccountId) =>
    Effect.map(
      first(
        found,
        sql`SELECT 1 AS found FROM ${sql.literal(`messages ${indexedBy("messages_unindexed")}`)}
          WHERE account_id = ${accountId} AND indexed = 0 AND gate IS NULL LIMIT 1`,
      ),
      Option.isSome,
    )

  return Effect.fnUntraced(function* (query, withUnlocked = false) {
    const { accountId, filter, limit } = query
    if (query.mailboxIds?.length === 0) return { items: [], hasMore: false, last: null }
    const now = yield* Clock.currentTimeMillis
    const scanned = withUnlocked || (readsTerms(planOf(filter), filter) && (yield* isUnindexed(accountId)))
    const readNext = scanned
      ? scan(query, withUnlocked, now)
      : examine(query, yield* readingOf(query, now), now)
    const most = scanned ? SCANNED_MAX : EXAMINED_MAX
    const matching: Array<Candidate> = []
    let last = query.after
    let isEnd = false
    let count = 0
    // Few sizes, because each is a statement of its own.
    for (let size = 2 ** Math.ceil(Math.log2(limit + 1)); !isEnd && count < most; size *= GROWTH) {
      const wanted = Math.min(size, most - count)
      const read = yield* readNext(last, wanted)
      count += wanted
      isEnd = read.isEnd
      matching.push(...read.examined.filter(({ matches }) => matches === 1))
      last = read.examined.at(-1) ?? last
      if (matching.length > limit) break
    }
    const wanted = matching.slice(0, limit)
    const { items: shown, count: fitting } = yield* items(
      accountId,
      wanted.map(({ id }) => id),
    )
    const isCut = fitting < matching.length
    return {
      items: shown,
      hasMore: isCut || !isEnd,
      last: positionOf((isCut ? wanted[fitting - 1] : last) ?? null),
    }
  })
}

const positionOf = (candidate: Candidate | null): MessagePosition | null =>
  candidate === null ? null : { createdAt: candidate.createdAt, id: candidate.id }

/** A row as filters see it. */
const scannedOf = ({ listing, labels, ...row }: ScannedRow, now: Instant) => ({
  ...decodeSource(listing),
  direction: row.direction,
  threadId: row.threadId,
  labels: decodeLabels(labels),
  readAt: row.readAt,
  createdAt: row.createdAt,
  claim: claimOf(row, now),
})

const decodeLabels = Schema.decodeSync(Schema.parseJson(Schema.Array(Schema.String)))
