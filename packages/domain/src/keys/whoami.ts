/** What a caller is told about itself (spec: authentication.whoami.full). */
import { Schema } from "effect"
import { AccountState } from "../accounts/Account.js"
import { Plan } from "../billing/plans.js"
import { described } from "../described.js"
import { AccountId, KeyId, MailboxId } from "../ids.js"
import { Permission } from "./permissions.js"
import type { Principal } from "./Principal.js"

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

export const viewPrincipal = ({ account, credential, permissions, scope, state }: Principal): Whoami => ({
  principal: {
    kind: credential.kind === "session" ? "session" : "key",
    ...(credential.kind === "key" && { keyId: credential.id }),
    scoped: scope !== null,
    mailboxIds: scope,
    permissions,
  },
  account: { id: account.id, slug: account.slug, plan: account.plan, state },
})
