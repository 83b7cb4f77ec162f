/** Credentials, scopes and access rights: docs/specification/authentication.md. */
import type { Section } from "./Section.js"

export const authentication = [
  {
    heading: "Credentials",
    rows: {
      "endpoints.bearer": "Routes that are not public need Authorization: Bearer",
      "authentication.rule-1-others": "Every other documented endpoint needs a key",
      "authentication.rule-1-signup": "Signup needs no credentials",
      "authentication.rule-1-check-slug": "Checking a slug needs no credentials",
      "authentication.rule-1-resend": "Sending the verification mail again needs no credentials",
      "authentication.rule-8": "The event stream takes a bearer key",
      "authentication.rule-2-missing": "401 without a key",
      "authentication.rule-2-invalid": "401 with an invalid key",
      "decisions.access.session": "A session is the account's full access everywhere",
      "decisions.access.origin": "Except on GET it is accepted from the service's own origin only",
      "authentication.rule-6":
        "A lost key is replaced: sign in, create a key with the cookie, revoke the lost key",
      "authentication.rule-7":
        "Deliveries carry the HMAC-SHA256 of the raw body, keyed with the webhook's secret",
    },
  },
  {
    heading: "Before and after verification",
    rows: {
      "authentication.rule-4-mailboxes": "Mailboxes can be created right after signup",
      "authentication.rule-4-webhooks": "Webhooks can be created right after signup",
      "authentication.rule-4-attachments": "Attachments can be uploaded right after signup",
      "authentication.rule-3-unverified": "Before verification the first key cannot send",
      "authentication.rule-4-send": "A send before verification answers 403",
      "authentication.rule-3-trial":
        "After verification: 3 days, the owner's address, 10 sends and 10 received messages",
      "authentication.rule-3-spent":
        "A spent or expired trial answers 402 PAYMENT_REQUIRED until a checkout is completed",
    },
  },
  {
    heading: "Full and scoped keys",
    rows: {
      "authentication.rule-5-full": "A full-access key may use all routes of the account",
      "authentication.rule-5-scoped": "A scoped key lists, reads, sends and changes in its mailboxes",
      "authentication.rule-5-404": "Mailboxes out of its scope answer 404",
      "authentication.rule-5-403": "Routes of the account answer 403",
      "decisions.access.account.self": "A scoped key may revoke itself",
      "authentication.rule-5-webhooks": "It creates webhooks for its mailboxes only",
    },
  },
  {
    heading: "GET /v1/whoami",
    rows: {
      "authentication.whoami.full": "200 for a key of full access: its id, what it may do, its account",
      "authentication.whoami.scoped": "200 for a scoped key, with its mailboxes",
      "authentication.whoami.session": "200 for a session, without a keyId",
      "authentication.whoami.states": "200 in every state of the account",
    },
  },
  {
    heading: "Who may call which route",
    rows: {
      "decisions.access.account.scoped": "Account and keys, reading and deleting: 403 for a scoped key",
      "decisions.access.account.unverified":
        "Account and keys, reading and deleting: yes before verification",
      "decisions.access.account.payment_required":
        "Account and keys, reading and deleting: yes when payment is required",
      "decisions.access.account.suspended": "Account and keys, reading and deleting: yes when suspended",
      "decisions.access.create-key.scoped": "Making keys: 403 for a scoped key",
      "decisions.access.create-key.unverified": "Making keys: yes before verification",
      "decisions.access.create-key.payment_required": "Making keys: 402 when payment is required",
      "decisions.access.create-key.suspended": "Making keys: 403 when suspended",
      "decisions.access.target.scoped": "post-verify-target: 403 for a scoped key",
      "decisions.access.upgrade.scoped": "Upgrade: 403 for a scoped key",
      "decisions.access.target.unverified": "post-verify-target: yes before verification",
      "decisions.access.upgrade.unverified": "Upgrade: yes before verification",
      "decisions.access.target.payment_required": "post-verify-target: yes when payment is required",
      "decisions.access.upgrade.payment_required": "Upgrade: yes when payment is required",
      "decisions.access.target.suspended": "post-verify-target: 403 when suspended",
      "decisions.access.upgrade.suspended": "Upgrade: 403 when suspended",
      "decisions.access.welcome.scoped": "welcome: 403 for a scoped key",
      "decisions.access.welcome.unverified": "welcome: 403 before verification",
      "decisions.access.welcome.payment_required": "welcome: 402 when payment is required",
      "decisions.access.welcome.suspended": "welcome: 403 when suspended",
      "decisions.access.stream.scoped": "The stream: its own mailboxes for a scoped key",
      "decisions.access.stream.unverified": "The stream: yes before verification",
      "decisions.access.stream.payment_required": "The stream: yes when payment is required",
      "decisions.access.stream.suspended": "The stream: 403 when suspended",
      "decisions.access.provisioning.scoped": "Mailboxes made and deleted, uploads: 403 for a scoped key",
      "decisions.access.provisioning.unverified":
        "Mailboxes made and deleted, uploads: yes before verification",
      "decisions.access.provisioning.payment_required":
        "Mailboxes made and deleted, uploads: 402 when payment is required",
      "decisions.access.provisioning.suspended": "Mailboxes made and deleted, uploads: 403 when suspended",
      "decisions.access.domains.scoped": "Domains and suppressions: 403 for a scoped key",
      "decisions.access.domains.unverified": "Domains and suppressions: 403 before verification",
      "decisions.access.domains.payment_required": "Domains and suppressions: 402 when payment is required",
      "decisions.access.domains.suspended": "Domains and suppressions: 403 when suspended",
      "decisions.access.webhooks.scoped": "Webhooks: of its own mailboxes for a scoped key",
      "decisions.access.webhooks.unverified": "Webhooks: yes before verification",
      "decisions.access.webhooks.payment_required": "Webhooks: 402 when payment is required",
      "decisions.access.webhooks.suspended": "Webhooks: 403 when suspended",
      "decisions.access.mail.scoped": "Everything else: its own for a scoped key, else 404",
      "decisions.access.mail.unverified": "Everything else: yes before verification, but sending",
      "decisions.access.mail.payment_required": "Everything else: 402 when payment is required",
      "decisions.access.mail.suspended": "Everything else: 403 when suspended",
      "decisions.access.402": "402 is {error, payment_required, code, upgrade}",
      "decisions.access.403-suspended": "A suspended account's 403 is {error, suspended: true, reason}",
    },
  },
  {
    heading: "The order of refusals",
    rows: {
      "decisions.order.401-first": "401 comes before everything",
      "decisions.order.suspended": "Then the suspended account's 403, before the scope's",
      "decisions.order.scope": "Then the scope's 403, before 402",
      "decisions.order.payment": "Then 402, before the path's 404",
      "decisions.order.path": "Then 404 for a malformed id, before the body's and the query's 400",
      "decisions.order.body": "Then 400 for body and query, before the 404 for what they name",
      "decisions.order.named": "Then 404 for what they name, before the route's own rules",
    },
  },
] as const satisfies ReadonlyArray<Section>
