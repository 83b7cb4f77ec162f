/**
 * Delivers webhooks (spec, Webhook delivery; decisions §7). A webhook is leased as a whole and its deliveries go one
 * after another, so its order is kept; webhooks go side by side, so a slow receiver delays nobody else.
 */
import {
  afterAttempt,
  type AttemptResult,
  type DeliveryRecord,
  givesUp,
  type Instant,
  MINUTE,
  SECOND,
  signingSecrets,
  WebhookHeaders,
  type WebhookId,
  type WebhookRecord,
  withoutExpiredSecret,
} from "@mailroom/domain"
import { Clock, Context, Effect, FiberSet, Layer, Option, Queue, Random, Schema } from "effect"
import { DownloadLinks } from "../attachments/DownloadLinks.js"
import { presentEvent } from "../events/presentEvent.js"
import { Ids } from "../ids/Ids.js"
import { addJob } from "../jobs/addJob.js"
import { Metrics } from "../metrics.js"
import { Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { Signals } from "../ports/Signals.js"
import { JobStore } from "../ports/stores/JobStore.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"
import { WebhookTransport } from "../ports/WebhookTransport.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { failWaiting } from "./failWaiting.js"
import { signatureHeaders } from "./signature.js"

/** Webhooks being delivered at one time. A receiver that hangs holds one place for 15 seconds. */
const IN_FLIGHT_MAX = 256
/** Longer than an attempt can take; extended before each. */
const LEASE = 1 * MINUTE
const POLL = 5 * SECOND
/** After so many deliveries a webhook lets others have its place. */
const TURN = 100

const decodeHeaders = Schema.decode(Schema.parseJson(WebhookHeaders))

export class WebhookWorker extends Context.Tag("@mailroom/WebhookWorker")<
  WebhookWorker,
  {
    /** Makes the attempts that are due now, and returns when they are made. */
    readonly drain: Effect.Effect<void>
    /** Works for ever. */
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.effect(
    WebhookWorker,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const transport = yield* WebhookTransport
      const signals = yield* Signals
      const links = yield* DownloadLinks
      const vault = yield* Vault
      const jobs = yield* JobStore
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const { headerPrefix } = yield* Settings

      const openHeaders = ({ sealedHeaders }: WebhookRecord) =>
        sealedHeaders === null
          ? Effect.succeed({})
          : Effect.orDie(Effect.flatMap(vault.open(sealedHeaders), decodeHeaders))

      const openSecrets = (webhook: WebhookRecord, now: Instant) => {
        const { current, previous } = signingSecrets(webhook, now)
        return Effect.all({
          current: vault.open(current),
          previous: previous === null ? Effect.succeed(null) : vault.open(previous),
        })
      }

      const post = Effect.fnUntraced(function* (
        webhook: WebhookRecord,
        delivery: DeliveryRecord,
        envelope: string,
      ) {
        const at = yield* Clock.currentTimeMillis
        const body = yield* presentEvent(links, { kind: delivery.event, envelope })
        const signed = yield* signatureHeaders(vault, headerPrefix, yield* openSecrets(webhook, at), {
          deliveryId: delivery.id,
          event: delivery.event,
          body,
          at,
        })
        const fixed = { "content-type": "application/json", "user-agent": "Mailroom" }
        const headers = { ...(yield* openHeaders(webhook)), ...fixed, ...signed }
        return yield* transport.post({ url: webhook.url, headers, body })
      })

      /**
       * The webhook as it is now, for writing down what became of an attempt; none when that no longer counts: the
       * webhook was deleted, or the delivery asked for anew, while the receiver was thinking.
       */
      const stillCounting = Effect.fnUntraced(function* (
        { accountId, id }: WebhookRecord,
        made: DeliveryRecord,
      ) {
        const webhook = yield* store.lock(accountId, id)
        const delivery = yield* store.delivery(id, made.id)
        return Option.zipRight(
          Option.filter(
            delivery,
            ({ status, attempts }) => status === "PENDING" && attempts === made.attempts,
          ),
          webhook,
        )
      })

      /** Writes down what an attempt came to. */
      const settle = Effect.fnUntraced(function* (
        leased: WebhookRecord,
        delivery: DeliveryRecord,
        result: AttemptResult,
      ) {
        const webhook = yield* stillCounting(leased, delivery)
        if (Option.isNone(webhook)) return
        const now = yield* Clock.currentTimeMillis
        const outcome = afterAttempt(result, delivery.attempts, yield* Random.next, now)
        const answered: DeliveryRecord = {
          ...delivery,
          responseStatus: result.kind === "answered" ? result.status : null,
          lastError: result.kind === "unreachable" ? result.reason : null,
        }
        yield* store.saveDelivery(settled(answered, outcome, now))
        const after = webhookAfter(webhook.value, outcome, now)
        yield* store.save(after)
        if (after.status === "FAILED" && webhook.value.status !== "FAILED")
          if (!(yield* failWaiting(store, leased.id)))
            yield* addJob(jobs, ids, { kind: "fail-deliveries", webhookId: leased.id }, now)
      })

      /** A delivery that waited until its event had left the log: nothing can be sent, which is not the receiver's fault. */
      const expire = Effect.fnUntraced(function* (leased: WebhookRecord, delivery: DeliveryRecord) {
        const webhook = yield* stillCounting(leased, delivery)
        if (Option.isNone(webhook)) return
        yield* store.saveDelivery({
          ...delivery,
          status: "FAILED",
          lastError: "the event is no longer in the log",
        })
      })

      /** One attempt of a leased webhook; false when it has nothing due any more, or was stopped. */
      const attempt = Effect.fnUntraced(function* (id: WebhookId) {
        const now = yield* Clock.currentTimeMillis
        const webhook = yield* store.extend(id, now + LEASE)
        if (Option.isNone(webhook)) return false
        const due = yield* store.nextDue(id, now)
        if (Option.isNone(due)) return false
        const { delivery, envelope } = due.value
        yield* envelope === null
          ? commit(expire(webhook.value, delivery))
          : post(webhook.value, delivery, envelope).pipe(
              Effect.zipLeft(Metrics.deliveryAttempt),
              Effect.flatMap((result) => commit(settle(webhook.value, delivery, result))),
            )
        return true
      })

      const takeTurn = (webhook: WebhookRecord) =>
        Effect.gen(function* () {
          let left = TURN
          while (left > 0 && (yield* attempt(webhook.id))) left -= 1
          yield* store.release(webhook.id)
        }).pipe(
          Effect.catchAllCause((cause) =>
            Effect.logWarning(`Deliveries of webhook ${webhook.id} paused; they will go on`, cause),
          ),
        )

      const claim = (limit: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => store.claim(limit, now, now + LEASE))

      const drain = Effect.repeat(
        Effect.tap(claim(IN_FLIGHT_MAX), (webhooks) =>
          Effect.forEach(webhooks, takeTurn, { concurrency: "unbounded", discard: true }),
        ),
        { until: (webhooks) => webhooks.length === 0 },
      ).pipe(Effect.asVoid)

      /** How long nothing can be due: until the next delivery's time, if that is sooner than the next look. */
      const pause = Effect.gen(function* () {
        const next = yield* store.nextDueAt
        const now = yield* Clock.currentTimeMillis
        return Option.match(next, {
          onNone: () => POLL,
          onSome: (at) => Math.min(POLL, Math.max(SECOND, at - now)),
        })
      })

      const run = Effect.gen(function* () {
        const { wait } = yield* signals.subscribe("webhooks")
        const turns = yield* FiberSet.make<void>()
        const freed = yield* Queue.sliding<void>(1)
        yield* Effect.forever(
          Effect.gen(function* () {
            const places = IN_FLIGHT_MAX - (yield* FiberSet.size(turns))
            const webhooks = places > 0 ? yield* claim(places) : []
            for (const webhook of webhooks)
              yield* FiberSet.run(turns, Effect.zipRight(takeTurn(webhook), Queue.offer(freed, undefined)))
            if (webhooks.length > 0) return
            const wake = places > 0 ? Effect.race(wait, Queue.take(freed)) : Queue.take(freed)
            yield* Effect.timeoutOption(wake, yield* pause)
          }),
        )
      }).pipe(
        Effect.scoped,
        Effect.catchAllCause((cause) => Effect.logError("Webhook delivery paused and will go on", cause)),
        Effect.zipRight(Effect.sleep(1 * SECOND)),
        Effect.forever,
      )

      return { run, drain }
    }),
  )
}

type Outcome = ReturnType<typeof afterAttempt>

const settled = (delivery: DeliveryRecord, outcome: Outcome, now: Instant): DeliveryRecord => {
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

const webhookAfter = (webhook: WebhookRecord, outcome: Outcome, now: Instant): WebhookRecord => {
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
