/** The queue of durable background work. `Jobs` runs what is in it. */
import type { Instant } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import { type JobSpec, JobStore } from "../ports/stores/JobStore.js"
import { announce } from "../UnitOfWork.js"

export class JobQueue extends Context.Tag("@mailroom/JobQueue")<
  JobQueue,
  {
    /** Inside `UnitOfWork.commit`: adds a job that is due at `dueAt`. The workers wake after the commit. */
    readonly add: (spec: JobSpec, dueAt: Instant) => Effect.Effect<void>
    /** Adds a job unless the queue holds one with its id. It wakes no worker. */
    readonly addOnce: JobStore["Type"]["addOnce"]
  }
>() {
  static readonly layer: Layer.Layer<JobQueue, never, Ids | JobStore> = Layer.effect(
    JobQueue,
    Effect.gen(function* () {
      const store = yield* JobStore
      const ids = yield* Ids
      return {
        add: (spec, dueAt) =>
          Effect.flatMap(ids.uuid, (id) => store.add([{ id, spec, dueAt }])).pipe(
            Effect.zipRight(announce("jobs")),
          ),
        addOnce: store.addOnce,
      }
    }),
  )
}
