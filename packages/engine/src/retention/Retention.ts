/** What is kept, and for how long: events and their deliveries (decisions §4), what proves an owner (docs/decisions/0014). */
import {
  CHECKOUT_KEPT_FOR,
  EVENT_RETENTION,
  HOUR,
  type Instant,
  INVITATION_KEPT_FOR,
  RATE_LIMIT_KEPT_FOR,
  SIGN_IN_NETWORK_TTL,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { Integrity } from "../integrity/Integrity.js"
import { ReservedNameStore } from "../ports/stores/AccountRemovalStore.js"
import { MailTokenStore, SessionStore } from "../ports/stores/AccountStore.js"
import { CheckoutStore } from "../ports/stores/CheckoutStore.js"
import { EventStore } from "../ports/stores/EventStore.js"
import { InvitationStore } from "../ports/stores/InvitationStore.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { SignInNetworkStore } from "../ports/stores/SignInNetworkStore.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"

/** How many rows one statement removes: so few that nobody waits for it. */
const STEP = 500
const EVERY = 1 * HOUR

export class Retention extends Context.Tag("@mailroom/Retention")<
  Retention,
  {
    /** Removes, now, what is older than it may be. A checkout is kept for 30 days more: its page says that it expired. */
    readonly sweep: Effect.Effect<void>
    /** Every hour, for ever: sweeps, and makes sure that the next nightly check is planned. */
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
      const names = yield* ReservedNameStore
      const networks = yield* SignInNetworkStore
      const rates = yield* RateLimitStore
      const webhooks = yield* WebhookStore
      const events = yield* EventStore
      const integrity = yield* Integrity

      const removals: ReadonlyArray<(now: Instant) => Effect.Effect<number>> = [
        (now) => sessions.removeExpired(now, STEP),
        (now) => tokens.removeExpired(now, STEP),
        (now) => checkouts.removeExpired(now - CHECKOUT_KEPT_FOR, STEP),
        (now) => invitations.removeExpired(now - INVITATION_KEPT_FOR, STEP),
        (now) => names.removeExpired(now, STEP),
        (now) => networks.removeUnseen(now - SIGN_IN_NETWORK_TTL, STEP),
        (now) => rates.removeBefore(now - RATE_LIMIT_KEPT_FOR, STEP),
        // Deliveries before events: one that is listed can still show its event.
        (now) => webhooks.pruneDeliveries(now - EVENT_RETENTION, STEP),
        (now) => events.prune(now - EVENT_RETENTION, STEP),
      ]
      const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.forEach(
          removals,
          (remove) => Effect.repeat(remove(now), { until: (removed) => removed < STEP }),
          { discard: true },
        ),
      )
      const run = sweep.pipe(
        Effect.zipRight(integrity.schedule),
        Effect.catchAllCause((cause) => Effect.logError("What is old is still there; it will go", cause)),
        Effect.zipRight(Effect.sleep(EVERY)),
        Effect.forever,
      )
      return { sweep, run }
    }),
  )
}
