/** Ends webhooks and the deliveries that wait at them, in steps of 200 rows (docs/decisions/0044). */
import type { Instant, WebhookId } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"

/** Rows that one step changes. */
const STEP = 200

export class WebhookRemoval extends Context.Tag("@mailroom/WebhookRemoval")<
  WebhookRemoval,
  {
    /** Inside `UnitOfWork.commit`, with the webhook locked: removes it. A job removes its deliveries. */
    readonly remove: (id: WebhookId, now: Instant) => Effect.Effect<void>
    /** Removes the deliveries of a removed webhook, up to 200. True when none is left. */
    readonly purgeStep: (id: WebhookId) => Effect.Effect<boolean>
    /** Inside `UnitOfWork.commit`: fails the deliveries that wait at a webhook that became FAILED. A job fails those beyond 200. */
    readonly failPending: (id: WebhookId, now: Instant) => Effect.Effect<void>
    /** Fails up to 200 of these deliveries. True when none is left, or when the webhook is ACTIVE again. */
    readonly failStep: (id: WebhookId) => Effect.Effect<boolean>
  }
>() {
  static readonly layer: Layer.Layer<WebhookRemoval, never, JobQueue | WebhookStore> = Layer.effect(
    WebhookRemoval,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const jobs = yield* JobQueue

      const failStep = (id: WebhookId) => Effect.map(store.failPending(id, STEP), (failed) => failed < STEP)

      return {
        remove: (id, now) =>
          Effect.zipRight(store.remove(id), jobs.add({ kind: "purge-webhook", webhookId: id }, now)),
        purgeStep: (id) => Effect.map(store.purge(id, STEP), (removed) => removed < STEP),
        failPending: (id, now) =>
          Effect.flatMap(failStep(id), (isLast) =>
            isLast ? Effect.void : jobs.add({ kind: "fail-deliveries", webhookId: id }, now),
          ),
        failStep,
      }
    }),
  )
}
