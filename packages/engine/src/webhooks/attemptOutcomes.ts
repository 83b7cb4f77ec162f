/** Stores the outcomes of webhook attempts: delivered, to be retried, or failed (docs/specification/events.md, Retries). */
import {
  type AfterAttempt,
  afterAttempt,
  type AttemptResult,
  type DeliveryRecord,
  givesUp,
  type Instant,
  type WebhookRecord,
  withoutExpiredSecret,
} from "@mailroom/domain"
import { Clock, Effect, Option, Random } from "effect"
import { WebhookStore } from "../ports/stores/WebhookStore.js"
import { WebhookRemoval } from "./WebhookRemoval.js"

const deliveryAfter = (delivery: DeliveryRecord, outcome: AfterAttempt, now: Instant): DeliveryRecord => {
  switch (outcome.kind) {
    case "delivered":
      return { ...delivery, status: "DELIVERED", deliveredAt: now }
    case "retry":
      return { ...delivery, dueAt: outcome.at }
    case "failed":
    case "gone":
      return { ...delivery, status: "FAILED" }
  }
}

const webhookAfter = (webhook: WebhookRecord, outcome: AfterAttempt, now: Instant): WebhookRecord => {
  const touched = { ...withoutExpiredSecret(webhook, now), lastTriggeredAt: now }
  switch (outcome.kind) {
    case "delivered":
      return { ...touched, failureCount: 0 }
    case "retry":
      return touched
    case "failed": {
      const failureCount = webhook.failureCount + 1
      return { ...touched, failureCount, status: givesUp(failureCount) ? "FAILED" : webhook.status }
    }
    case "gone":
      return { ...touched, status: "FAILED" }
  }
}

/** Each function runs inside `UnitOfWork.commit`, for a delivery of a leased webhook. */
export const attemptOutcomes = Effect.gen(function* () {
  const store = yield* WebhookStore
  const removal = yield* WebhookRemoval

  /**
   * Locks the webhook before the outcome of an attempt is stored. None when the outcome is obsolete: during the attempt the
   * webhook was deleted, or the delivery was restarted.
   */
  const lockForOutcome = Effect.fnUntraced(function* (
    { accountId, id }: WebhookRecord,
    made: DeliveryRecord,
  ) {
    const webhook = yield* store.lock(accountId, id)
    const delivery = yield* store.delivery(id, made.id)
    return Option.zipRight(
      Option.filter(delivery, ({ status, attempts }) => status === "PENDING" && attempts === made.attempts),
      webhook,
    )
  })

  /** Stores the result of an attempt, and what it means for the webhook. */
  const settle = Effect.fnUntraced(function* (
    leased: WebhookRecord,
    delivery: DeliveryRecord,
    result: AttemptResult,
  ) {
    const webhook = yield* lockForOutcome(leased, delivery)
    if (Option.isNone(webhook)) return
    const now = yield* Clock.currentTimeMillis
    const outcome = afterAttempt(result, delivery.attempts, yield* Random.next, now)
    const answered: DeliveryRecord = {
      ...delivery,
      responseStatus: result.kind === "answered" ? result.status : null,
      lastError: result.kind === "unreachable" ? result.reason : null,
    }
    yield* store.saveDelivery(deliveryAfter(answered, outcome, now))
    const after = webhookAfter(webhook.value, outcome, now)
    yield* store.save(after)
    if (after.status === "FAILED" && webhook.value.status !== "FAILED")
      yield* removal.failPending(leased.id, now)
  })

  /** Fails a delivery whose event has left the log. It does not count as a failure of the webhook. */
  const expire = Effect.fnUntraced(function* (leased: WebhookRecord, delivery: DeliveryRecord) {
    const webhook = yield* lockForOutcome(leased, delivery)
    if (Option.isNone(webhook)) return
    yield* store.saveDelivery({
      ...delivery,
      status: "FAILED",
      lastError: "the event is no longer in the log",
    })
  })

  /** Takes back the count of an attempt that sent nothing. */
  const uncount = Effect.fnUntraced(function* (leased: WebhookRecord, delivery: DeliveryRecord) {
    const webhook = yield* lockForOutcome(leased, delivery)
    if (Option.isNone(webhook)) return
    yield* store.saveDelivery({ ...delivery, attempts: delivery.attempts - 1 })
  })

  return { settle, expire, uncount }
})
