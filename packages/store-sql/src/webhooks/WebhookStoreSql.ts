/**
 * Webhooks and their deliveries in SQL. `webhooks.next_due_at` is the due time of the first PENDING delivery, or null, so a
 * claim reads webhooks only, however many deliveries wait.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import {
  type DeliveryRecord,
  AnyEventKind,
  Instant,
  type WebhookId,
  WebhookRecord,
  WEBHOOKS_MAX_PER_ACCOUNT,
} from "@mailroom/domain"
import { type DueDelivery, WEBHOOK_FAILED, WebhookStore } from "@mailroom/engine"
import { Array, Effect, Layer, Option, Schema, Struct } from "effect"
import { inLists, inRowsOf, insertInto, padded, updateById } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { abandonClaim, LeaseHolder } from "../database/leases.js"
import { removeSome } from "../database/removeSome.js"
import { deliveries, deliveriesOf, deliveryIds } from "./deliveries.js"

const WebhookRow = Schema.Struct({
  ...WebhookRecord.fields,
  events: JsonText(Schema.Array(AnyEventKind)),
  headerNames: JsonText(Schema.Array(Schema.String)),
})

/** Without the columns of the lease and the due time, which only this store uses. */
const webhooks = table("webhooks", WebhookRow)
const claims = table("webhooks", Schema.Struct({ ...WebhookRow.fields, nextDueAt: Instant }))

const statuses = rowsOf(Schema.Struct({ status: WebhookRecord.fields.status }))
const dueTimes = rowsOf(Schema.Struct({ nextDueAt: Instant }))

const make = (sql: SqlClient.SqlClient, holder: string): WebhookStore["Type"] => {
  const { join, joinUnsynced } = transactionOf(sql)
  const { forUpdate, skipLocked } = dialectOf(sql)
  const selected = sql.literal(webhooks.selection)
  const insertWebhooks = insertInto(sql, webhooks)
  const insertDeliveries = insertInto(sql, deliveries)
  const updateDelivery = updateById(sql, deliveries)
  const { due: dueDelivery, ...reading } = deliveriesOf(sql)

  /** SQL for whether the account of a webhook is suspended. Then its deliveries wait. */
  const isSuspended = (webhookId: WebhookId) =>
    sql`EXISTS (SELECT 1 FROM webhooks w JOIN accounts a ON a.id = w.account_id
      WHERE w.id = ${webhookId} AND a.suspended_at IS NOT NULL)`

  /**
   * Makes a webhook due no later than `at`. Updates the row even when it is due earlier, to wait for a concurrent
   * `release`: that one does not see the new delivery yet, and would move the due time past it. Returns the status, which a
   * concurrent attempt may have changed.
   */
  const makeDue = (webhookId: WebhookId, at: Instant) =>
    first(
      statuses,
      sql`UPDATE webhooks SET next_due_at = CASE WHEN next_due_at <= ${at} THEN next_due_at ELSE ${at} END
        WHERE id = ${webhookId} RETURNING status`,
    )

  const enqueue = (added: ReadonlyArray<DeliveryRecord>) =>
    Effect.gen(function* () {
      yield* insertDeliveries(added)
      const byWebhook = Object.entries(Array.groupBy(added, ({ webhookId }) => webhookId))
      // In the order of their ids: two transactions that lock the same rows in different orders can deadlock.
      for (const [, some] of byWebhook.sort(([a], [b]) => (a < b ? -1 : 1))) {
        const [{ webhookId }] = some
        const webhook = yield* makeDue(webhookId, Math.min(...some.map(({ dueAt }) => dueAt)))
        if (Option.exists(webhook, ({ status }) => status === "FAILED"))
          for (const delivery of some)
            yield* updateDelivery({ ...delivery, status: "FAILED", lastError: WEBHOOK_FAILED })
      }
    })

  const beginNextAttempt = (webhookId: WebhookId, now: Instant) =>
    Effect.flatMap(
      first(
        deliveries,
        sql`UPDATE webhook_deliveries SET attempts = attempts + 1 WHERE id = (
            SELECT id FROM webhook_deliveries
            WHERE webhook_id = ${webhookId} AND status = 'PENDING' AND due_at <= ${now}
            AND NOT ${isSuspended(webhookId)}
            ORDER BY due_at, event_seq, id LIMIT 1)
          RETURNING ${sql.literal(deliveries.selection)}`,
      ),
      Option.match({
        onNone: () => Effect.succeed(Option.none<DueDelivery>()),
        onSome: (delivery) => Effect.asSome(dueDelivery(delivery)),
      }),
    )

  const purge = (id: WebhookId, limit: number) =>
    Effect.gen(function* () {
      const removed = yield* removeSome(sql, "webhook_deliveries", "id", sql`webhook_id = ${id}`, limit)
      if (removed < limit) yield* run(sql`DELETE FROM webhooks WHERE id = ${id} AND status = 'DELETED'`)
      return removed
    })

  return {
    ...reading,
    insert: (webhook) => insertWebhooks([webhook]),
    byId: (accountId, id) =>
      first(
        webhooks,
        sql`SELECT ${selected} FROM webhooks
          WHERE id = ${id} AND account_id = ${accountId} AND status <> 'DELETED'`,
      ),
    list: (accountId) =>
      all(
        webhooks,
        sql`SELECT ${selected} FROM webhooks WHERE account_id = ${accountId} AND status <> 'DELETED'
          ORDER BY created_at, id LIMIT ${WEBHOOKS_MAX_PER_ACCOUNT}`,
      ),
    lock: (accountId, id) =>
      first(
        webhooks,
        sql`SELECT ${selected} FROM webhooks
          WHERE id = ${id} AND account_id = ${accountId} AND status <> 'DELETED' ${sql.literal(forUpdate)}`,
      ),
    save: updateById(sql, webhooks),
    remove: (id) => run(sql`UPDATE webhooks SET status = 'DELETED', next_due_at = NULL WHERE id = ${id}`),
    purge: (id, limit) => join(purge(id, limit)),
    active: (accountIds) =>
      inLists(accountIds, (list) =>
        all(
          webhooks,
          sql`SELECT ${selected} FROM webhooks WHERE account_id IN ${sql.in(list)} AND status = 'ACTIVE'`,
        ),
      ),
    enqueue: (added) => join(enqueue(added)),
    claim: (limit, now, leaseUntil, except) =>
      Effect.map(
        joinUnsynced(
          all(
            claims,
            sql`UPDATE webhooks SET locked_until = ${leaseUntil}, locked_by = ${holder} WHERE id ${inRowsOf(
              sql,
              sql`SELECT id FROM webhooks
                WHERE status = 'ACTIVE' AND next_due_at IS NOT NULL AND next_due_at <= ${now} AND locked_until <= ${now}
                ${except.length === 0 ? sql.literal("") : sql`AND account_id NOT IN ${sql.in(padded(except))}`}
                ORDER BY next_due_at, id LIMIT ${limit} ${sql.literal(skipLocked)}`,
            )}
            RETURNING ${sql.literal(claims.selection)}`,
          ),
        ),
        (claimed) =>
          [...claimed]
            .sort((a, b) => a.nextDueAt - b.nextDueAt || (a.id < b.id ? -1 : 1))
            .map(Struct.omit("nextDueAt")),
      ),
    abandonClaim: abandonClaim(sql, "webhooks", holder, "not counted"),
    beginNextAttempt: (webhookId, now) => joinUnsynced(beginNextAttempt(webhookId, now)),
    saveDelivery: (delivery) =>
      join(
        Effect.zipRight(
          updateDelivery(delivery),
          Effect.when(makeDue(delivery.webhookId, delivery.dueAt), () => delivery.status === "PENDING"),
        ),
      ),
    failPending: (webhookId, limit) =>
      Effect.map(
        all(
          deliveryIds,
          sql`UPDATE webhook_deliveries SET status = 'FAILED', last_error = ${WEBHOOK_FAILED} WHERE id IN (
              SELECT id FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND status = 'PENDING'
              AND EXISTS (SELECT 1 FROM webhooks WHERE id = ${webhookId} AND status = 'FAILED')
              ORDER BY due_at, event_seq, id LIMIT ${limit})
            RETURNING id`,
        ),
        (failed) => failed.length,
      ),
    extend: (id, leaseUntil) =>
      joinUnsynced(
        first(
          webhooks,
          sql`UPDATE webhooks SET locked_until = ${leaseUntil}
            WHERE id = ${id} AND status = 'ACTIVE' AND locked_by = ${holder}
            RETURNING ${selected}`,
        ),
      ),
    // Locks the row before it reads deliveries, so that a concurrent `enqueue` is either seen or updates the row later.
    release: (webhookId, notBefore) =>
      joinUnsynced(
        Effect.zipRight(
          run(sql`SELECT id FROM webhooks WHERE id = ${webhookId} ${sql.literal(forUpdate)}`),
          run(
            sql`UPDATE webhooks SET locked_until = 0, next_due_at = CASE WHEN ${isSuspended(webhookId)} THEN NULL ELSE (
                SELECT CASE WHEN min(due_at) < ${notBefore} THEN ${notBefore} ELSE min(due_at) END
                FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND status = 'PENDING')
              END WHERE id = ${webhookId} AND locked_by = ${holder}`,
          ),
        ),
      ),
    resume: (accountId) =>
      run(
        sql`UPDATE webhooks SET next_due_at = (
            SELECT min(due_at) FROM webhook_deliveries WHERE webhook_id = webhooks.id AND status = 'PENDING')
          WHERE account_id = ${accountId}`,
      ),
    nextDueAt: Effect.map(
      first(
        dueTimes,
        sql`SELECT next_due_at AS "nextDueAt" FROM webhooks WHERE status = 'ACTIVE' AND next_due_at IS NOT NULL
          ORDER BY next_due_at LIMIT 1`,
      ),
      Option.map(({ nextDueAt }) => nextDueAt),
    ),
  }
}

export const WebhookStoreSql: Layer.Layer<WebhookStore, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(WebhookStore, Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make))
