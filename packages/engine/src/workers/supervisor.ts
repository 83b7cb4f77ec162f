/**
 * The loop of the background workers. A worker claims work and runs it in rounds. The supervisor repeats the rounds, waits
 * after a failure, and logs, counts and traces.
 */
import { SECOND } from "@mailroom/domain"
import { Cause, Clock, type Duration, Effect, FiberRef, Schedule } from "effect"
import { workerMetrics } from "../metrics.js"
import { isPatient } from "../ports/patience.js"
import { isTemporary } from "../ports/StorageFailure.js"

/** Milliseconds from a failed round to the next one, at most. */
export const PAUSE_MAX = 1 * SECOND

/** How the log names each worker. The keys are the values of the label `worker` in metrics. */
const workers = {
  consumers: "Handling of events",
  delivery: "Delivery of mail",
  domains: "Checks of domains",
  drafts: "Sending of scheduled drafts",
  files: "Reading of files for search",
  jobs: "Background jobs",
  recovery: "Recovery of what a crash left",
  retention: "Removal of expired data",
  search: "Indexing for search",
  webhooks: "Delivery of webhooks",
} as const

export type WorkerName = keyof typeof workers

export interface Supervisor {
  /**
   * Repeats a round until it is interrupted. After a failure it calls `failed` and `onFailure`, and pauses before the next
   * round. A round waits by itself when there is no work.
   */
  readonly loop: <R>(
    round: Effect.Effect<unknown, never, R>,
    onFailure?: Effect.Effect<void>,
  ) => Effect.Effect<never, never, R>
  /**
   * Logs and counts the failure of a round, or of a task beside the loop. An outage of the storage is logged once, and
   * once more when a round succeeds again. Any other failure is logged each time.
   */
  readonly failed: (cause: Cause.Cause<unknown>) => Effect.Effect<void>
  /** Runs one claimed task, such as a batch or a job, in a span of its own. Measures the time of a task that succeeds. */
  readonly task: <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    attributes: Readonly<Record<string, string | number>>,
  ) => Effect.Effect<A, E, R>
}

/**
 * Between half of `max` and all of it, at random: after an outage the workers of all processes do not return to the
 * database at the same moment.
 */
export const pauses = (max: Duration.DurationInput): Schedule.Schedule<unknown> =>
  Schedule.jitteredWith(Schedule.spaced(max), { min: 0.5, max: 1 })

/** The supervisor of one worker of this process. The loops of a worker share it. `pauseMax`: milliseconds. */
export const makeSupervisor = (worker: WorkerName, pauseMax: number = PAUSE_MAX): Supervisor => {
  const metrics = workerMetrics(worker)
  let isAway = false

  const failed = (cause: Cause.Cause<unknown>) =>
    Effect.suspend(() => {
      const isKnown = isAway && isTemporary(cause)
      isAway ||= isTemporary(cause)
      return isKnown
        ? metrics.failed
        : Effect.zipRight(
            metrics.failed,
            Effect.logError(`${workers[worker]} failed and will be tried again`, cause),
          )
    })

  const succeeded = Effect.suspend(() => {
    if (!isAway) return Effect.void
    isAway = false
    return Effect.logInfo(`${workers[worker]} works again`)
  })

  return {
    failed,
    loop: (round, onFailure = Effect.void) =>
      Effect.forever(Effect.zipRight(round, succeeded)).pipe(
        Effect.tapErrorCause((cause) =>
          Cause.isInterrupted(cause) ? Effect.void : Effect.zipRight(failed(cause), onFailure),
        ),
        Effect.sandbox,
        // Also after an interruption inside the round. One of the loop itself ends the pause, and the loop with it.
        Effect.retry(pauses(pauseMax)),
        Effect.unsandbox,
      ),
    task: (effect, attributes) => {
      const timed = Effect.flatMap(Clock.currentTimeMillis, (began) =>
        Effect.tap(effect, () => Effect.flatMap(Clock.currentTimeMillis, (now) => metrics.took(now - began))),
      )
      // A span costs some 15 µs even where the tracer is disabled.
      return Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (isTraced) =>
        isTraced
          ? Effect.withSpan(timed, `${worker}.task`, { attributes, captureStackTrace: false, root: true })
          : timed,
      )
    },
  }
}

/** How many times as long as it worked a round rests while the process is busy with mail. */
const REST_WHILE_BUSY = 19

/**
 * A round for `Supervisor.loop` that rests as long as it worked, so that it takes half of one processor at most, and 19 times
 * as long while `isBusy`. It uses the database after others (`isPatient`). `work` returns whether there was something to do; if not, the round rests for `idleFor`, in
 * milliseconds.
 */
export const restingRound = (
  work: Effect.Effect<boolean>,
  idleFor: number,
  isBusy: Effect.Effect<boolean>,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const worked = yield* Effect.locally(work, isPatient, true)
    const took = (yield* Clock.currentTimeMillis) - began
    yield* Effect.sleep(!worked ? idleFor : (yield* isBusy) ? REST_WHILE_BUSY * took : took)
  })

/** Repeats a round, which returns how many tasks it claimed and ran, until one claims none. Returns the sum. */
export const drainRounds = (round: Effect.Effect<number>): Effect.Effect<number> =>
  Effect.gen(function* () {
    let total = 0
    for (;;) {
      const claimed = yield* round
      if (claimed === 0) return total
      total += claimed
    }
  })
