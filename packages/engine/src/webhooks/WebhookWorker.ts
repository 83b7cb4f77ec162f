/**
 * Delivers events to webhooks (docs/specification/events.md, Retries). A worker leases a whole webhook and makes its
 * deliveries one at a time, in the order in which they are due; one that waits for a retry does not hold up later ones. Webhooks are delivered side by side, so that a slow receiver delays no other
 * webhook. Accounts share the slots and the database, so that one account delays no other (docs/decisions/0039). A process
 * that is killed leaves its attempts counted, and the next process makes these deliveries again under their ids. An attempt that
 * fails before its request is sent does not count.
 */
import {
  type DeliveryRecord,
  type Instant,
  MINUTE,
  SECOND,
  signingSecrets,
  WebhookHeaders,
  type WebhookId,
  type WebhookRecord,
} from "@mailroom/domain"
import { Cause, Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { DownloadLinks } from "../attachments/DownloadLinks.js"
import { presentEvent } from "../events/presentEvent.js"
import { explain } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { isTemporary } from "../ports/StorageFailure.js"
import { type DueDelivery, WebhookStore } from "../ports/stores/WebhookStore.js"
import { WebhookTransport } from "../ports/WebhookTransport.js"
import type { InTurn } from "../turns.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { attemptOutcomes } from "./attemptOutcomes.js"
import { makeLargeDeliveries } from "./largeDeliveries.js"
import { signatureHeaders } from "./signature.js"
import { type FairWorker, makeFairWorker } from "../workers/fairWorker.js"
import { releaseLater } from "../workers/leasing.js"
import { makeSupervisor } from "../workers/supervisor.js"

/** Webhooks that are delivered at a time. A receiver that hangs holds a slot for 32 s at most (`WebhookTransport`). */
const IN_FLIGHT_MAX = 256
/** Transactions of one account at a time. A transaction of another account waits for one of each account at most. */
const TRANSACTIONS_AT_ONCE = 1
/** Milliseconds: longer than any request. The lease is extended before each. */
const LEASE = 1 * MINUTE
/** Milliseconds until due webhooks are looked for without a signal. */
const POLL = 5 * SECOND
/** Deliveries after which a lease ends and the webhook goes to the end of the queue. */
const TURN_DELIVERIES = 100
/** Milliseconds after which the lease ends, once the running attempt has ended. */
const TURN_TIME = 10 * SECOND
/** Milliseconds until a postponed request is tried again. A lookup at a silent resolver has taken 5 s before that. */
const POSTPONED_FOR = 1 * SECOND
/** Milliseconds from the end of the lease until a delivery is due again whose request this process cannot make. Later deliveries go first. */
const UNSENT_FOR = 1 * MINUTE

/** The next delivery of a leased webhook. Its attempt is counted already. */
interface CountedDelivery extends DueDelivery {
  readonly webhook: WebhookRecord
}

/** An attempt that was made. */
interface Attempted {
  /** stores its outcome; runs inside `UnitOfWork.commit` */
  readonly storeOutcome: Effect.Effect<void>
  /** whether the request was postponed, and nothing was sent */
  readonly postponed: boolean
}

/** An attempt failed before its request was sent, for instance because this process cannot read an event of a newer one. */
class NothingSent extends Data.TaggedError("NothingSent")<{
  readonly webhook: WebhookRecord
  readonly delivery: DeliveryRecord
  readonly cause: Cause.Cause<never>
}> {}

const decodeHeaders = Schema.decode(Schema.parseJson(WebhookHeaders))

export class WebhookWorker extends Context.Tag("@mailroom/WebhookWorker")<WebhookWorker, FairWorker>() {
  static readonly layer = Layer.scoped(
    WebhookWorker,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const transport = yield* WebhookTransport
      const links = yield* DownloadLinks
      const vault = yield* Vault
      const outcomes = yield* attemptOutcomes
      const { commit } = yield* UnitOfWork
      const { headerPrefix } = yield* Settings

      const supervisor = makeSupervisor("webhooks")
      const large = makeLargeDeliveries()

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

      const requestOf = Effect.fnUntraced(function* (
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
        return { account: webhook.accountId, url: webhook.url, headers, body }
      })

      /** Runs a step that comes before the request of an attempt is sent. */
      const beforeSending = <A>(webhook: WebhookRecord, delivery: DeliveryRecord, step: Effect.Effect<A>) =>
        Effect.catchAllCause(step, (cause) =>
          Cause.isInterrupted(cause)
            ? Effect.failCause(cause)
            : new NothingSent({ webhook, delivery, cause }),
        )

      /** Extends the lease, counts an attempt of the next due delivery, and returns it. None when none is due, the webhook is not ACTIVE any more, or this process has lost its lease. */
      const takeNext = Effect.fnUntraced(function* (id: WebhookId) {
        const now = yield* Clock.currentTimeMillis
        const webhook = yield* store.extend(id, now + LEASE)
        if (Option.isNone(webhook)) return Option.none<CountedDelivery>()
        const due = yield* store.beginNextAttempt(id, now)
        return Option.map(due, (found): CountedDelivery => ({ webhook: webhook.value, ...found }))
      })

      const postponed = (webhook: WebhookRecord, delivery: DeliveryRecord): Attempted => ({
        storeOutcome: outcomes.uncount(webhook, delivery),
        postponed: true,
      })

      const attemptWith = Effect.fnUntraced(function* (
        webhook: WebhookRecord,
        delivery: DeliveryRecord,
        envelope: string | null,
      ) {
        if (envelope === null)
          return { storeOutcome: outcomes.expire(webhook, delivery), postponed: false } satisfies Attempted
        const request = yield* beforeSending(webhook, delivery, requestOf(webhook, delivery, envelope))
        const result = yield* transport.post(request)
        if (result.kind === "postponed") return postponed(webhook, delivery)
        yield* Metrics.deliveryAttempt(
          result.kind === "answered" ? `${Math.floor(result.status / 100)}xx` : "unreachable",
        )
        if (result.kind === "answered" && result.status >= 200 && result.status < 300)
          yield* Metrics.webhookDeliveredAfter((yield* Clock.currentTimeMillis) - delivery.createdAt)
        yield* explain("webhook attempt", () => ({
          webhookId: webhook.id,
          deliveryId: delivery.id,
          attempt: delivery.attempts,
          ...(result.kind === "answered" ? { status: result.status } : { reason: result.reason }),
        }))
        return {
          storeOutcome: outcomes.settle(webhook, delivery, result),
          postponed: false,
        } satisfies Attempted
      })

      /** A large event is read when there is room for it; without room, its attempt is postponed. */
      const attempt = ({ webhook, delivery, envelope, largeBytes }: CountedDelivery) =>
        largeBytes === null
          ? attemptWith(webhook, delivery, envelope)
          : Effect.map(
              large.during(
                webhook.accountId,
                largeBytes,
                Effect.flatMap(beforeSending(webhook, delivery, store.envelopeOf(delivery)), (read) =>
                  attemptWith(webhook, delivery, read),
                ),
              ),
              Option.getOrElse(() => postponed(webhook, delivery)),
            )

      /** In one transaction: stores the outcome of an attempt, and takes the next delivery or ends the lease. */
      const finishAttempt = (id: WebhookId, { storeOutcome, postponed }: Attempted, isOver: boolean) =>
        commit(
          Effect.gen(function* () {
            yield* storeOutcome
            const next = isOver || postponed ? Option.none<CountedDelivery>() : yield* takeNext(id)
            const now = yield* Clock.currentTimeMillis
            if (Option.isNone(next)) yield* store.release(id, postponed ? now + POSTPONED_FOR : now)
            return next
          }),
        )

      /** Takes back the count of an attempt that sent nothing, and ends the lease. During an outage the order stays. */
      const giveBack = ({ webhook, delivery, cause }: NothingSent) =>
        Effect.zipRight(
          supervisor.failed(cause),
          releaseLater((at) => {
            const dueAt = isTemporary(cause) ? delivery.dueAt : at + UNSENT_FOR
            return commit(
              Effect.zipRight(
                outcomes.uncount(webhook, { ...delivery, dueAt }),
                store.release(webhook.id, at),
              ),
            )
          }),
        )

      /**
       * Makes the deliveries of a leased webhook, one after another, and ends its lease after `TURN_DELIVERIES` or
       * `TURN_TIME`, or when the process stops. `inTurn` runs its transactions when no other transaction of the account runs.
       */
      const deliverInOrder = ({ id }: WebhookRecord, inTurn: InTurn, isFinishing: () => boolean) =>
        Effect.gen(function* () {
          const began = yield* Clock.currentTimeMillis
          let next = yield* inTurn(takeNext(id))
          if (Option.isNone(next)) return yield* inTurn(store.release(id, began))
          for (let made = 1; Option.isSome(next); made++) {
            const attempted: Attempted = yield* attempt(next.value)
            const spent = (yield* Clock.currentTimeMillis) - began
            const isOver = made >= TURN_DELIVERIES || spent >= TURN_TIME || isFinishing()
            next = yield* inTurn(finishAttempt(id, attempted, isOver))
          }
        }).pipe(
          (turn) => supervisor.task(turn, { webhook: id }),
          Effect.catchTag("NothingSent", giveBack),
          Effect.catchAllCause((cause) =>
            Effect.zipRight(
              supervisor.failed(cause),
              releaseLater((at) => store.release(id, at)),
            ),
          ),
          Effect.catchAllCause((failure) =>
            Effect.logWarning("The webhook stays leased for a minute", failure),
          ),
          Effect.annotateLogs({ webhook: id }),
        )

      /** Milliseconds until the next delivery is due, 1 to 5 s. */
      const idleFor = Effect.gen(function* () {
        const next = yield* store.nextDueAt
        const now = yield* Clock.currentTimeMillis
        return Option.match(next, {
          onNone: () => POLL,
          onSome: (at) => Math.min(POLL, Math.max(SECOND, at - now)),
        })
      })

      return yield* makeFairWorker({
        supervisor,
        slots: IN_FLIGHT_MAX,
        transactionsAtOnce: TRANSACTIONS_AT_ONCE,
        topic: "webhooks",
        idleFor,
        lease: LEASE,
        store,
        attempt: deliverInOrder,
      })
    }),
  )
}
