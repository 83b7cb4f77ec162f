/** Counts the slots that each account holds, and limits how many transactions of one account run at a time. */
import type { AccountId } from "@mailroom/domain"
import { Effect } from "effect"
import { type InTurn, makeTurns } from "../turns.js"
import { yieldToSockets } from "../yieldToSockets.js"

interface ActiveAccount {
  slots: number
  readonly inTurn: InTurn
}

export interface ActiveAccounts {
  /** The slots that each account holds. */
  readonly inFlight: () => ReadonlyMap<AccountId, number>
  /** Takes a slot for the account immediately, and returns the effect that uses the slot and frees it at its end. */
  readonly during: <A, E, R>(
    account: AccountId,
    use: (inTurn: InTurn) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
  /** Runs work of the account when its turn comes. Takes its slot when it begins, so that it may be repeated. */
  readonly inTurn: <A, E, R>(account: AccountId, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * `inTurn` runs `atOnce` tasks of one account at a time, so that other accounts wait for no more of it. `patience`, in
 * milliseconds, is that of `makeTurns`.
 */
export const makeActiveAccounts = (atOnce: number, patience = Infinity): ActiveAccounts => {
  const accounts = new Map<AccountId, ActiveAccount>()

  const turnsOf = (): InTurn => {
    const inTurn =
      patience === Infinity ? Effect.unsafeMakeSemaphore(atOnce).withPermits(1) : makeTurns(atOnce, patience)
    return (work) => inTurn(Effect.zipLeft(work, yieldToSockets))
  }

  const enter = (id: AccountId): ActiveAccount => {
    const account = accounts.get(id) ?? { slots: 0, inTurn: turnsOf() }
    accounts.set(id, account)
    account.slots += 1
    return account
  }

  const leave = (id: AccountId, account: ActiveAccount): void => {
    account.slots -= 1
    if (account.slots === 0) accounts.delete(id)
  }

  const during: ActiveAccounts["during"] = (id, use) => {
    const account = enter(id)
    return Effect.ensuring(
      use(account.inTurn),
      Effect.sync(() => leave(id, account)),
    )
  }

  return {
    inFlight: () => new Map([...accounts].map(([id, { slots }]) => [id, slots])),
    during,
    inTurn: (id, work) => Effect.suspend(() => during(id, (inTurn) => inTurn(work))),
  }
}
