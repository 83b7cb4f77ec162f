/** The event log in SQL. Each account's counter is a column of its row. */
import { SqlClient } from "@effect/sql"
import { type AccountId, eventId, EventRecord } from "@mailroom/domain"
import { type EventDraft, EventStore, StorageFailure } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { all, first, rowsOf, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"

export const events = table("events", EventRecord)

const numbers = rowsOf(Schema.Struct({ seq: Schema.NullOr(Schema.Int) }))

const make = (sql: SqlClient.SqlClient): EventStore["Type"] => {
  const selected = sql.literal(events.selection)
  const insert = insertInto(sql, events)
  const { join } = transactionOf(sql)

  /** Takes `count` numbers and returns the one before them. */
  const advance = (accountId: AccountId, count: number) =>
    Effect.flatMap(
      first(
        numbers,
        sql`UPDATE accounts SET event_seq = event_seq + ${count} WHERE id = ${accountId}
          RETURNING event_seq AS "seq"`,
      ),
      Option.match({
        onSome: ({ seq }) => Effect.succeed((seq ?? 0) - count),
        onNone: () =>
          Effect.die(
            new StorageFailure({
              reason: "unexpected",
              cause: new Error(`an event of the unknown account ${accountId}`),
            }),
          ),
      }),
    )

  const lastSeq = (accountId: AccountId) =>
    Effect.map(
      first(numbers, sql`SELECT event_seq AS "seq" FROM accounts WHERE id = ${accountId}`),
      Option.match({ onNone: () => 0, onSome: ({ seq }) => seq ?? 0 }),
    )

  const append = (drafts: ReadonlyArray<EventDraft>) =>
    Effect.gen(function* () {
      const counts = new Map<AccountId, number>()
      for (const { accountId } of drafts) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
      const last = new Map<AccountId, number>()
      // In one order everywhere, so that two appends never wait for each other.
      for (const [accountId, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
        last.set(accountId, yield* advance(accountId, count))
      const records = drafts.map(({ random, ...draft }): EventRecord => {
        const seq = (last.get(draft.accountId) ?? 0) + 1
        last.set(draft.accountId, seq)
        return { ...draft, seq, id: eventId(draft.createdAt, seq, random) }
      })
      yield* insert(records)
      return records
    })

  return {
    append: (drafts) => (drafts.length === 0 ? Effect.succeed([]) : join(append(drafts))),
    after: (accountId, seq, limit) =>
      all(
        events,
        sql`SELECT ${selected} FROM events WHERE account_id = ${accountId} AND seq > ${seq}
          ORDER BY seq LIMIT ${limit}`,
      ),
    bySeq: (accountId, seq) =>
      first(events, sql`SELECT ${selected} FROM events WHERE account_id = ${accountId} AND seq = ${seq}`),
    lastSeq,
    replayStart: (accountId, since, max) =>
      Effect.flatMap(
        first(
          numbers,
          sql`SELECT min(seq) AS "seq" FROM (
              SELECT seq, created_at FROM events WHERE account_id = ${accountId} ORDER BY seq DESC LIMIT ${max}
            ) AS newest WHERE created_at >= ${since}`,
        ),
        Option.match({
          onSome: ({ seq }) => (seq === null ? lastSeq(accountId) : Effect.succeed(seq - 1)),
          onNone: () => lastSeq(accountId),
        }),
      ),
  }
}

export const EventStoreSql: Layer.Layer<EventStore, never, SqlClient.SqlClient> = Layer.effect(
  EventStore,
  Effect.map(SqlClient.SqlClient, make),
)
