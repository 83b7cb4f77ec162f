/** Suspending an account, which only the operator does (decisions §3, §4). */
import type { AccountRecord } from "../accounts/Account.js"
import type { Instant } from "../time.js"

type Suspension = Pick<AccountRecord, "suspendedAt" | "suspendedReason">

/** A second time it keeps its beginning, and takes the newer reason. */
export const suspendAccount = <A extends Suspension>(account: A, reason: string, now: Instant): A => ({
  ...account,
  suspendedAt: account.suspendedAt ?? now,
  suspendedReason: reason,
})

export const unsuspendAccount = <A extends Suspension>(account: A): A => ({
  ...account,
  suspendedAt: null,
  suspendedReason: null,
})
