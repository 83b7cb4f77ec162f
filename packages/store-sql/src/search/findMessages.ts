/**
 * Finds messages in the index, newest first (docs/decisions/0061). It reads segments of the account's index, from the
 * newest on, until the page is full.
 */
import type { SqlClient, Statement } from "@effect/sql"
import {
  type AccountId,
  Instant,
  MessageId,
  type SearchPlan,
  searchPlan,
  type SearchQuery,
  tokenCount,
} from "@mailroom/domain"
import {
  type MessagePosition,
  type SearchScope,
  type SearchStore,
  withinSearchTime,
  yieldToSockets,
} from "@mailroom/engine"
import { Clock, Effect, Schema } from "effect"
import { isAmong } from "../database/batches.js"
import { Flag } from "../database/columns.js"
import { orStorageFailure } from "../database/failures.js"
import { all, rowsOf } from "../database/Table.js"
import { dialectOf } from "../dialect.js"
import { conditionsOf } from "./conditions.js"
import { isShown } from "./storedTexts.js"
import type { Certainty, WordIndex } from "./WordIndex.js"

/** Milliseconds that a statement should take: SQLite answers nobody else meanwhile. */
const STATEMENT_TIME = 10
/** Segments that one statement reads at most, and how many times as much as the one before it. */
const SEGMENTS_AT_ONCE = 128
const GROWTH = 4
/** Matches that one statement reads at most when those before were hidden. */
const MATCHES_AT_ONCE = 1_000
/** Segments that a search with the reach `newest` reads: 12,000 messages. */
const NEWEST_SEGMENTS = 3
/** Tokens of the statement, over all its segments. */
const TOKENS_AT_ONCE = 1_000

const segments = rowsOf(Schema.Struct({ id: Schema.Int, startsAt: Instant, newestAt: Instant }))
type Segment = Effect.Effect.Success<ReturnType<typeof segments.decode>>[number]

const candidates = rowsOf(
  Schema.Struct({ id: MessageId, createdAt: Instant, isCertain: Flag, isShown: Flag }),
)
const decodeCandidates = candidates.decode

/** The times that a query asks for, as far as its outermost conditions tell. */
const timesOf = (query: SearchQuery): { readonly after: Instant; readonly before: Instant } => {
  switch (query.kind) {
    case "after":
      return { after: query.at, before: Infinity }
    case "before":
      return { after: -Infinity, before: query.at }
    case "and": {
      const parts = query.of.map(timesOf)
      return {
        after: Math.max(...parts.map((part) => part.after)),
        before: Math.min(...parts.map((part) => part.before)),
      }
    }
    default:
      return { after: -Infinity, before: Infinity }
  }
}

/** How many segments the next statement reads, after one over `size` segments that took so many milliseconds. */
const nextSize = (size: number, took: number): number =>
  Math.max(1, Math.min(GROWTH * size, Math.floor((size * STATEMENT_TIME) / Math.max(1, took))))

/** `SearchStore.find` */
export const findIn = (sql: SqlClient.SqlClient, words: WordIndex): SearchStore["Type"]["find"] => {
  const shown = sql.literal(isShown("m"))
  // The rows of a Postgres function do not keep the collation of the table.
  const messageId = sql.literal(`d.message_id ${dialectOf(sql).bytewise}`)

  const segmentsOf = (accountId: AccountId, query: SearchQuery, position: MessagePosition | null) => {
    const { after, before } = timesOf(query)
    return Effect.map(
      all(
        segments,
        sql`SELECT id, starts_at AS "startsAt", newest_at AS "newestAt" FROM search_segments
          WHERE account_id = ${accountId} ORDER BY starts_at DESC`,
      ),
      (found) =>
        found.filter(
          ({ startsAt, newestAt }) =>
            startsAt <= (position?.createdAt ?? Infinity) && startsAt < before && newestAt >= after,
        ),
    )
  }

  /**
   * Up to `limit` candidates of some segments. Without a condition on what may change, the page is cut before the messages
   * are read.
   */
  const statement = (
    { accountId, mailboxIds }: SearchScope,
    plan: SearchPlan,
    among: ReadonlyArray<Segment>,
    position: MessagePosition | null,
    limit: number,
    certainty: Certainty,
  ): Statement.Statement<object> => {
    const ids = among.map(({ id }) => id)
    const condition = conditionsOf(sql, words, ids)
    const all = (queries: ReadonlyArray<SearchQuery>) =>
      // IS TRUE hides the parts of the condition: SQLite would begin with one of them instead of the words or the segments.
      sql`AND (${sql.and(queries.map((query) => condition(query, certainty)))}) IS TRUE`
    const [mailbox = null] = mailboxIds?.length === 1 ? mailboxIds : []
    const none = sql.literal("")
    const isCertain = () => {
      const undecided = [...plan.onContent, ...plan.onState].filter((query) => tokenCount(query) > 0)
      if (certainty === "certain" || words.isCertain === null) return sql`1`
      const parts = [
        ...(plan.words === null ? [] : [words.isCertain(plan.words, ids)]),
        ...undecided.map((query) => condition(query, "certain")),
      ]
      return parts.length === 0
        ? sql`1`
        : sql`CASE WHEN d.incomplete = 0 OR ${sql.and(parts)} THEN 1 ELSE 0 END`
    }
    const order = sql`ORDER BY d.created_at DESC, ${messageId} DESC`
    const older =
      position === null
        ? none
        : sql`AND (d.created_at, ${messageId}) < (${position.createdAt}, ${position.id})`
    const documents = sql`SELECT d.* FROM ${words.matching(plan.words, mailbox, ids, certainty)}
      ${mailboxIds === null ? none : sql`AND d.mailbox_id ${isAmong(sql, mailboxIds)}`}
      ${older} ${plan.onContent.length === 0 ? none : all(plan.onContent)}
      ${plan.onState.length === 0 ? sql`${order} LIMIT ${limit}` : none}`
    // As a condition, the account would let Postgres read all its messages for each document, while it believes them few.
    return sql`SELECT d.message_id AS id, d.created_at AS "createdAt", ${isCertain()} AS "isCertain",
        CASE WHEN m.account_id = ${accountId} AND ${shown} THEN 1 ELSE 0 END AS "isShown"
      FROM (${documents}) AS d CROSS JOIN messages AS m
      WHERE m.id = d.message_id
      ${plan.onState.length === 0 ? none : all(plan.onState)} ${order} LIMIT ${limit}`
  }

  return (scope, query, before, limit, deadline, reach = "all") =>
    Effect.gen(function* () {
      const plan = searchPlan(query)
      const largest = Math.max(
        1,
        Math.min(SEGMENTS_AT_ONCE, Math.floor(TOKENS_AT_ONCE / Math.max(1, tokenCount(query)))),
      )
      const reached = yield* segmentsOf(scope.accountId, query, before)
      const certainty = reach === "all" ? "possible" : "certain"
      let left = reach === "all" ? reached : reached.slice(0, NEWEST_SEGMENTS)
      let position = before
      let size = 1
      /** matches that the next statement reads at least */
      let reading = 0
      const found: Array<MessagePosition & { readonly isCertain: boolean }> = []
      while (left.length > 0) {
        yield* withinSearchTime(deadline)
        const started = yield* Clock.currentTimeMillis
        const among = left.slice(0, size)
        const wanted = Math.max(limit - found.length, reading)
        // Not prepared: there are as many texts as forms of queries.
        const rows = yield* orStorageFailure(
          Effect.flatMap(
            statement(scope, plan, among, position, wanted, certainty).unprepared,
            decodeCandidates,
          ),
        )
        for (const { id, createdAt, isCertain, isShown } of rows) {
          position = { createdAt, id }
          if (isShown) found.push({ id, createdAt, isCertain })
          if (found.length === limit) break
        }
        if (found.length === limit) break
        if (rows.length < wanted) left = left.slice(among.length)
        // Some of these matches were hidden, such as by quarantine. There may be thousands: the next statement reads more.
        else reading = Math.min(GROWTH * wanted, MATCHES_AT_ONCE)
        const took = (yield* Clock.currentTimeMillis) - started
        size = Math.min(nextSize(size, took), largest)
        yield* yieldToSockets
      }
      return { found, next: left.length === 0 ? null : position }
    })
}
