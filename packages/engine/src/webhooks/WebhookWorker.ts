/**
 * Delivers webhooks (spec, Webhook delivery; decisions §7). A webhook is leased as a whole and its deliveries go one
 * after another, so its order is kept. Webhooks go side by side, so a slow receiver delays no other webhook, and accounts
 * share the places and the database, so one account delays no other (docs/decisions/0039).
 */
import {
  type AccountId,
  afterAttempt,
  type AttemptResult,
  type DeliveryRecord,
  givesUp,
  type Instant,
  MINUTE,
  SECOND,
  signingSecrets,
  webhookClaim,
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
/** Longer than a post can take; extended before each. */
const LEASE = 1 * MINUTE
const POLL = 5 * SECOND
/** After so many deliveries, or so long a time, a webhook goes to the end of the line. */
const TURN = 100
const TURN_TIME = 10 * SECOND
/** Until a webhook is tried again whose post was postponed. */
const POSTPONED_FOR = 5 * SECOND
/** Transactions of one account at a time: other accounts' transactions wait behind no more than these. */
const TRANSACTIONS_AT_ONCE = 4

/** An account with webhooks that are being delivered. */
interface ActiveAccount {
  webhooks: number
  readonly transactions: Effect.Semaphore
}

/** What follows an attempt in its webhook's turn. */
type AfterPost = "next" | "nothing due" | "postponed"

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
        return yield* transport.post({ account: webhook.accountId, url: webhook.url, headers, body })
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

      /** Nothing was sent: the attempt that was counted beforehand does not count. */
      const uncount = Effect.fnUntraced(function* (leased: WebhookRecord, delivery: DeliveryRecord) {
        const webhook = yield* stillCounting(leased, delivery)
        if (Option.isNone(webhook)) return
        yield* store.saveDelivery({ ...delivery, attempts: delivery.attempts - 1 })
      })

      /** The webhook as it is now and its next delivery, unless it has none due or was stopped. */
      const takeNext = Effect.fnUntraced(function* (id: WebhookId) {
        const now = yield* Clock.currentTimeMillis
        const webhook = yield* store.extend(id, now + LEASE)
        if (Option.isNone(webhook)) return Option.none()
        return Option.map(yield* store.nextDue(id, now), (due) => ({ webhook: webhook.value, ...due }))
      })

      /** One attempt of a leased webhook. */
      const attempt = Effect.fnUntraced(function* (id: WebhookId, transactions: Effect.Semaphore) {
        const inTurn = transactions.withPermits(1)
        const next = yield* inTurn(takeNext(id))
        if (Option.isNone(next)) return "nothing due" satisfies AfterPost
        const { webhook, delivery, envelope } = next.value
        if (envelope === null) {
          yield* inTurn(commit(expire(webhook, delivery)))
          return "next" satisfies AfterPost
        }
        const result = yield* post(webhook, delivery, envelope)
        if (result.kind === "postponed") {
          yield* inTurn(commit(uncount(webhook, delivery)))
          return "postponed" satisfies AfterPost
        }
        yield* Metrics.deliveryAttempt
        yield* inTurn(commit(settle(webhook, delivery, result)))
        return "next" satisfies AfterPost
      })

      const takeTurn = ({ id }: WebhookRecord, transactions: Effect.Semaphore) =>
        Effect.gen(function* () {
          const began = yield* Clock.currentTimeMillis
          let now = began
          let after: AfterPost = "next"
          for (let made = 0; after === "next" && made < TURN && now - began < TURN_TIME; made++) {
            after = yield* attempt(id, transactions)
            now = yield* Clock.currentTimeMillis
          }
          const notBefore = after === "postponed" ? now + POSTPONED_FOR : now
          yield* transactions.withPermits(1)(store.release(id, notBefore))
        }).pipe(
          Effect.catchAllCause((cause) =>
            Effect.logWarning(`Deliveries of webhook ${id} paused; they will go on`, cause),
          ),
        )

      const claim = (limit: number, except: ReadonlyArray<AccountId>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => store.claim(limit, now, now + LEASE, except))

      const drain = Effect.repeat(
        Effect.tap(claim(IN_FLIGHT_MAX, []), (webhooks) =>
          Effect.flatMap(Effect.makeSemaphore(TRANSACTIONS_AT_ONCE), (transactions) =>
            Effect.forEach(webhooks, (webhook) => takeTurn(webhook, transactions), {
              concurrency: "unbounded",
              discard: true,
            }),
          ),
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
        const accounts = new Map<AccountId, ActiveAccount>()

        const enter = (id: AccountId): ActiveAccount => {
          const transactions = Effect.unsafeMakeSemaphore(TRANSACTIONS_AT_ONCE)
          const account = accounts.get(id) ?? { webhooks: 0, transactions }
          accounts.set(id, account)
          account.webhooks += 1
          return account
        }
        const leave = (id: AccountId, account: ActiveAccount): void => {
          account.webhooks -= 1
          if (account.webhooks === 0) accounts.delete(id)
        }

        const start = (webhook: WebhookRecord) =>
          Effect.suspend(() => {
            const account = enter(webhook.accountId)
            const turn = Effect.ensuring(
              takeTurn(webhook, account.transactions),
              Effect.sync(() => leave(webhook.accountId, account)),
            )
            return FiberSet.run(turns, Effect.zipRight(turn, Queue.offer(freed, undefined)))
          })

        yield* Effect.forever(
          Effect.gen(function* () {
            const inFlight = new Map([...accounts].map(([id, { webhooks }]) => [id, webhooks]))
            const { limit, except } = webhookClaim(inFlight, IN_FLIGHT_MAX)
            const webhooks = limit > 0 ? yield* claim(limit, except) : []
            yield* Effect.forEach(webhooks, start, { discard: true })
            if (webhooks.length > 0) return
            const wake = limit > 0 ? Effect.race(wait, Queue.take(freed)) : Queue.take(freed)
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
