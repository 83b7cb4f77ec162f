import { type AccountId, type AccountRecord, NotFound } from "@mailroom/domain"
import { Effect } from "effect"
import type { AccountStore } from "../ports/stores/AccountStore.js"

/**
 * Inside a transaction: locks the account and returns its current row. `NotFound` when it was deleted after the request
 * was authenticated. Call it before inserting rows of the account: without the lock, the account can be deleted in
 * between and the insert violates its foreign key. The lock (`FOR NO KEY UPDATE`) does not block foreign key checks of
 * other transactions.
 */
export const lockAccount = (
  accounts: AccountStore["Type"],
  id: AccountId,
): Effect.Effect<AccountRecord, NotFound> =>
  Effect.flatMap(accounts.lock([id]), ([account]) =>
    account === undefined ? new NotFound({ resource: "account" }) : Effect.succeed(account),
  )
