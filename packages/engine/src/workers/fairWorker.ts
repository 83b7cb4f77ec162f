/** A worker of tasks whose slots accounts share (docs/decisions/0039). It claims tasks that are due, and runs them. */
import type { AccountId, Instant } from "@mailroom/domain"
import { Effect, identity, type Scope } from "effect"
import { Signals, type Topic } from "../ports/Signals.js"
import type { InTurn } from "../turns.js"
import { type AccountTask, makeFairRound } from "./fairRound.js"
import { makeClaim } from "./leasing.js"
import { drainRounds, type Supervisor } from "./supervisor.js"

export interface FairWorkerTerms<T extends AccountTask> {
  readonly supervisor: Supervisor
  /** tasks that a process runs at a time */
  readonly slots: number
  /** transactions of one account at a time. Default: one in each slot */
  readonly transactionsAtOnce?: number
  /** signals that there may be due tasks; null: nothing does */
  readonly topic: Topic | null
  /** milliseconds between two looks for due tasks without a signal */
  readonly idleFor: Effect.Effect<number>
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
  /**
   * Runs one claimed task, and handles its failures; after one the lease runs out, and the task is claimed again. A task of many
   * steps ends after the present one when `isFinishing`.
   */
  readonly attempt: (task: T, inTurn: InTurn, isFinishing: () => boolean) => Effect.Effect<void>
}

export interface FairWorker {
  /** Runs the tasks that are due now, and returns when they have ended. */
  readonly drain: Effect.Effect<void>
  readonly run: Effect.Effect<never>
  /** Has `run` claim no more, and returns when its tasks have ended. */
  readonly finish: Effect.Effect<void>
}

export const makeFairWorker = <T extends AccountTask>({
  supervisor,
  slots,
  transactionsAtOnce = slots,
  topic,
  idleFor,
  lease,
  store,
  attempt,
}: FairWorkerTerms<T>): Effect.Effect<FairWorker, never, Signals | Scope.Scope> =>
  Effect.gen(function* () {
    const signals = yield* Signals
    const topics = topic === null ? [] : [topic]
    const leased = yield* makeClaim({ lease, abandon: store.abandonClaim, topics })
    const claim = (limit: number, except: ReadonlyArray<AccountId>) =>
      leased((now, leaseUntil) => store.claim(limit, now, leaseUntil, except))

    let finishing = false
    const isFinishing = () => finishing
    let ended: Effect.Effect<void> = Effect.void

    const drain = drainRounds(
      Effect.gen(function* () {
        const claimed = yield* claim(slots, [])
        yield* Effect.forEach(claimed, (task) => attempt(task, identity, isFinishing), {
          concurrency: slots,
          discard: true,
        })
        return claimed.length
      }),
    )

    const run = Effect.gen(function* () {
      const wake = topic === null ? Effect.never : (yield* signals.subscribe(topic)).wait
      const tasks = yield* makeFairRound({
        slots,
        transactionsAtOnce,
        claim,
        run: (task, inTurn) => attempt(task, inTurn, isFinishing),
        wake,
        idleFor,
        isFinishing,
      })
      ended = tasks.ended
      return yield* supervisor.loop(tasks.round)
    }).pipe(Effect.scoped)

    const finish = Effect.suspend(() => {
      finishing = true
      return ended
    })

    return { run, drain: Effect.asVoid(drain), finish }
  })
