/** Claimed work that runs side by side in the slots of a process, which accounts share (docs/decisions/0039). */
import { type AccountId, fairClaim } from "@mailroom/domain"
import { Effect, FiberSet, Queue, type Scope } from "effect"
import type { InTurn } from "../turns.js"
import { makeActiveAccounts } from "./activeAccounts.js"

/** Work that belongs to an account. `id` tells which work was claimed again while it still runs. */
interface AccountWork {
  readonly id: string
  readonly accountId: AccountId
}

export interface FairRoundTerms<W extends AccountWork> {
  /** how much work runs at a time */
  readonly slots: number
  /** how many transactions of one account run at a time (`makeActiveAccounts`) */
  readonly transactionsAtOnce: number
  /** leases up to `limit` works, none of the accounts in `except` */
  readonly claim: (limit: number, except: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<W>>
  /** runs one claimed work; it handles its failures itself */
  readonly run: (work: W, inTurn: InTurn) => Effect.Effect<void>
  /** completes when there may be new work */
  readonly wake: Effect.Effect<void>
  /** milliseconds until there may be new work without a signal */
  readonly idleFor: Effect.Effect<number>
}

/**
 * Makes a round for `Supervisor.loop`: it claims work for the free slots and starts it. When it claimed none, it waits for
 * a signal, a free slot, or the end of `idleFor`. A round that fails leaves running work alone: interrupted work would stay
 * leased.
 */
export const makeFairRound = <W extends AccountWork>({
  slots,
  transactionsAtOnce,
  claim,
  run,
  wake,
  idleFor,
}: FairRoundTerms<W>): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fibers = yield* FiberSet.make<void>()
    const freed = yield* Queue.sliding<void>(1)
    const accounts = makeActiveAccounts(transactionsAtOnce)
    /** The work that runs, by id, and whether it was claimed again meanwhile. */
    const running = new Map<string, boolean>()

    const wasClaimedAgain = (id: string): boolean => {
      const again = running.get(id) === true
      if (again) running.set(id, false)
      else running.delete(id)
      return again
    }

    /**
     * Work that is claimed while it runs, runs again afterwards. This happens when an outage outlasts a lease. Two runs at a
     * time would do the same work twice.
     */
    const start = (work: W) =>
      Effect.suspend(() => {
        if (running.has(work.id)) {
          running.set(work.id, true)
          return Effect.void
        }
        running.set(work.id, false)
        const inSlot = accounts
          .during(work.accountId, (inTurn) => run(work, inTurn))
          .pipe(
            Effect.repeat({ while: () => wasClaimedAgain(work.id) }),
            Effect.zipRight(Queue.offer(freed, undefined)),
          )
        return Effect.asVoid(FiberSet.run(fibers, inSlot))
      })

    return Effect.gen(function* () {
      const { limit, except } = fairClaim(accounts.inFlight(), slots)
      const claimed = limit > 0 ? yield* claim(limit, except) : []
      yield* Effect.forEach(claimed, start, { discard: true })
      if (claimed.length > 0) return
      const woken = limit > 0 ? Effect.race(wake, Queue.take(freed)) : Queue.take(freed)
      yield* Effect.timeoutOption(woken, yield* idleFor)
    })
  })
