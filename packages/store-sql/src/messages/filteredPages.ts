/**
 * Filtered lists of messages (docs/decisions/0060). A page reads one index in the order of the list, its driver, and checks
 * the other conditions of each message that it finds there by primary key. It examines a bounded number of messages, so
 * its cost does not grow with the list, nor with the depth of the page.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import {
  foldSubject,
  type Instant,
  MailboxId,
  matchesFilter,
  type MessageId,
  planOf,
  type AccountId,
  readsTerms,
  newestFirst,
  oldestFirst,
} from "@mailroom/domain"
import type { FilteredQuery, MessagePosition, MessageStore } from "@mailroom/engine"
import { Clock, Effect, Option, Schema } from "effect"
import { claimCondition, claimRanges } from "../claims/claimLists.js"
import { claimOf } from "../claims/claimColumns.js"
import { inLists, unionAll } from "../database/batches.js"
import { all, allAsStored, first, rowsOf } from "../database/Table.js"
import { dialectOf } from "../dialect.js"
import { movesOf } from "../threads/moves.js"
import { UNLOCKED } from "./gates.js"
import { itemsByIdOf, LISTED, type ListedRow } from "./messagePages.js"
import { isQuarantined } from "./quarantine.js"
import { decodeSource, hashOf, KEY_IN_MAILBOX, termKey } from "./terms.js"

/** Messages that one request examines. */
const EXAMINED_MAX = 500
/** Messages that one request examines when it must read their listings. */
const SCANNED_MAX = 200
/** Mailboxes whose ranges one statement merges: those of the largest plan, and of a scoped key. */
const RANGES_MAX = 200
/** Growth of the number of messages that one statement examines, from statement to statement. */
const GROWTH = 4

interface Candidate {
  readonly id: MessageId
  readonly createdAt: Instant
}

interface Examined extends Candidate {
  readonly matches: 0 | 1
}

interface ScannedRow extends ListedRow {
  readonly direction: "INBOUND" | "OUTBOUND"
}

const nothing: Examination = { examined: [], isEnd: true }

const mailboxes = rowsOf(Schema.Struct({ id: MailboxId }))
const found = rowsOf(Schema.Struct({ found: Schema.Int }))
const and = Statement.join(" AND ", false)

/** The range of one index: its table and index, and its conditions. */
export interface Range {
  readonly from: string
  readonly id: "id" | "message_id"
  readonly where: ReadonlyArray<Statement.Fragment>
}

/** What a page reads: ranges, and the terms that each message in them must have besides. */
interface Reading {
  readonly ranges: ReadonlyArray<Range>
  readonly terms: ReadonlyArray<string>
}

/** Adds ranges to what a page reads. */
const withThese =
  (more: ReadonlyArray<Range>) =>
  (reading: Reading): Reading => ({ ...reading, ranges: [...reading.ranges, ...more] })

/** Escapes the wildcards of LIKE, for ESCAPE '\'. */
const likePart = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`

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
  const { movingTo } = movesOf(sql)
  const items = itemsByIdOf(sql)
  const using = (index: string): string => `messages ${indexedBy(index)}`
  const visible = sql.literal("visible = 1")
  const unlocked = sql.literal(UNLOCKED)
  const withQuarantined = sql.literal(`(visible = 1 OR ${isQuarantined("messages")})`)

  /** The mailboxes of a list; at most one more than a page reads ranges. */
  const mailboxesOf = ({ accountId, mailboxIds }: FilteredQuery): Effect.Effect<ReadonlyArray<MailboxId>> =>
    mailboxIds !== null
      ? Effect.succeed(mailboxIds)
      : Effect.map(
          all(
            mailboxes,
            sql`SELECT id FROM mailboxes WHERE account_id = ${accountId}
              ORDER BY created_at, id LIMIT ${RANGES_MAX + 1}`,
          ),
          (rows) => rows.map(({ id }) => id),
        )

  /** All messages of the list, or those of one direction. */
  const everything = (
    { accountId, mailboxIds }: FilteredQuery,
    directions: ReadonlyArray<"INBOUND" | "OUTBOUND">,
    which: Statement.Fragment,
  ): ReadonlyArray<Range> =>
    mailboxIds === null
      ? directions.map((direction) => ({
          from: using("messages_account"),
          id: "id",
          where: [sql`account_id = ${accountId}`, which, sql`direction = ${direction}`],
        }))
      : mailboxIds.map((mailboxId) =>
          directions.length === 1
            ? {
                from: using("messages_direction"),
                id: "id",
                where: [sql`mailbox_id = ${mailboxId}`, which, sql`direction = ${directions[0]}`],
              }
            : {
                from: using("messages_newest"),
                id: "id",
                where: [sql`mailbox_id = ${mailboxId}`, which],
              },
        )

  const both = ["INBOUND", "OUTBOUND"] as const

  /** Nobody can claim a quarantined message, so a filter by claim leaves them out. */
  const includesQuarantined = ({ withQuarantined: wanted = false, filter }: FilteredQuery): boolean =>
    wanted && filter.claim === null

  /** The quarantined messages of the list. */
  const quarantined = (query: FilteredQuery): ReadonlyArray<Range> => {
    if (!includesQuarantined(query)) return []
    const isSet = sql.literal("quarantined_at IS NOT NULL")
    const { accountId, mailboxIds } = query
    return mailboxIds === null
      ? [
          {
            from: using("messages_quarantined_account"),
            id: "id",
            where: [sql`account_id = ${accountId}`, isSet],
          },
        ]
      : mailboxIds.map((mailboxId) => ({
          from: using("messages_quarantined"),
          id: "id",
          where: [sql`mailbox_id = ${mailboxId}`, isSet],
        }))
  }

  /** The ranges of a driver that has one in each mailbox. An account with too many mailboxes reads all its messages. */
  const rangesIn = (query: FilteredQuery, terms: ReadonlyArray<string>, range: (id: MailboxId) => Range) =>
    Effect.map(mailboxesOf(query), (ids): Reading =>
      ids.length > RANGES_MAX
        ? { ranges: [...everything(query, both, visible), ...quarantined(query)], terms }
        : { ranges: ids.map(range), terms: planOf(query.filter).terms },
    )

  /** The ranges that together have every message of the driver, each in the order of the list. */
  const readingOf = (query: FilteredQuery, now: Instant): Effect.Effect<Reading> => {
    const { driver, terms } = planOf(query.filter)
    // There are few of them, so no driver finds less. A thread is no condition of its own, and stays the driver.
    if (query.onlyQuarantined === true && driver.kind !== "thread")
      return Effect.succeed({
        ranges: quarantined(query),
        terms: driver.kind === "term" ? [driver.term, ...terms] : terms,
      })
    switch (driver.kind) {
      case "thread":
        return Effect.map(movingTo(driver.threadId), (moving) => ({
          ranges: [driver.threadId, ...moving].flatMap((id) =>
            (includesQuarantined(query) ? [visible, sql.literal("visible = 0")] : [visible]).map(
              (which): Range => ({
                from: using("messages_thread"),
                id: "id",
                where: [sql`thread_id = ${id}`, which],
              }),
            ),
          ),
          terms,
        }))
      case "term":
        return rangesIn(query, [driver.term, ...terms], (id) => ({
          from: "message_terms",
          id: "message_id",
          where: [sql`term = ${termKey(id, driver.term)}`],
        }))
      case "unread":
        return Effect.map(
          rangesIn(query, terms, (id) => ({
            from: using("messages_unread"),
            id: "id",
            where: [sql`mailbox_id = ${id}`, visible, sql.literal("read_at IS NULL")],
          })),
          withThese(quarantined(query)),
        )
      case "claim":
        return Effect.succeed({
          ranges:
            query.mailboxIds === null
              ? everything(query, both, visible)
              : query.mailboxIds.flatMap((id) => claimRanges(sql, id, driver.claim, now)),
          terms,
        })
      case "direction":
        return Effect.succeed({
          ranges: [...everything(query, [driver.direction], visible), ...quarantined(query)],
          terms,
        })
      case "all":
        return Effect.succeed({
          ranges: [...everything(query, both, visible), ...quarantined(query)],
          terms,
        })
    }
  }

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
    const direction = sql.literal(query.order === "desc" ? "DESC" : "ASC")
    return sql`SELECT * FROM (${unionAll(parts.map((part) => sql`SELECT * FROM (${part}) AS range`))}) AS ranges
      ORDER BY created_at ${direction}, id ${direction} LIMIT ${sql.literal(String(limit))}`
  }

  /** An expression, for statements that read messages by id: by the column, SQLite would read the whole account. */
  const ofAccount = (accountId: AccountId) => sql`coalesce(messages.account_id, '') = ${accountId}`

  /** Messages of the list's account that are in its mailboxes. Messages of a removed mailbox stay until a job removes them. */
  const placedIn = ({ accountId, mailboxIds }: FilteredQuery): ReadonlyArray<Statement.Fragment> => [
    ofAccount(accountId),
    mailboxIds === null
      ? sql.literal("EXISTS (SELECT 1 FROM mailboxes WHERE mailboxes.id = messages.mailbox_id)")
      : sql`coalesce(messages.mailbox_id, '') IN ${sql.in(mailboxIds)}`,
  ]

  /** The conditions of a message, on `messages` and the candidate. */
  const conditionsOf = (
    query: FilteredQuery,
    terms: ReadonlyArray<string>,
    now: Instant,
  ): ReadonlyArray<Statement.Fragment> => {
    const { filter } = query
    const { absent } = planOf(filter)
    const hasTerm = (term: string) =>
      sql`EXISTS (SELECT 1 FROM message_terms AS other
        WHERE other.term = ${sql.literal(KEY_IN_MAILBOX)} ${hashOf(term)}
        AND other.created_at = messages.created_at AND other.message_id = messages.id)`
    return [
      ...(query.onlyQuarantined === true ? [sql.literal("messages.quarantined_at IS NOT NULL")] : []),
      includesQuarantined(query) ? withQuarantined : visible,
      ...placedIn(query),
      ...(filter.direction === null ? [] : [sql`messages.direction = ${filter.direction}`]),
      ...(filter.unread === null
        ? []
        : [sql.literal(`messages.read_at IS ${filter.unread ? "NULL" : "NOT NULL"}`)]),
      ...(filter.claim === null ? [] : [claimCondition(sql, filter.claim, now)]),
      ...terms.map(hasTerm),
      ...absent.map((term) => sql`NOT ${hasTerm(term)}`),
      ...(filter.subject === null
        ? []
        : [
            sql`EXISTS (SELECT 1 FROM message_subjects AS title WHERE title.message_id = messages.id
              AND ${foldedTitle(filter.subject)} LIKE ${likePart(foldSubject(filter.subject))} ESCAPE '\\')`,
          ]),
    ]
  }

  /** The stored fold of a subject. Earlier versions stored the final form of sigma at the end of words. */
  const foldedTitle = (wanted: string) =>
    sql.literal(foldSubject(wanted).includes("σ") ? "replace(title.subject, 'ς', 'σ')" : "title.subject")

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
    const shown = withUnlocked ? [visible, unlocked] : [visible]
    const ranges = [
      ...(query.onlyQuarantined === true ? [] : shown.flatMap((which) => everything(query, both, which))),
      ...quarantined(query),
    ]
    const columns = sql.literal(`${LISTED}, direction`)
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
        sql`SELECT 1 AS found FROM ${sql.literal(using("messages_unindexed"))}
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
    const shown = matching.slice(0, limit)
    const hasMore = matching.length > limit || !isEnd
    return {
      items: yield* items(
        accountId,
        shown.map(({ id }) => id),
        now,
      ),
      hasMore,
      last: positionOf((matching.length > limit ? shown.at(-1) : last) ?? null),
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
