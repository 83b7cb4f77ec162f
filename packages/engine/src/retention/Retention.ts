/** Removes expired rows: sessions and mail tokens (docs/decisions/0014), idempotency keys, counters, events and webhook deliveries. */
import {
  AUDIT_KEPT_FOR,
  CHECKOUT_KEPT_FOR,
  EVENT_RETENTION,
  HOUR,
  type Instant,
  INVITATION_KEPT_FOR,
  metricsKeptFrom,
  MINUTE,
  RATE_LIMIT_KEPT_FOR,
  SIGN_IN_NETWORK_TTL,
  REMOVED_SEND_KEPT_FOR,
  REVOKED_KEY_KEPT_FOR,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { BillingEnd } from "../billing/BillingEnd.js"
import { Integrity } from "../integrity/Integrity.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { ReservedNameStore } from "../ports/stores/AccountRemovalStore.js"
import { MailTokenStore, SessionStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { AuditStore } from "../ports/stores/AuditStore.js"
import { CheckoutStore } from "../ports/stores/CheckoutStore.js"
import { CorrespondentStore } from "../ports/stores/CorrespondentStore.js"
import { EventStore } from "../ports/stores/EventStore.js"
import { IdempotencyStore } from "../ports/stores/IdempotencyStore.js"
import { InvitationStore } from "../ports/stores/InvitationStore.js"
import { MailCountStore } from "../ports/stores/MailCountStore.js"
import { MessageStore } from "../ports/stores/MessageStore.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { SendingHealthStore } from "../ports/stores/SendingHealthStore.js"
import { SignInNetworkStore } from "../ports/stores/SignInNetworkStore.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"
import { makeSupervisor } from "../workers/supervisor.js"

/** Rows that one statement removes. More would hold up other transactions. */
const STEP = 500
const EVERY = 1 * HOUR
const INDEX_JOB = "index-messages"
const CORRESPONDENTS_JOB = "read-correspondents"
/** Milliseconds from a sweep that failed to the next, at most. */
const PAUSE_MAX = 1 * MINUTE

export class Retention extends Context.Tag("@mailroom/Retention")<
  Retention,
  {
    /** Removes all rows that have expired now. A checkout stays for 30 more days, so that its page can say that it expired. */
    readonly sweep: Effect.Effect<void>
    /** Sweeps, unless a sweep began within the last hour. */
    readonly drain: Effect.Effect<void>
    /**
     * Adds the job that prepares messages of an earlier version for filtered lists, if there are any (docs/decisions/0060).
     * An older process beside this one may write such messages, so this runs every hour.
     */
    readonly scheduleIndex: Effect.Effect<void>
    /** Adds the job that reads mail of an earlier version for correspondents, if there is any (docs/decisions/0067). */
    readonly scheduleCorrespondents: Effect.Effect<void>
    /**
     * Sweeps every hour, and schedules the next nightly check of counts, the index of old messages, and what follows when
     * billing was turned off.
     */
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const tokens = yield* MailTokenStore
      const checkouts = yield* CheckoutStore
      const invitations = yield* InvitationStore
      const idempotency = yield* IdempotencyStore
      const keys = yield* ApiKeyStore
      const names = yield* ReservedNameStore
      const networks = yield* SignInNetworkStore
      const rates = yield* RateLimitStore
      const counts = yield* MailCountStore
      const health = yield* SendingHealthStore
      const webhooks = yield* WebhookStore
      const events = yield* EventStore
      const audit = yield* AuditStore
      const integrity = yield* Integrity
      const messages = yield* MessageStore
      const correspondents = yield* CorrespondentStore
      const jobs = yield* JobQueue
      const billingEnd = yield* BillingEnd

      const removals: ReadonlyArray<(now: Instant) => Effect.Effect<number>> = [
        (now) => sessions.removeExpired(now, STEP),
        (now) => tokens.removeExpired(now, STEP),
        (now) => checkouts.removeExpired(now - CHECKOUT_KEPT_FOR, STEP),
        (now) => idempotency.removeExpired(now, STEP),
        (now) => invitations.removeExpired(now - INVITATION_KEPT_FOR, STEP),
        (now) => names.removeExpired(now, STEP),
        (now) => networks.removeUnseen(now - SIGN_IN_NETWORK_TTL, STEP),
        (now) => rates.removeBefore(now - RATE_LIMIT_KEPT_FOR, STEP),
        (now) => counts.removeBefore("hour", metricsKeptFrom(now, "hour"), STEP),
        (now) => counts.removeBefore("day", metricsKeptFrom(now, "day"), STEP),
        (now) => health.forgetRemoved(now - REMOVED_SEND_KEPT_FOR, STEP),
        // Deliveries before events: a delivery that can be listed still has its event.
        (now) => webhooks.pruneDeliveries(now - EVENT_RETENTION, STEP),
        (now) => events.prune(now - EVENT_RETENTION, STEP),
        (now) => keys.removeRevoked(now - REVOKED_KEY_KEPT_FOR, STEP),
        (now) => audit.removeBefore(now - AUDIT_KEPT_FOR, STEP),
      ]
      let nextSweepAt: Instant = 0
      const sweepAt = (now: Instant) =>
        Effect.zipRight(
          Effect.forEach(
            removals,
            (remove) => Effect.repeat(remove(now), { until: (removed) => removed < STEP }),
            { discard: true },
          ),
          Effect.sync(() => {
            nextSweepAt = now + EVERY
          }),
        )
      const sweep = Effect.flatMap(Clock.currentTimeMillis, sweepAt)
      const drain = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.when(sweepAt(now), () => now >= nextSweepAt),
      ).pipe(Effect.asVoid)
      const scheduleIndex = Effect.gen(function* () {
        if (Option.isNone(yield* messages.unindexed)) return
        const dueAt = yield* Clock.currentTimeMillis
        yield* jobs.addOnce({ id: INDEX_JOB, spec: { kind: "index-messages" }, dueAt })
      })
      const scheduleCorrespondents = Effect.gen(function* () {
        if (Option.isNone(yield* correspondents.unread)) return
        const dueAt = yield* Clock.currentTimeMillis
        yield* jobs.addOnce({ id: CORRESPONDENTS_JOB, spec: { kind: "read-correspondents" }, dueAt })
      })
      const supervisor = makeSupervisor("retention", PAUSE_MAX)
      const run = supervisor.loop(
        supervisor
          .task(
            Effect.all(
              [sweep, scheduleIndex, scheduleCorrespondents, integrity.schedule, billingEnd.schedule],
              { discard: true },
            ),
            {},
          )
          .pipe(Effect.zipRight(Effect.sleep(EVERY))),
      )
      return { sweep, drain, scheduleIndex, scheduleCorrespondents, run }
    }),
  )
}
