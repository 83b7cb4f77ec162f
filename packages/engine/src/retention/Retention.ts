/** What the log and the deliveries keep, and for how long (decisions §4). */
import { EVENT_RETENTION, HOUR } from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { EventStore } from "../ports/stores/EventStore.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"

/** So few at a time that nobody waits for it. */
const STEP = 500
const EVERY = 1 * HOUR

export class Retention extends Context.Tag("@mailroom/Retention")<
  Retention,
  {
    /** Removes, now, what is older than it may be. */
    readonly sweep: Effect.Effect<void>
    /** Sweeps every hour, for ever. */
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer: Layer.Layer<Retention, never, EventStore | WebhookStore> = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const events = yield* EventStore
      const webhooks = yield* WebhookStore

      const untilDone = (step: Effect.Effect<number>) =>
        Effect.repeat(step, { until: (removed) => removed < STEP })

      const sweep = Effect.gen(function* () {
        const before = (yield* Clock.currentTimeMillis) - EVENT_RETENTION
        // Deliveries first: one that is listed can still show its event.
        yield* untilDone(webhooks.pruneDeliveries(before, STEP))
        yield* untilDone(events.prune(before, STEP))
      })

      const run = sweep.pipe(
        Effect.catchAllCause((cause) => Effect.logError("Old events are still there; they will go", cause)),
        Effect.zipRight(Effect.sleep(EVERY)),
        Effect.forever,
      )

      return { sweep, run }
    }),
  )
}
