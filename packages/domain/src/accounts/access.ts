/**
 * Who may do what: the table of decisions §3, and the order of its answers:
 * suspended, then the key's scope, then verification or payment.
 */
import { Either } from "effect"
import {
  AccountSuspended,
  EmailNotVerified,
  PaymentRequired,
  ScopeForbidden,
  SessionRequired,
} from "../errors.js"
import type { AccountState } from "./Account.js"

/** One row of the table. A route belongs to exactly one. */
export type AccessClass =
  | "account"
  | "create-key"
  | "revoke-key"
  | "billing"
  | "owner"
  | "welcome"
  | "stream"
  | "provisioning"
  | "domains"
  | "webhooks"
  | "mail"

interface AccessRule {
  /** whose keys may come in: any; those with full access; none, only the owner's session */
  readonly keys: "scoped" | "full" | "none"
  readonly whenUnverified: boolean
  readonly whenPaymentRequired: boolean
  readonly whenSuspended: boolean
}

/** What a scoped key sees behind its gate is its own scope. */
const rules: { readonly [C in AccessClass]: AccessRule } = {
  account: { keys: "full", whenUnverified: true, whenPaymentRequired: true, whenSuspended: true },
  "create-key": { keys: "full", whenUnverified: true, whenPaymentRequired: false, whenSuspended: false },
  // a scoped key may revoke itself
  "revoke-key": { keys: "scoped", whenUnverified: true, whenPaymentRequired: true, whenSuspended: true },
  billing: { keys: "full", whenUnverified: true, whenPaymentRequired: true, whenSuspended: false },
  // what only a person decides: another paid plan, the payment details
  owner: { keys: "none", whenUnverified: true, whenPaymentRequired: true, whenSuspended: false },
  welcome: { keys: "full", whenUnverified: false, whenPaymentRequired: false, whenSuspended: false },
  stream: { keys: "scoped", whenUnverified: true, whenPaymentRequired: true, whenSuspended: false },
  provisioning: { keys: "full", whenUnverified: true, whenPaymentRequired: false, whenSuspended: false },
  domains: { keys: "full", whenUnverified: false, whenPaymentRequired: false, whenSuspended: false },
  webhooks: { keys: "scoped", whenUnverified: true, whenPaymentRequired: false, whenSuspended: false },
  mail: { keys: "scoped", whenUnverified: true, whenPaymentRequired: false, whenSuspended: false },
}

export type AccessDenied =
  | AccountSuspended
  | ScopeForbidden
  | SessionRequired
  | EmailNotVerified
  | PaymentRequired

export interface Caller {
  readonly state: AccountState
  readonly suspendedReason: string | null
  /** apart from the state: an account may pay before its owner is verified */
  readonly verified: boolean
  /** what is asked with: a mailbox-scoped key, a key with full access, or the owner's session */
  readonly credential: "scoped" | "full" | "session"
}

/** Lets a caller in or says the first thing that stands in its way. */
export const admit = (access: AccessClass, caller: Caller): Either.Either<void, AccessDenied> => {
  const rule = rules[access]
  const { state, credential } = caller
  if (state === "suspended" && !rule.whenSuspended)
    return Either.left(new AccountSuspended({ reason: caller.suspendedReason }))
  if (credential === "scoped" && rule.keys !== "scoped") return Either.left(new ScopeForbidden())
  if (credential === "full" && rule.keys === "none") return Either.left(new SessionRequired())
  if (!caller.verified && !rule.whenUnverified) return Either.left(new EmailNotVerified())
  if (state === "payment_required" && !rule.whenPaymentRequired) return Either.left(new PaymentRequired())
  return Either.void
}
