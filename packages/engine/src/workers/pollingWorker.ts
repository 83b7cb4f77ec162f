/** A worker of tasks that nothing signals: it polls the store for those that are due. */
import type { AccountId, Instant } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import type { Signals } from "../ports/Signals.js"
import { type AccountTask, makeFairRound } from "./fairRound.js"
import { makeClaim } from "./leasing.js"
import { drainRounds, type Supervisor } from "./supervisor.js"

export interface PollingTerms<T extends AccountTask> {
  readonly supervisor: Supervisor
  /** tasks that a process runs at a time */
  readonly slots: number
  /** milliseconds between two looks for due tasks */
  readonly poll: number
  /** milliseconds; longer than a task takes */
  readonly lease: number
  readonly store: {
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
      except: ReadonlyArray<AccountId>,
    ) => Effect.Effect<ReadonlyArray<T>>
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
  }
  /** runs one claimed task, and handles its failures; after one the lease runs out, and the task is claimed again */
  readonly attempt: (task: T) => Effect.Effect<void>
}

export interface PollingWorker {
  /** Runs the tasks that are due now, and returns when they have ended. */
  readonly drain: Effect.Effect<void>
  readonly run: Effect.Effect<never>
}

/** Accounts share the slots of a process (`makeFairRound`). Each task has a slot, so none waits for another of its account. */
export const makePollingWorker = <T extends AccountTask>({
  supervisor,
  slots,
  poll,
  lease,
  store,
  attempt,
}: PollingTerms<T>): Effect.Effect<PollingWorker, never, Signals | Scope.Scope> =>
  Effect.gen(function* () {
    const leased = yield* makeClaim({ lease, abandon: store.abandonClaim, topics: [] })
    const claim = (limit: number, except: ReadonlyArray<AccountId>) =>
      leased((now, leaseUntil) => store.claim(limit, now, leaseUntil, except))
    const drain = drainRounds(
      Effect.gen(function* () {
        const claimed = yield* claim(slots, [])
        yield* Effect.forEach(claimed, attempt, { concurrency: slots, discard: true })
        return claimed.length
      }),
    )
    const run = makeFairRound({
      slots,
      transactionsAtOnce: slots,
      claim,
      run: attempt,
      wake: Effect.never,
      idleFor: Effect.succeed(poll),
    }).pipe(Effect.flatMap(supervisor.loop), Effect.scoped)
    return { run, drain: Effect.asVoid(drain) }
  })
