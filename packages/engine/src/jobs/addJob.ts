/** Asks for a piece of durable work, with the change that wants it done. */
import type { Instant } from "@mailroom/domain"
import { Effect } from "effect"
import type { Ids } from "../ids/Ids.js"
import type { JobSpec, JobStore } from "../ports/stores/JobStore.js"
import { announce } from "../UnitOfWork.js"

/** Inside `UnitOfWork.commit`: adds a job that is due `now`; the workers wake once that has committed. */
export const addJob = (
  jobs: typeof JobStore.Service,
  ids: typeof Ids.Service,
  spec: JobSpec,
  now: Instant,
): Effect.Effect<void> =>
  Effect.flatMap(ids.uuid, (id) => jobs.add([{ id, spec, dueAt: now }])).pipe(
    Effect.zipRight(announce("jobs")),
  )
