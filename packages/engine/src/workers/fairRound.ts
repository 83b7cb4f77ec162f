/** Runs claimed tasks side by side, in slots of the process that accounts share (docs/decisions/0039). */
import { type AccountId, fairClaim } from "@mailroom/domain"
import { Effect, FiberSet, Queue, type Scope } from "effect"
import type { InTurn } from "../turns.js"
import { makeActiveAccounts } from "./activeAccounts.js"
import { makeIdleWait } from "./idleWait.js"

/** A task of an account, such as a leased webhook. */
export interface AccountTask {
  readonly id: string
  readonly accountId: AccountId
}

export interface FairRoundTerms<T extends AccountTask> {
  /** how many tasks run at a time */
  readonly slots: number
  /** how many transactions of one account run at a time (`makeActiveAccounts`) */
  readonly transactionsAtOnce: number
  /** leases up to `limit` tasks, none of the accounts in `except` */
  readonly claim: (limit: number, except: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<T>>
  /** runs one claimed task, and handles its failures */
  readonly run: (task: T, inTurn: InTurn) => Effect.Effect<void>
  /** completes when there may be new tasks */
  readonly wake: Effect.Effect<void>
  /** milliseconds until there may be new tasks without a signal, at most */
  readonly idleFor: Effect.Effect<number>
  /** whether no more tasks may be claimed */
  readonly isFinishing: () => boolean
}

export interface FairRound {
  /** one round */
  readonly round: Effect.Effect<void>
  /** returns when no task runs */
  readonly ended: Effect.Effect<void>
}

/**
 * Makes a round for `Supervisor.loop`: it claims tasks for the free slots and starts them. When it claims none, it waits for
 * a signal or a free slot (`IdleWait`). A round that fails does not interrupt running tasks, which would stay
 * leased.
 */
export const makeFairRound = <T extends AccountTask>({
  slots,
  transactionsAtOnce,
  claim,
  run,
  wake,
  idleFor,
  isFinishing,
}: FairRoundTerms<T>): Effect.Effect<FairRound, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fibers = yield* FiberSet.make<void>()
    const freed = yield* Queue.sliding<void>(1)
    const accounts = makeActiveAccounts(transactionsAtOnce)
    const idleWait = makeIdleWait()
    /** The running tasks by id, and whether each was claimed again meanwhile. */
    const running = new Map<string, boolean>()

    const wasClaimedAgain = (id: string): boolean => {
      const again = running.get(id) === true
      if (again) running.set(id, false)
      else running.delete(id)
      return again
    }

    /**
     * A task that is claimed while it runs, because an outage outlasted its lease, runs again afterwards. Two concurrent runs
     * would do the same work twice.
     */
    const start = (task: T) =>
      Effect.suspend(() => {
        if (running.has(task.id)) {
          running.set(task.id, true)
          return Effect.void
        }
        running.set(task.id, false)
        const inSlot = accounts
          .during(task.accountId, (inTurn) => run(task, inTurn))
          .pipe(
            Effect.repeat({ while: () => wasClaimedAgain(task.id) }),
            Effect.zipRight(Queue.offer(freed, undefined)),
          )
        return Effect.asVoid(FiberSet.run(fibers, inSlot))
      })

    const round = Effect.gen(function* () {
      if (isFinishing()) return yield* Effect.never
      const { limit, except } = fairClaim(accounts.inFlight(), slots)
      const claimed = limit > 0 ? yield* claim(limit, except) : []
      yield* Effect.forEach(claimed, start, { discard: true })
      if (claimed.length > 0) return
      const woken = limit > 0 ? Effect.race(wake, Queue.take(freed)) : Queue.take(freed)
      yield* idleWait(woken, yield* idleFor)
    })
    return { round, ended: FiberSet.awaitEmpty(fibers) }
  })
