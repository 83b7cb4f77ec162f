/**
 * Who may do what: the table of decisions §3, and the order of its answers:
 * suspended, then the key's scope, then payment.
 */
import { Either } from "effect"
import { AccountSuspended, PaymentRequired, ScopeForbidden } from "../errors.js"
import type { AccountState } from "./Account.js"

/** One row of the table. A route belongs to exactly one. */
export type AccessClass =
  | "account"
  | "create-key"
  | "revoke-key"
  | "billing"
  | "stream"
  | "provisioning"
  | "webhooks"
  | "mail"

interface AccessRule {
  /** whether a mailbox-scoped key may come in at all; what it then sees is its own scope */
  readonly scopedKeys: boolean
  readonly whenPaymentRequired: boolean
  readonly whenSuspended: boolean
}

const rules: { readonly [C in AccessClass]: AccessRule } = {
  account: { scopedKeys: false, whenPaymentRequired: true, whenSuspended: true },
  "create-key": { scopedKeys: false, whenPaymentRequired: false, whenSuspended: false },
  // a scoped key may revoke itself
  "revoke-key": { scopedKeys: true, whenPaymentRequired: true, whenSuspended: true },
  billing: { scopedKeys: false, whenPaymentRequired: true, whenSuspended: false },
  stream: { scopedKeys: true, whenPaymentRequired: true, whenSuspended: false },
  provisioning: { scopedKeys: false, whenPaymentRequired: false, whenSuspended: false },
  webhooks: { scopedKeys: true, whenPaymentRequired: false, whenSuspended: false },
  mail: { scopedKeys: true, whenPaymentRequired: false, whenSuspended: false },
}

export type AccessDenied = AccountSuspended | ScopeForbidden | PaymentRequired

export interface Caller {
  readonly state: AccountState
  readonly suspendedReason: string | null
  /** true for a mailbox-scoped key */
  readonly scoped: boolean
}

/** Lets a caller in or says the first thing that stands in its way. */
export const admit = (access: AccessClass, caller: Caller): Either.Either<void, AccessDenied> => {
  const rule = rules[access]
  if (caller.state === "suspended" && !rule.whenSuspended)
    return Either.left(new AccountSuspended({ reason: caller.suspendedReason }))
  if (caller.scoped && !rule.scopedKeys) return Either.left(new ScopeForbidden())
  if (caller.state === "payment_required" && !rule.whenPaymentRequired)
    return Either.left(new PaymentRequired())
  return Either.void
}
