/** Idempotency keys and the stored answers of their requests, in SQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { AccountId, Instant, MailboxId, MessageId } from "@mailroom/domain"
import { IdempotencyStore, type KeyLease } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { forLists } from "../database/batches.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { LeaseHolder } from "../database/leases.js"

const keys = table(
  "idempotency_keys",
  Schema.Struct({
    accountId: AccountId,
    id: Schema.String,
    fingerprint: Schema.String,
    state: Schema.Literal("started", "committed", "answered"),
    mailboxId: Schema.NullOr(MailboxId),
    messageId: Schema.NullOr(MessageId),
    answer: Schema.NullOr(Schema.String),
    largeAnswerBytes: Schema.NullOr(Schema.Int),
    lockedUntil: Instant,
    expiresAt: Instant,
  }),
)
const largeAnswers = rowsOf(Schema.Struct({ largeAnswer: Schema.String }))
const sums = rowsOf(Schema.Struct({ bytes: Schema.Int }))
const ids = rowsOf(Schema.Struct({ id: Schema.String }))
const slots = rowsOf(Schema.Struct({ accountId: AccountId, id: Schema.String }))

const make = (sql: SqlClient.SqlClient, holder: string): IdempotencyStore["Type"] => {
  const { joinUnsynced } = transactionOf(sql)
  const skipLocked = sql.literal(dialectOf(sql).skipLocked)

  const held = ({ accountId, id, leaseUntil }: KeyLease) =>
    sql`account_id = ${accountId} AND id = ${id} AND locked_until = ${leaseUntil}`

  /** Updates the row of a lease. Returns false when the lease is lost. */
  const change = (of: KeyLease, assignments: Statement.Fragment) =>
    Effect.map(
      all(ids, sql`UPDATE idempotency_keys SET ${assignments} WHERE ${held(of)} RETURNING id`),
      (changed) => changed.length > 0,
    )

  const undone = sql`state = 'started', mailbox_id = NULL, message_id = NULL`

  return {
    claim: ({ accountId, id, leaseUntil }, { fingerprint, expiresAt, now }) =>
      Effect.map(
        joinUnsynced(
          all(
            ids,
            sql`INSERT INTO idempotency_keys
                (account_id, id, fingerprint, state, mailbox_id, message_id, answer, locked_until, locked_by, expires_at)
              VALUES (${accountId}, ${id}, ${fingerprint}, 'started', NULL, NULL, NULL, ${leaseUntil}, ${holder},
                ${expiresAt})
              ON CONFLICT (account_id, id) DO UPDATE SET fingerprint = excluded.fingerprint, state = 'started',
                mailbox_id = NULL, message_id = NULL, answer = NULL, large_answer = NULL, large_answer_bytes = NULL,
                locked_until = excluded.locked_until, locked_by = excluded.locked_by, expires_at = excluded.expires_at
              WHERE idempotency_keys.expires_at <= ${now} OR (
                idempotency_keys.state = 'started' AND idempotency_keys.locked_until <= ${now}
                AND idempotency_keys.fingerprint = excluded.fingerprint)
              RETURNING id`,
          ),
        ),
        (claimed) => claimed.length > 0,
      ),
    find: ({ accountId, id }) =>
      Effect.map(
        first(
          keys,
          sql`SELECT ${sql.literal(keys.selection)} FROM idempotency_keys
            WHERE account_id = ${accountId} AND id = ${id}`,
        ),
        Option.map(({ largeAnswerBytes, ...key }) => ({ ...key, hasLargeAnswer: largeAnswerBytes !== null })),
      ),
    mark: (of, progress) => {
      switch (progress.kind) {
        case "done":
          return change(of, sql`state = 'committed'`)
        case "sending":
          return change(
            of,
            sql`state = 'committed', mailbox_id = ${progress.mailboxId}, message_id = ${progress.messageId}`,
          )
        case "undone":
          return change(of, undone)
        case "withdrawn":
          return Effect.as(
            run(
              sql`UPDATE idempotency_keys SET ${undone}
                WHERE account_id = ${of.accountId} AND id = ${of.id} AND message_id = ${progress.messageId}
                  AND state = 'committed'`,
            ),
            true,
          )
      }
    },
    answer: (of, sealed, isLarge) =>
      run(
        sql`UPDATE idempotency_keys SET state = 'answered', locked_until = 0, ${
          isLarge
            ? sql`large_answer = ${sealed}, large_answer_bytes = ${Buffer.byteLength(sealed)}`
            : sql`answer = ${sealed}`
        } WHERE ${held(of)} AND state <> 'answered'`,
      ),
    largeAnswer: ({ accountId, id }) =>
      Effect.map(
        first(
          largeAnswers,
          sql`SELECT large_answer AS "largeAnswer" FROM idempotency_keys
            WHERE account_id = ${accountId} AND id = ${id} AND large_answer IS NOT NULL`,
        ),
        Option.map(({ largeAnswer }) => largeAnswer),
      ),
    largeAnswerBytes: (accountId, now) =>
      Effect.map(
        all(
          sums,
          sql`SELECT CAST(coalesce(sum(large_answer_bytes), 0) AS BIGINT) AS bytes FROM idempotency_keys
            WHERE account_id = ${accountId} AND expires_at > ${now} AND large_answer_bytes IS NOT NULL`,
        ),
        (rows) => rows[0]?.bytes ?? 0,
      ),
    release: (of) =>
      joinUnsynced(
        Effect.zipRight(
          run(sql`DELETE FROM idempotency_keys WHERE ${held(of)} AND state = 'started'`),
          run(sql`UPDATE idempotency_keys SET locked_until = 0 WHERE ${held(of)}`),
        ),
      ),
    removeExpired: (now, limit) =>
      joinUnsynced(
        Effect.gen(function* () {
          const expired = yield* all(
            slots,
            sql`SELECT account_id AS "accountId", id FROM idempotency_keys WHERE expires_at <= ${now}
              LIMIT ${limit} ${skipLocked}`,
          )
          yield* forLists(expired, (list) =>
            run(
              sql`DELETE FROM idempotency_keys WHERE (account_id, id) IN (VALUES ${sql.csv(
                list.map(({ accountId, id }) => sql`(${accountId}, ${id})`),
              )})`,
            ),
          )
          return expired.length
        }),
      ),
  }
}

export const IdempotencyStoreSql: Layer.Layer<IdempotencyStore, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(IdempotencyStore, Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make))
