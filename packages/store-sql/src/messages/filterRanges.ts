/** The ranges of indexes that a filtered list reads (docs/decisions/0060). */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { type Instant, MailboxId, planOf } from "@mailroom/domain"
import type { FilteredQuery } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { claimRanges } from "../claims/claimLists.js"
import { all, rowsOf } from "../database/Table.js"
import { dialectOf } from "../dialect.js"
import { movesOf } from "../threads/moves.js"
import { UNLOCKED } from "./gates.js"
import { termKey } from "./terms.js"

/** Mailboxes whose ranges one statement merges: those of the largest plan, and of a scoped key. */
const RANGES_MAX = 200

const mailboxes = rowsOf(Schema.Struct({ id: MailboxId }))

/** The range of one index: its table and index, and its conditions. */
export interface Range {
  readonly from: string
  readonly id: "id" | "message_id"
  readonly where: ReadonlyArray<Statement.Fragment>
}

/** What a page reads: ranges, and the terms that each message in them must have besides. */
export interface Reading {
  readonly ranges: ReadonlyArray<Range>
  readonly terms: ReadonlyArray<string>
}

/** Adds ranges to what a page reads. */
const withThese =
  (more: ReadonlyArray<Range>) =>
  (reading: Reading): Reading => ({ ...reading, ranges: [...reading.ranges, ...more] })

const both = ["INBOUND", "OUTBOUND"] as const

/** Nobody can claim a quarantined message, so a filter by claim leaves them out. */
export const includesQuarantined = ({ withQuarantined: wanted = false, filter }: FilteredQuery): boolean =>
  wanted && filter.claim === null

/** The ranges of a list, in which a page reads. */
export const filterRangesOf = (sql: SqlClient.SqlClient) => {
  const { indexedBy } = dialectOf(sql)
  const { movingTo } = movesOf(sql)
  const using = (index: string): string => `messages ${indexedBy(index)}`
  const visible = sql.literal("visible = 1")
  const unlocked = sql.literal(UNLOCKED)

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

  /**
   * All messages of the list, for a page that reads the listing of each. `withUnlocked`: those too whose gate is gone and that are
   * not indexed yet.
   */
  const scannedRanges = (query: FilteredQuery, withUnlocked: boolean): ReadonlyArray<Range> => {
    const shown = withUnlocked ? [visible, unlocked] : [visible]
    return [
      ...(query.onlyQuarantined === true ? [] : shown.flatMap((which) => everything(query, both, which))),
      ...quarantined(query),
    ]
  }

  return { readingOf, scannedRanges }
}
