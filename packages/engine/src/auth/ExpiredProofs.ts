/** Forgets what no longer proves anything: sessions, links, checkouts and reserved names whose time is over. */
import { CHECKOUT_KEPT_FOR, HOUR, type Instant } from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { ReservedNameStore } from "../ports/stores/AccountRemovalStore.js"
import { MailTokenStore, SessionStore } from "../ports/stores/AccountStore.js"
import { CheckoutStore } from "../ports/stores/CheckoutStore.js"

/** How many rows one statement removes. */
const STEP = 500
const EVERY = 1 * HOUR

export class ExpiredProofs extends Context.Tag("@mailroom/ExpiredProofs")<
  ExpiredProofs,
  {
    /** Removes what has expired by now. A checkout is kept for 30 days more: its page says that it has expired. */
    readonly sweep: Effect.Effect<void>
    /** Sweeps every hour, for ever. */
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.effect(
    ExpiredProofs,
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const tokens = yield* MailTokenStore
      const checkouts = yield* CheckoutStore
      const names = yield* ReservedNameStore

      const removals: ReadonlyArray<(now: Instant) => Effect.Effect<number>> = [
        (now) => sessions.removeExpired(now, STEP),
        (now) => tokens.removeExpired(now, STEP),
        (now) => checkouts.removeExpired(now - CHECKOUT_KEPT_FOR, STEP),
        (now) => names.removeExpired(now, STEP),
      ]
      const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.forEach(
          removals,
          (remove) => Effect.repeat(remove(now), { until: (removed) => removed < STEP }),
          { discard: true },
        ),
      )
      const run = sweep.pipe(
        Effect.catchAllCause((cause) =>
          Effect.logError("Expired proofs could not be removed; they will be", cause),
        ),
        Effect.zipRight(Effect.sleep(EVERY)),
        Effect.forever,
      )
      return { sweep, run }
    }),
  )
}
