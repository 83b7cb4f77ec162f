/** Accounts whose webhooks are being delivered: how many places each holds, and its share of the database. */
import type { AccountId } from "@mailroom/domain"
import { Effect } from "effect"

/** Transactions of one account at a time: another account's transaction waits behind one of each account. */
export const TRANSACTIONS_AT_ONCE = 1

interface ActiveAccount {
  webhooks: number
  readonly transactions: Effect.Semaphore
}

export interface ActiveAccounts {
  /** How many webhooks of each account are being delivered. */
  readonly inFlight: () => ReadonlyMap<AccountId, number>
  /** Counts a webhook of the account, from now until the effect has ended. */
  readonly during: (
    account: AccountId,
    deliver: (transactions: Effect.Semaphore) => Effect.Effect<void>,
  ) => Effect.Effect<void>
}

export const makeActiveAccounts = (): ActiveAccounts => {
  const accounts = new Map<AccountId, ActiveAccount>()

  const enter = (id: AccountId): ActiveAccount => {
    const known = accounts.get(id)
    const account = known ?? { webhooks: 0, transactions: Effect.unsafeMakeSemaphore(TRANSACTIONS_AT_ONCE) }
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
        deliver(account.transactions),
        Effect.sync(() => leave(id, account)),
      )
    },
  }
}
