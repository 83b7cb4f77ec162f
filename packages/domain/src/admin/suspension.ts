/** Suspension of an account by the operator (spec: decisions.state.suspended). */
import type { AccountRecord } from "../accounts/Account.js"
import type { Instant } from "../time.js"

type Suspension = Pick<AccountRecord, "suspendedAt" | "suspendedReason">

/** Suspending a suspended account keeps the time of the first suspension and takes the new reason. */
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
