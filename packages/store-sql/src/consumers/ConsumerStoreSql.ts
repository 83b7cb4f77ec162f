/** Consumers of events in SQL. The events themselves stay in the log; a row here says that one is not completed. */
import * as SqlClient from "@effect/sql/SqlClient"
import { Instant, ParkedEvent, TakenEvent } from "@mailroom/domain"
import { type ConsumerKey, ConsumerStore, type EventLease } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { insertValues } from "../database/batches.js"
import { abandonClaim, LeaseHolder } from "../database/leases.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"

const positions = rowsOf(Schema.Struct({ seq: Schema.Int }))
const times = rowsOf(Schema.Struct({ dueAt: Schema.NullOr(Instant) }))
const taken = rowsOf(TakenEvent)
const parkedEvents = rowsOf(ParkedEvent)

const make = (sql: SqlClient.SqlClient, holder: string): ConsumerStore["Type"] => {
  const { joinUnsynced } = transactionOf(sql)
  const forUpdate = sql.literal(dialectOf(sql).forUpdate)
  const insertTaken = insertValues(sql, "consumer_events", [
    "account_id",
    "consumer",
    "seq",
    "attempts",
    "due_at",
    "locked_until",
    "locked_by",
  ])
  const ofConsumer = ({ accountId, name }: ConsumerKey) =>
    sql`account_id = ${accountId} AND consumer = ${name}`
  const held = (lease: EventLease) =>
    sql`${ofConsumer(lease)} AND seq = ${lease.seq}
      AND attempts = ${lease.attempt} AND locked_by = ${holder}`

  return {
    add: ({ accountId, name }, readSeq, now) =>
      joinUnsynced(
        run(
          sql`INSERT INTO consumers (account_id, name, read_seq, created_at)
            VALUES (${accountId}, ${name}, ${readSeq}, ${now}) ON CONFLICT (account_id, name) DO NOTHING`,
        ),
      ),
    lock: ({ accountId, name }) =>
      Effect.map(
        first(
          positions,
          sql`SELECT read_seq AS seq FROM consumers
            WHERE account_id = ${accountId} AND name = ${name} ${forUpdate}`,
        ),
        Option.map(({ seq }) => seq),
      ),
    setRead: ({ accountId, name }, readSeq) =>
      run(sql`UPDATE consumers SET read_seq = ${readSeq} WHERE account_id = ${accountId} AND name = ${name}`),
    take: ({ accountId, name }, seqs, leaseUntil) =>
      insertTaken(seqs.map((seq) => [accountId, name, seq, 1, 0, leaseUntil, holder])),
    takeDue: (key, limit, now, leaseUntil) =>
      all(
        taken,
        sql`UPDATE consumer_events
          SET attempts = attempts + 1, locked_until = ${leaseUntil}, locked_by = ${holder}
          WHERE ${ofConsumer(key)} AND seq IN (
            SELECT seq FROM consumer_events
            WHERE ${ofConsumer(key)} AND due_at <= ${now} AND locked_until <= ${now}
            ORDER BY due_at, seq LIMIT ${limit})
          RETURNING seq, attempts`,
      ),
    nextDue: (key) =>
      Effect.map(
        first(
          times,
          sql`SELECT min(due_at) AS "dueAt" FROM consumer_events
            WHERE ${ofConsumer(key)} AND due_at IS NOT NULL AND locked_until = 0`,
        ),
        Option.flatMap(({ dueAt }) => Option.fromNullable(dueAt)),
      ),
    renew: (lease, leaseUntil) =>
      joinUnsynced(
        Effect.map(
          all(
            positions,
            sql`UPDATE consumer_events SET locked_until = ${leaseUntil} WHERE ${held(lease)} RETURNING seq`,
          ),
          (renewed) => renewed.length > 0,
        ),
      ),
    complete: (key, seq) =>
      joinUnsynced(run(sql`DELETE FROM consumer_events WHERE ${ofConsumer(key)} AND seq = ${seq}`)),
    releaseLease: (lease, dueAt) =>
      joinUnsynced(
        run(sql`UPDATE consumer_events SET locked_until = 0, due_at = ${dueAt}, attempts = attempts - 1
          WHERE ${held(lease)}`),
      ),
    fail: (lease, error, dueAt, now) =>
      joinUnsynced(
        run(
          sql`UPDATE consumer_events SET locked_until = 0, error = ${error}, due_at = ${dueAt},
              parked_at = ${dueAt === null ? now : null}
            WHERE ${held(lease)}`,
        ),
      ),
    parked: (key, limit) =>
      all(
        parkedEvents,
        sql`SELECT seq, attempts, error, parked_at AS "parkedAt" FROM consumer_events
          WHERE ${ofConsumer(key)} AND due_at IS NULL ORDER BY seq LIMIT ${limit}`,
      ),
    retryParked: (key, now, limit) =>
      joinUnsynced(
        Effect.map(
          all(
            positions,
            sql`UPDATE consumer_events SET due_at = ${now}, parked_at = NULL, attempts = 0
              WHERE ${ofConsumer(key)} AND seq IN (
                SELECT seq FROM consumer_events WHERE ${ofConsumer(key)} AND due_at IS NULL
                ORDER BY seq LIMIT ${limit})
              RETURNING seq`,
          ),
          (retried) => retried.length,
        ),
      ),
    abandonClaim: abandonClaim(sql, "consumer_events", holder, "counted"),
  }
}

export const ConsumerStoreSql: Layer.Layer<ConsumerStore, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(ConsumerStore, Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make))
