/** Accounts that have work in flight: how many places of the process each holds, and how much of it runs at one time. */
import type { AccountId } from "@mailroom/domain"
import { Effect } from "effect"
import { type InTurn, makeTurns } from "../turns.js"

interface ActiveAccount {
  places: number
  readonly inTurn: InTurn
}

export interface ActiveAccounts {
  /** How many places each account holds. */
  readonly inFlight: () => ReadonlyMap<AccountId, number>
  /** Takes a place for the account with this call, and returns the effect that uses it and gives it back when it ends. */
  readonly during: <A, E, R>(
    account: AccountId,
    use: (inTurn: InTurn) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
}

/**
 * Lets the event loop look at its sockets. SQLite answers without leaving the current turn of the loop, so a hundred fibers
 * with work for it would keep every request that comes in waiting until all of them are done.
 */
const letOthersIn: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * `inTurn` runs `atOnce` works of one account at a time, so other accounts wait for so many of each account at most. With a
 * `patience`, in milliseconds, `makeTurns` says who waits no longer.
 */
export const makeActiveAccounts = (atOnce: number, patience = Infinity): ActiveAccounts => {
  const accounts = new Map<AccountId, ActiveAccount>()

  const turnsOf = (): InTurn => {
    const inTurn =
      patience === Infinity ? Effect.unsafeMakeSemaphore(atOnce).withPermits(1) : makeTurns(atOnce, patience)
    return (work) => inTurn(Effect.zipLeft(work, letOthersIn))
  }

  const enter = (id: AccountId): ActiveAccount => {
    const account = accounts.get(id) ?? { places: 0, inTurn: turnsOf() }
    accounts.set(id, account)
    account.places += 1
    return account
  }

  const leave = (id: AccountId, account: ActiveAccount): void => {
    account.places -= 1
    if (account.places === 0) accounts.delete(id)
  }

  return {
    inFlight: () => new Map([...accounts].map(([id, { places }]) => [id, places])),
    during: (id, use) => {
      const account = enter(id)
      return Effect.ensuring(
        use(account.inTurn),
        Effect.sync(() => leave(id, account)),
      )
    },
  }
}
