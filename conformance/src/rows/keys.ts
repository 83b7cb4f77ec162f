/** API keys: docs/specification/keys.md. */
import type { Section } from "./Section.js"

export const keys = [
  {
    heading: "GET /v1/api-keys",
    rows: {
      "keys.list.200": "200 with all keys: prefix and metadata only",
      "keys.list.401": "401 without a key",
      "keys.list.403": "403 for a scoped key",
    },
  },
  {
    heading: "POST /v1/api-keys",
    rows: {
      "keys.create.201-full": "201 with a full-access key without mailboxIds",
      "keys.create.201-scoped": "201 with a scoped key with mailboxIds",
      "keys.create.once": "No other response shows the key",
      "keys.create.session": "A session can create a key, for recovery",
      "keys.create.400": "400 for an invalid body",
      "keys.create.401": "401 without a key",
      "keys.create.402": "402 when payment is required",
      "keys.create.403": "403 for a scoped key",
      "keys.create.404": "404 for a mailbox that does not exist",
    },
  },
  {
    heading: "Permissions",
    rows: {
      "keys.permissions.default":
        "Left out: everything for full access; read, send and draft for a scoped key",
      "keys.permissions.presets": "Presets: readOnly is read, draftOnly is read and draft",
      "keys.permissions.shown": "The list, the creation and whoami show the permissions",
      "keys.permissions.400": "400 for an unknown permission, and for none",
      "keys.permissions.review": "400 for a scoped key with review",
      "keys.permissions.beyond": "A key never creates a key that may do more than itself: 403",
      "keys.permissions.denied":
        "403 PERMISSION_DENIED with `required` for a route that needs another permission",
      "keys.permissions.content":
        "What shows a message needs read, too: a forward, a file of it in a send or a draft, and its quarantine",
      "keys.permissions.order": "The permission is checked after the scope, before verification and payment",
      "keys.permissions.self": "A key may always revoke itself",
      "keys.permissions.last": "A key that may not manage does not replace the last key of full access",
    },
  },
  {
    heading: "DELETE /v1/api-keys/{id}",
    rows: {
      "keys.revoke.200": "200, and the key is refused from then on",
      "keys.revoke.scheduled": "What the key has scheduled is sent at its time all the same",
      "keys.revoke.400": "400 for a bearer key that revokes the only active full-access key",
      "decisions.upgrade.last-key-states":
        "The last full-access key cannot be revoked in unverified, trial and active",
      "decisions.upgrade.last-key-session": "A session may revoke it",
      "keys.revoke.unpaid": "An account that requires payment may still revoke",
      "keys.revoke.suspended": "A suspended account may still revoke",
      "keys.revoke.401": "401 without a key",
      "keys.revoke.403": "403 for a scoped key",
      "keys.revoke.404": "404 for a key that does not exist",
    },
  },
  {
    heading: "GET /v1/audit",
    rows: {
      "keys.audit.200": "200 with the entries, newest first, in pages",
      "keys.audit.entry": "An entry has action, actor, target, detail and time, and no secret",
      "keys.audit.refused": "A change has one entry, a refused request none",
      "keys.audit.sign-ins": "Sign-ins, sign-outs and at most five wrong passwords an hour are recorded",
      "keys.audit.admin": "What the operator did to the account is in its trail",
      "keys.audit.operator": "The operator reads every trail, and its own: invitations and deleted accounts",
      "keys.audit.401": "401 without a key",
      "keys.audit.403": "403 for a scoped key, and for a key without manage",
      "keys.audit.kept": "An entry is kept for 400 days",
    },
  },
] as const satisfies ReadonlyArray<Section>
