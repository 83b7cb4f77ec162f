/** Locking the account that a request is for. */
import { type AccountId, type AccountRecord, NotFound } from "@mailroom/domain"
import { Effect } from "effect"
import type { AccountStore } from "../ports/stores/AccountStore.js"

/**
 * Inside a transaction: locks the account and returns it as it is now. `NotFound` when it was deleted after the request was
 * authenticated. A transaction that inserts rows of an account has to lock it first: a foreign key refuses rows of an
 * account that is gone, and a lock on the account does not keep foreign keys waiting (`FOR NO KEY UPDATE`).
 */
export const lockAccount = (
  accounts: AccountStore["Type"],
  id: AccountId,
): Effect.Effect<AccountRecord, NotFound> =>
  Effect.flatMap(accounts.lock([id]), ([account]) =>
    account === undefined ? new NotFound({ resource: "account" }) : Effect.succeed(account),
  )
