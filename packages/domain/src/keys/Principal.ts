/** Who is calling: the account as it was when the request came in, and what its credential may touch. */
import type { Caller } from "../accounts/access.js"
import type { AccountRecord, AccountState } from "../accounts/Account.js"
import type { KeyId } from "../ids.js"
import type { Scope } from "./ApiKey.js"

export type Credential =
  | { readonly kind: "key"; readonly id: KeyId }
  | { readonly kind: "session"; readonly hash: string }
  /** the program that embeds the engine */
  | { readonly kind: "embedded" }

export interface Principal {
  readonly account: AccountRecord
  readonly state: AccountState
  readonly scope: Scope
  readonly credential: Credential
}

/** What the access table looks at. */
export const callerOf = (principal: Principal): Caller => ({
  state: principal.state,
  suspendedReason: principal.account.suspendedReason,
  verified: principal.account.emailVerifiedAt !== null,
  credential: principal.scope !== null ? "scoped" : principal.credential.kind === "key" ? "full" : "session",
})
