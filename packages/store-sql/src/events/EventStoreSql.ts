/** The event log in SQL. The sequence number of an account's last event is a column of its row, `event_seq`. */
import * as SqlClient from "@effect/sql/SqlClient"
import {
  AccountId,
  AnyEventKind,
  type EventFilter,
  eventId,
  EventRecord,
  type Instant,
  MailboxId,
  passes,
  SECOND,
} from "@mailroom/domain"
import {
  type UnnumberedEvent,
  type EventPage,
  type EventQuery,
  EventStore,
  StorageFailure,
} from "@mailroom/engine"
import { Clock, Effect, Layer, Option, Schema, Struct } from "effect"
import { firstThatFit } from "../database/firstThatFit.js"
import { inLists, insertReturning, isAmong, updateRows } from "../database/batches.js"
import { all, first, rowsOf, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"

export const events = table("events", EventRecord)

const COUNTER = [
  { column: "event_seq", type: "bigint", change: "add" },
  { column: "event_at", type: "bigint", change: "raise" },
] as const

/** Milliseconds by which the clocks of processes may differ (docs/operations.md). */
const CLOCKS_DIFFER_MAX = 1 * SECOND

interface AdvancedRow {
  readonly id: AccountId
  readonly seq: number
  readonly at: Instant
}

/** What is read with each event that is inserted: whether its account has an ACTIVE webhook. */
const ACTIVE_WEBHOOK = `CASE WHEN EXISTS (SELECT 1 FROM webhooks AS w
  WHERE w.account_id = events.account_id AND w.status = 'ACTIVE') THEN 1 ELSE 0 END AS "hasWebhooks"`

interface InsertedRow {
  readonly accountId: AccountId
  readonly hasWebhooks: 0 | 1
}

const numbers = rowsOf(Schema.Struct({ seq: Schema.Int }))
const seqOr0 = Option.match({ onNone: () => 0, onSome: ({ seq }: { readonly seq: number }) => seq })

const lastNumbers = rowsOf(Schema.Struct({ accountId: AccountId, seq: Schema.Int }))

/** An event without its envelope, which may be megabytes long. */
const Head = Schema.Struct({
  seq: Schema.Int,
  id: Schema.String,
  mailboxId: MailboxId,
  kind: AnyEventKind,
  bytes: Schema.Int,
})
const heads = rowsOf(Head)

/** Events that a page with a filter reads at most, whether they pass or not. */
const FILTERED_MAX = 1000
/** Bytes of envelopes that a page has at most; its first event may be larger. */
const PAGE_MAX_BYTES = 8 * 1024 * 1024

const isOpen = ({ mailboxes, kinds }: EventFilter): boolean => mailboxes === null && kinds === null

const make = (sql: SqlClient.SqlClient): EventStore["Type"] => {
  const selected = sql.literal(events.selection)
  const skipLocked = sql.literal(dialectOf(sql).skipLocked)
  const insert = insertReturning<EventRecord, InsertedRow>(
    sql,
    events,
    `account_id AS "accountId", ${ACTIVE_WEBHOOK}`,
  )
  const { join } = transactionOf(sql)

  const advanceAll = updateRows(sql, "accounts", COUNTER, 'id, event_seq AS "seq", event_at AS "at"')

  /**
   * Reserves sequence numbers for events. Returns for each account the number before its first event, and the time of its newest
   * event, these included.
   */
  const advance = (added: ReadonlyArray<UnnumberedEvent>, now: Instant) =>
    Effect.gen(function* () {
      const counts = new Map<AccountId, readonly [count: number, at: Instant]>()
      for (const { accountId, happenedAt } of added) {
        const [count, at] = counts.get(accountId) ?? [0, now]
        counts.set(accountId, [count + 1, Math.max(at, happenedAt)])
      }
      const advanced = yield* advanceAll<AdvancedRow>([...counts].map(([id, [count, at]]) => [id, count, at]))
      if (advanced.length < counts.size)
        return yield* Effect.die(
          new StorageFailure({ reason: "unexpected", cause: new Error("an event of an unknown account") }),
        )
      return new Map(advanced.map(({ id, seq, at }) => [id, { seq: seq - (counts.get(id)?.[0] ?? 0), at }]))
    })

  const lastSeq = (accountId: AccountId) =>
    Effect.map(first(numbers, sql`SELECT event_seq AS "seq" FROM accounts WHERE id = ${accountId}`), seqOr0)

  const append = (unnumbered: ReadonlyArray<UnnumberedEvent>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const advanced = yield* advance(unnumbered, now)
      const records = unnumbered.map(({ random, happenedAt, ...event }): EventRecord => {
        const last = advanced.get(event.accountId) ?? { seq: 0, at: now }
        last.seq += 1
        // By the clock of another process the newest event may have a later time. One that is much later is of a clock that was wrong.
        const at = last.at - now <= CLOCKS_DIFFER_MAX ? last.at : now
        return {
          ...event,
          createdAt: Math.max(happenedAt, at),
          seq: last.seq,
          id: eventId(happenedAt, last.seq, random),
        }
      })
      const inserted = yield* insert(records)
      const receiving = new Set(
        inserted.filter(({ hasWebhooks }) => hasWebhooks === 1).map(({ accountId }) => accountId),
      )
      return records.map((record) => ({ ...record, hasWebhooks: receiving.has(record.accountId) }))
    })

  const page = (
    accountId: AccountId,
    { after, filter, limit, maxBytes = PAGE_MAX_BYTES }: EventQuery,
  ): Effect.Effect<EventPage> =>
    Effect.gen(function* () {
      const size = isOpen(filter) ? limit + 1 : FILTERED_MAX
      const examined = yield* all(
        heads,
        sql`SELECT seq, id, mailbox_id AS "mailboxId", kind, octet_length(envelope) AS bytes FROM events
          WHERE account_id = ${accountId} AND seq > ${after} ORDER BY seq LIMIT ${size}`,
      )
      const passing = examined.filter((head) => passes(filter, head))
      const shown = firstThatFit(passing, limit, Math.min(maxBytes, PAGE_MAX_BYTES))
      const isCut = shown.length < passing.length
      const found = yield* inLists(
        shown.map(({ seq }) => seq),
        (list) =>
          all(
            events,
            sql`SELECT ${selected} FROM events WHERE account_id = ${accountId} AND seq IN ${sql.in(list)}`,
          ),
      )
      const last = isCut ? shown.at(-1) : examined.at(-1)
      return {
        events: [...found].sort((a, b) => a.seq - b.seq),
        through: last === undefined ? null : Struct.pick(last, "seq", "id"),
        hasMore: isCut || examined.length === size,
      }
    })

  return {
    append: (unnumbered) => (unnumbered.length === 0 ? Effect.succeed([]) : join(append(unnumbered))),
    page,
    bySeq: (accountId, seq) =>
      first(events, sql`SELECT ${selected} FROM events WHERE account_id = ${accountId} AND seq = ${seq}`),
    lastSeq,
    lastSeqs: (accountIds) =>
      accountIds.length === 0
        ? Effect.succeed([])
        : all(
            lastNumbers,
            sql`SELECT id AS "accountId", event_seq AS "seq" FROM accounts
              WHERE id ${isAmong(sql, accountIds)}`,
          ),
    // In one statement: an event that is written between two would be behind the position.
    replayStart: (accountId, since, max) =>
      Effect.map(
        first(
          numbers,
          sql`SELECT coalesce((SELECT min(seq) - 1 FROM (
                SELECT seq, created_at FROM events WHERE account_id = ${accountId} ORDER BY seq DESC LIMIT ${max}
              ) AS newest WHERE created_at >= ${since}), event_seq) AS "seq"
            FROM accounts WHERE id = ${accountId}`,
        ),
        seqOr0,
      ),
    prune: (before, limit) =>
      Effect.map(
        all(
          numbers,
          sql`DELETE FROM events WHERE (account_id, seq) IN (
              SELECT account_id, seq FROM events WHERE created_at < ${before}
              ORDER BY created_at LIMIT ${limit} ${skipLocked})
            RETURNING seq`,
        ),
        (removed) => removed.length,
      ),
  }
}

export const EventStoreSql: Layer.Layer<EventStore, never, SqlClient.SqlClient> = Layer.effect(
  EventStore,
  Effect.map(SqlClient.SqlClient, make),
)
