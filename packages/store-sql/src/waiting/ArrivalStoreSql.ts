/** Messages in the order of the event log, in SQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import { type AccountId, Instant, MessageId, MINUTE } from "@mailroom/domain"
import { ArrivalStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { inLists } from "../database/batches.js"
import { all, first, rowsOf } from "../database/Table.js"
import { gateOf } from "../messages/gates.js"
import { fittingCount, MATCHED, matchedIn, matchedRows } from "./matchedMessages.js"

const heads = rowsOf(Schema.Struct({ seq: Schema.Int, kind: Schema.String, head: Schema.String }))
const times = rowsOf(Schema.Struct({ seq: Schema.Int, createdAt: Instant }))
const lastNumbers = rowsOf(Schema.Struct({ seq: Schema.Int }))

/** Events that announce a message that was not visible before. */
const ANNOUNCING: ReadonlySet<string> = new Set(["message.received", "message.sent"])

/** Characters of an envelope that contain the id of its message: only kind, time and `over_limit` come before it. */
const HEAD_LENGTH = 200

/** Milliseconds by which the clocks of processes may differ, and so an event be created before an earlier one. */
const TIME_DISORDER = 1 * MINUTE

const isId = Schema.is(MessageId)

/** The id of the message in the first characters of an envelope; null when they contain none. */
const messageIdIn = (head: string): MessageId | null => {
  const id = /"message_id":"([^"]*)"/.exec(head)?.[1]
  return isId(id) ? id : null
}

const make = (sql: SqlClient.SqlClient): ArrivalStore["Type"] => ({
  page: (accountId, after, limit) =>
    Effect.gen(function* () {
      const found = yield* all(
        heads,
        sql`SELECT seq, kind, substr(envelope, 1, ${sql.literal(String(HEAD_LENGTH))}) AS head FROM events
          WHERE account_id = ${accountId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`,
      )
      const announced = found.flatMap(({ seq, kind, head }) => {
        const id = ANNOUNCING.has(kind) ? messageIdIn(head) : null
        return id === null ? [] : [{ seq, id }]
      })
      const rows = yield* inLists(
        announced.map(({ id }) => id),
        (list) =>
          all(
            matchedRows,
            // The account is compared as an expression: by the column, SQLite would read the whole account.
            sql`SELECT ${sql.literal(MATCHED)} FROM messages
              WHERE id IN ${sql.in(list)} AND coalesce(account_id, '') = ${accountId} AND status <> 'SENDING'
              AND quarantined_at IS NULL AND ${sql.literal(gateOf("messages"))} IS NULL`,
          ),
      )
      const byId = new Map(rows.map((row) => [row.id, row]))
      const arrived = announced.flatMap(({ seq, id }) => {
        const row = byId.get(id)
        return row === undefined ? [] : [{ seq, row }]
      })
      const shown = arrived.slice(0, fittingCount(arrived.map(({ row }) => row)))
      const isCut = shown.length < arrived.length
      const messages = new Map(
        (yield* matchedIn(sql)(shown.map(({ row }) => row))).map((message) => [message.id, message]),
      )
      return {
        arrivals: shown.flatMap(({ seq, row }) => {
          const message = messages.get(row.id)
          return message === undefined ? [] : [{ seq, message }]
        }),
        through: (isCut ? shown : found).at(-1)?.seq ?? after,
        hasMore: isCut || found.length === limit,
      }
    }),
  before: (accountId, since) =>
    Effect.gen(function* () {
      const newest = yield* first(
        lastNumbers,
        sql`SELECT event_seq AS "seq" FROM accounts WHERE id = ${accountId}`,
      )
      const last = Option.match(newest, { onNone: () => 0, onSome: ({ seq }) => seq })
      // Back from the newest event in steps that double: most often `since` was seconds ago.
      for (let step = 1; step <= last; step *= 2) {
        const event = yield* eventAt(sql, accountId, last - step + 1)
        if (Option.isNone(event)) return 0
        if (event.value.createdAt < since - TIME_DISORDER) return event.value.seq
      }
      return 0
    }),
})

/** The event with this number or, when it was removed from the log, the one before it. */
const eventAt = (sql: SqlClient.SqlClient, accountId: AccountId, seq: number) =>
  first(
    times,
    sql`SELECT seq, created_at AS "createdAt" FROM events WHERE account_id = ${accountId} AND seq <= ${seq}
      ORDER BY seq DESC LIMIT 1`,
  )

export const ArrivalStoreSql: Layer.Layer<ArrivalStore, never, SqlClient.SqlClient> = Layer.effect(
  ArrivalStore,
  Effect.map(SqlClient.SqlClient, make),
)
