/**
 * The access table (docs/specification/authentication.md), and the order of its refusals: suspended account, then the
 * key's scope, then verification, then payment.
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

/** A row of the table. Every route belongs to exactly one row. */
export type AccessClass =
  | "account"
  | "create-key"
  | "revoke-key"
  | "whoami"
  | "billing"
  | "owner"
  | "welcome"
  | "stream"
  | "provisioning"
  | "domains"
  | "webhooks"
  | "mail"

interface AccessRule {
  /** the keys that are accepted: all, those with full access, or none (only the owner's session) */
  readonly keys: "scoped" | "full" | "none"
  readonly whenUnverified: boolean
  readonly whenPaymentRequired: boolean
  readonly whenSuspended: boolean
}

/** A scoped key that is accepted still sees its own mailboxes only. */
const rules: { readonly [C in AccessClass]: AccessRule } = {
  account: { keys: "full", whenUnverified: true, whenPaymentRequired: true, whenSuspended: true },
  "create-key": { keys: "full", whenUnverified: true, whenPaymentRequired: false, whenSuspended: false },
  // a scoped key may revoke itself
  "revoke-key": { keys: "scoped", whenUnverified: true, whenPaymentRequired: true, whenSuspended: true },
  // says who the caller is, whatever it may do
  whoami: { keys: "scoped", whenUnverified: true, whenPaymentRequired: true, whenSuspended: true },
  billing: { keys: "full", whenUnverified: true, whenPaymentRequired: true, whenSuspended: false },
  // decisions that only a person makes: changing the plan, payment details
  owner: { keys: "none", whenUnverified: true, whenPaymentRequired: true, whenSuspended: false },
  welcome: { keys: "full", whenUnverified: false, whenPaymentRequired: false, whenSuspended: false },
  stream: { keys: "scoped", whenUnverified: true, whenPaymentRequired: true, whenSuspended: false },
  provisioning: { keys: "full", whenUnverified: true, whenPaymentRequired: false, whenSuspended: false },
  domains: { keys: "full", whenUnverified: false, whenPaymentRequired: false, whenSuspended: false },
  webhooks: { keys: "scoped", whenUnverified: true, whenPaymentRequired: false, whenSuspended: false },
  // `admitSend` refuses the send of an unverified owner
  mail: { keys: "scoped", whenUnverified: true, whenPaymentRequired: false, whenSuspended: false },
}

export type AccessRefusal =
  | AccountSuspended
  | ScopeForbidden
  | SessionRequired
  | EmailNotVerified
  | PaymentRequired

export interface Caller {
  readonly state: AccountState
  readonly suspendedReason: string | null
  /** separate from the state, because an account may pay before verification */
  readonly verified: boolean
  /** a scoped key, a key with full access, or the owner's session */
  readonly credential: "scoped" | "full" | "session"
}

/** Accepts a caller on a row of the table, or returns the first refusal. `packages/http/src/access.ts` calls it. */
export const admitCaller = (access: AccessClass, caller: Caller): Either.Either<void, AccessRefusal> => {
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
