/**
 * Delivers webhooks (spec, Webhook delivery; decisions §7). A webhook is leased as a whole and its deliveries go one
 * after another, so its order is kept. Webhooks go side by side, so a slow receiver delays no other webhook, and accounts
 * share the places and the database, so one account delays no other (docs/decisions/0039).
 */
import {
  type AccountId,
  type DeliveryRecord,
  fairClaim,
  type Instant,
  MINUTE,
  SECOND,
  signingSecrets,
  WebhookHeaders,
  type WebhookId,
  type WebhookRecord,
} from "@mailroom/domain"
import { Cause, Clock, Context, Effect, FiberSet, identity, Layer, Option, Queue, Schema } from "effect"
import { makeActiveAccounts } from "../activeAccounts.js"
import { DownloadLinks } from "../attachments/DownloadLinks.js"
import { presentEvent } from "../events/EventLog.js"
import { makeClaim } from "../leasing.js"
import { explain } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { Signals } from "../ports/Signals.js"
import { type DueDelivery, WebhookStore } from "../ports/stores/WebhookStore.js"
import { WebhookTransport } from "../ports/WebhookTransport.js"
import type { InTurn } from "../turns.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { attemptOutcomes } from "./attemptOutcomes.js"
import { signatureHeaders } from "./signature.js"

/** Webhooks being delivered at one time. A receiver that hangs holds one place for 15 seconds. */
const IN_FLIGHT_MAX = 256
/** Transactions of one account at a time: another account's transaction waits behind one of each account at most. */
const TRANSACTIONS_AT_ONCE = 1
/** Longer than a post can take; extended before each. */
const LEASE = 1 * MINUTE
const POLL = 5 * SECOND
/** After so many deliveries, or so long a time, a webhook goes to the end of the line. */
const TURN = 100
const TURN_TIME = 10 * SECOND
/** Until a webhook is tried again whose post was postponed; a question to a silent resolver has taken 5 s by then. */
const POSTPONED_FOR = 1 * SECOND
/** Until claims go on after a failure of the storage, and until a webhook is claimed again whose turn failed so. */
const AGAIN_AFTER = 1 * SECOND

/** A delivery of a leased webhook, its attempt counted. */
interface Taken extends DueDelivery {
  readonly webhook: WebhookRecord
}

/** What is to be written down of an attempt. */
interface Attempted {
  readonly outcome: Effect.Effect<void>
  /** nothing was sent */
  readonly postponed: boolean
}

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
  static readonly layer = Layer.scoped(
    WebhookWorker,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const transport = yield* WebhookTransport
      const signals = yield* Signals
      const links = yield* DownloadLinks
      const vault = yield* Vault
      const outcomes = yield* attemptOutcomes
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
        return yield* transport.post({ account: webhook.accountId, url: webhook.url, headers, body })
      })

      /** The webhook as it is now and its next delivery, unless it has none due or was stopped. */
      const takeNext = Effect.fnUntraced(function* (id: WebhookId) {
        const now = yield* Clock.currentTimeMillis
        const webhook = yield* store.extend(id, now + LEASE)
        if (Option.isNone(webhook)) return Option.none<Taken>()
        const due = yield* store.nextDue(id, now)
        return Option.map(due, (found): Taken => ({ webhook: webhook.value, ...found }))
      })

      const attempt = Effect.fnUntraced(function* ({ webhook, delivery, envelope }: Taken) {
        if (envelope === null)
          return { outcome: outcomes.expire(webhook, delivery), postponed: false } satisfies Attempted
        const result = yield* Effect.withSpan(post(webhook, delivery, envelope), "WebhookWorker.attempt", {
          captureStackTrace: false,
        })
        if (result.kind === "postponed")
          return { outcome: outcomes.uncount(webhook, delivery), postponed: true } satisfies Attempted
        yield* Metrics.deliveryAttempt(
          result.kind === "answered" ? `${Math.floor(result.status / 100)}xx` : "unreachable",
        )
        if (result.kind === "answered" && result.status >= 200 && result.status < 300)
          yield* Metrics.webhookDeliveredAfter((yield* Clock.currentTimeMillis) - delivery.createdAt)
        yield* explain("a webhook was tried", () => ({
          webhookId: webhook.id,
          deliveryId: delivery.id,
          attempt: delivery.attempts,
          ...(result.kind === "answered" ? { status: result.status } : { reason: result.reason }),
        }))
        return { outcome: outcomes.settle(webhook, delivery, result), postponed: false } satisfies Attempted
      })

      /** One transaction writes down what became of an attempt, and takes the next delivery or ends the lease. */
      const conclude = (id: WebhookId, { outcome, postponed }: Attempted, isOver: boolean) =>
        commit(
          Effect.gen(function* () {
            yield* outcome
            const next = isOver || postponed ? Option.none<Taken>() : yield* takeNext(id)
            const now = yield* Clock.currentTimeMillis
            if (Option.isNone(next)) yield* store.release(id, postponed ? now + POSTPONED_FOR : now)
            return next
          }),
        )

      /** Left alone, the lease would hold the deliveries up for a minute after a short outage of the database. */
      const freeAgain = (id: WebhookId) =>
        Effect.flatMap(Clock.currentTimeMillis, (failedAt) =>
          retryWhileUnavailable(store.release(id, failedAt + AGAIN_AFTER)),
        )

      /** The deliveries of a leased webhook, one after another. */
      const takeTurn = ({ id }: WebhookRecord, inTurn: InTurn) =>
        Effect.gen(function* () {
          const began = yield* Clock.currentTimeMillis
          let next = yield* inTurn(takeNext(id))
          if (Option.isNone(next)) return yield* inTurn(store.release(id, began))
          for (let made = 1; Option.isSome(next); made++) {
            const attempted: Attempted = yield* attempt(next.value)
            const spent = (yield* Clock.currentTimeMillis) - began
            next = yield* inTurn(conclude(id, attempted, made >= TURN || spent >= TURN_TIME))
          }
        }).pipe(
          Effect.catchAllCause((cause) =>
            Effect.logWarning(`Deliveries of webhook ${id} paused; they will go on`, cause).pipe(
              Effect.zipRight(freeAgain(id)),
              Effect.catchAllCause((failure) =>
                Effect.logWarning(`Webhook ${id} stays leased for a minute`, failure),
              ),
            ),
          ),
        )

      const leased = yield* makeClaim({ lease: LEASE, abandon: store.abandonClaim, topics: ["webhooks"] })
      const claim = (limit: number, except: ReadonlyArray<AccountId>) =>
        leased((now, leaseUntil) => store.claim(limit, now, leaseUntil, except))

      const drain = Effect.repeat(
        Effect.tap(claim(IN_FLIGHT_MAX, []), (webhooks) =>
          Effect.forEach(webhooks, (webhook) => takeTurn(webhook, identity), {
            concurrency: "unbounded",
            discard: true,
          }),
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
        const accounts = makeActiveAccounts(TRANSACTIONS_AT_ONCE)

        /** Webhooks whose turn is not over, and whether they were claimed again meanwhile. */
        const busy = new Map<WebhookId, boolean>()

        const wasClaimedAgain = (id: WebhookId): boolean => {
          const again = busy.get(id) === true
          if (again) busy.set(id, false)
          else busy.delete(id)
          return again
        }

        /**
         * A webhook that is claimed during its turn has its next turn after that one. An outage can outlast a lease: then the
         * webhook is claimed again before its turn could free it. Two turns at a time would send the same delivery, and
         * neither could settle it.
         */
        const start = (webhook: WebhookRecord) =>
          Effect.suspend(() => {
            const { accountId, id } = webhook
            if (busy.has(id)) {
              busy.set(id, true)
              return Effect.void
            }
            busy.set(id, false)
            const turn = accounts
              .during(accountId, (inTurn) => takeTurn(webhook, inTurn))
              .pipe(
                Effect.repeat({ while: () => wasClaimedAgain(id) }),
                Effect.zipRight(Queue.offer(freed, undefined)),
              )
            return Effect.asVoid(FiberSet.run(turns, turn))
          })

        const round = Effect.gen(function* () {
          const { limit, except } = fairClaim(accounts.inFlight(), IN_FLIGHT_MAX)
          const webhooks = limit > 0 ? yield* claim(limit, except) : []
          yield* Effect.forEach(webhooks, start, { discard: true })
          if (webhooks.length > 0) return
          const wake = limit > 0 ? Effect.race(wait, Queue.take(freed)) : Queue.take(freed)
          yield* Effect.timeoutOption(wake, yield* pause)
        })

        // A round that fails leaves the turns alone: interrupted, their webhooks would stay leased for a minute.
        return yield* round.pipe(
          Effect.catchAllCause((cause) =>
            Cause.isInterrupted(cause)
              ? Effect.failCause(cause)
              : Effect.zipRight(
                  Effect.logError("Webhook delivery paused and will go on", cause),
                  Effect.sleep(AGAIN_AFTER),
                ),
          ),
          Effect.forever,
        )
      }).pipe(Effect.scoped)

      return { run, drain }
    }),
  )
}
