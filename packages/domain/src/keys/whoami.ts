/** What a caller is told about itself (spec: authentication.whoami.full). */
import { Schema } from "effect"
import { AccountState } from "../accounts/Account.js"
import { Plan } from "../billing/plans.js"
import { described } from "../described.js"
import { AccountId, KeyId, MailboxId } from "../ids.js"
import type { Principal } from "./Principal.js"

export const Permission = Schema.Literal("read", "send", "manage").annotations({
  identifier: "Permission",
  description: "read mail; send mail; manage mailboxes, keys, domains and billing",
})
export type Permission = typeof Permission.Type

export const Whoami = Schema.Struct({
  principal: described(
    Schema.Struct({
      kind: described(Schema.Literal("key", "session"), "an API key, or the owner's session"),
      keyId: Schema.optional(KeyId).annotations({ description: "id of the key; absent for a session" }),
      scoped: described(Schema.Boolean, "whether it is restricted to mailboxes"),
      mailboxIds: described(
        Schema.NullOr(Schema.Array(MailboxId)),
        "mailboxes in its scope; null for all mailboxes of the account",
      ),
      permissions: described(Schema.Array(Permission), "what it may do"),
    }),
    "the caller",
  ),
  account: described(
    Schema.Struct({
      id: described(AccountId, "id of the account"),
      slug: described(Schema.String, "the subdomain of the account's addresses"),
      plan: described(Plan, "current plan"),
      state: described(AccountState, "state of the account"),
    }),
    "its account",
  ),
}).annotations({ identifier: "Whoami", description: "The caller and its account" })
export type Whoami = typeof Whoami.Type

/** A scoped key reads and sends in its mailboxes; everybody else manages the account, too. */
const permissionsOf = ({ scope }: Principal): ReadonlyArray<Permission> =>
  scope === null ? ["read", "send", "manage"] : ["read", "send"]

export const viewPrincipal = (principal: Principal): Whoami => {
  const { account, credential, scope, state } = principal
  return {
    principal: {
      kind: credential.kind === "session" ? "session" : "key",
      ...(credential.kind === "key" && { keyId: credential.id }),
      scoped: scope !== null,
      mailboxIds: scope,
      permissions: permissionsOf(principal),
    },
    account: { id: account.id, slug: account.slug, plan: account.plan, state },
  }
}
