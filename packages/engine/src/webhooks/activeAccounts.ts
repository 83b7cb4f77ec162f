/** Accounts whose webhooks are being delivered: how many places each holds, and its share of the process. */
import type { AccountId } from "@mailroom/domain"
import { Effect } from "effect"

/** Runs a transaction of an account when it is its turn. */
export type InTurn = <A>(transaction: Effect.Effect<A>) => Effect.Effect<A>

interface ActiveAccount {
  webhooks: number
  readonly inTurn: InTurn
}

export interface ActiveAccounts {
  /** How many webhooks of each account are being delivered. */
  readonly inFlight: () => ReadonlyMap<AccountId, number>
  /** Counts a webhook of the account, from now until the effect has ended. */
  readonly during: (
    account: AccountId,
    deliver: (inTurn: InTurn) => Effect.Effect<void>,
  ) => Effect.Effect<void>
}

/**
 * Lets the event loop look at its sockets. SQLite answers without leaving the current turn of the loop, so a hundred fibers
 * with work for it would keep every request that comes in waiting until all of them are done.
 */
const letOthersIn: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** One transaction of an account at a time: another account's transaction waits behind one of each account at most. */
const oneAtATime = (): InTurn => {
  const permit = Effect.unsafeMakeSemaphore(1)
  return (transaction) => permit.withPermits(1)(Effect.zipLeft(transaction, letOthersIn))
}

export const makeActiveAccounts = (): ActiveAccounts => {
  const accounts = new Map<AccountId, ActiveAccount>()

  const enter = (id: AccountId): ActiveAccount => {
    const account = accounts.get(id) ?? { webhooks: 0, inTurn: oneAtATime() }
    accounts.set(id, account)
    account.webhooks += 1
    return account
  }

  const leave = (id: AccountId, account: ActiveAccount): void => {
    account.webhooks -= 1
    if (account.webhooks === 0) accounts.delete(id)
  }

  return {
    inFlight: () => new Map([...accounts].map(([id, { webhooks }]) => [id, webhooks])),
    during: (id, deliver) => {
      const account = enter(id)
      return Effect.ensuring(
        deliver(account.inTurn),
        Effect.sync(() => leave(id, account)),
      )
    },
  }
}
