/** The caller: its account at the time of the request, the scope of its credential, and what it may do. */
import type { Caller } from "../accounts/access.js"
import type { AccountRecord, AccountState } from "../accounts/Account.js"
import { paymentReason } from "../accounts/state.js"
import type { KeyId } from "../ids.js"
import type { Scope } from "./ApiKey.js"
import type { Permission } from "./permissions.js"

export type Credential =
  | { readonly kind: "key"; readonly id: KeyId; readonly name: string }
  | { readonly kind: "session"; readonly hash: string }
  /** the program that embeds the engine */
  | { readonly kind: "embedded" }

export interface Principal {
  readonly account: AccountRecord
  readonly state: AccountState
  readonly scope: Scope
  readonly permissions: ReadonlyArray<Permission>
  readonly credential: Credential
}

/** The caller as the access table sees it. */
export const callerOf = (principal: Principal): Caller => ({
  state: principal.state,
  paymentReason: paymentReason(principal.account),
  suspendedReason: principal.account.suspendedReason,
  verified: principal.account.emailVerifiedAt !== null,
  permissions: principal.permissions,
  credential: principal.scope !== null ? "scoped" : principal.credential.kind === "key" ? "full" : "session",
})
