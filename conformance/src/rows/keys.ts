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
    heading: "DELETE /v1/api-keys/{id}",
    rows: {
      "keys.revoke.200": "200, and the key is refused from then on",
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
] as const satisfies ReadonlyArray<Section>
