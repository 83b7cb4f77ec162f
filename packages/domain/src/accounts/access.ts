/**
 * The access table (docs/specification/authentication.md), and the order of its refusals: suspended account, then the
 * key's scope, its permissions, then verification, then payment.
 */
import { Either } from "effect"
import {
  AccountSuspended,
  EmailNotVerified,
  PaymentRequired,
  PermissionDenied,
  ScopeForbidden,
  SessionRequired,
} from "../errors.js"
import { mayDo, type NeededPermissions, type Permission } from "../keys/permissions.js"
import type { AccountState } from "./Account.js"
import type { PaymentReason } from "./state.js"

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

/** The keys that a row accepts: all, those with full access, or none (only the owner's session). */
export type AcceptedKeys = "scoped" | "full" | "none"

interface AccessRule {
  readonly keys: AcceptedKeys
  readonly whenUnverified: boolean
  readonly whenPaymentRequired: boolean
  readonly whenSuspended: boolean
}

/** A scoped key that is accepted still sees its own mailboxes only. */
const rules: { readonly [C in AccessClass]: AccessRule } = {
  account: { keys: "full", whenUnverified: true, whenPaymentRequired: true, whenSuspended: true },
  "create-key": { keys: "full", whenUnverified: true, whenPaymentRequired: false, whenSuspended: false },
  // a key may revoke itself, whatever its scope and permissions
  "revoke-key": { keys: "full", whenUnverified: true, whenPaymentRequired: true, whenSuspended: true },
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

export const isAccessClass = (name: string): name is AccessClass => name in rules

export const acceptedKeys = (access: AccessClass): AcceptedKeys => rules[access].keys

export type AccessRefusal =
  | AccountSuspended
  | ScopeForbidden
  | SessionRequired
  | PermissionDenied
  | EmailNotVerified
  | PaymentRequired

export interface Caller {
  readonly state: AccountState
  /** used in the state `payment_required` only */
  readonly paymentReason: PaymentReason
  readonly suspendedReason: string | null
  /** separate from the state, because an account may pay before verification */
  readonly verified: boolean
  /** a scoped key, a key with full access, or the owner's session */
  readonly credential: "scoped" | "full" | "session"
  readonly permissions: ReadonlyArray<Permission>
}

/**
 * Accepts a caller of a route that belongs to this row of the table and needs one of these permissions, or returns the first
 * refusal. `packages/http/src/access.ts` calls it.
 */
export const admitCaller = (
  access: AccessClass,
  needed: NeededPermissions,
  caller: Caller,
): Either.Either<void, AccessRefusal> => {
  const rule = rules[access]
  const { state, credential } = caller
  if (state === "suspended" && !rule.whenSuspended)
    return Either.left(new AccountSuspended({ reason: caller.suspendedReason }))
  if (credential === "scoped" && rule.keys !== "scoped") return Either.left(new ScopeForbidden())
  if (credential === "full" && rule.keys === "none") return Either.left(new SessionRequired())
  if (!mayDo(caller.permissions, needed)) return Either.left(new PermissionDenied({ required: needed }))
  if (!caller.verified && !rule.whenUnverified) return Either.left(new EmailNotVerified())
  if (state === "payment_required" && !rule.whenPaymentRequired)
    return Either.left(new PaymentRequired({ reason: caller.paymentReason }))
  return Either.void
}
