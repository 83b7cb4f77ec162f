/** Attachments, webhooks, streams and billing: docs/specification/channels.md. */
import type { Section } from "./Section.js"

export const channels = [
  {
    heading: "Attachments",
    rows: {
      "decisions.upload.201":
        "POST /v1/attachments (form field file): 201 {id, filename, contentType, sizeBytes}",
      "attachments.upload.full": "An upload needs a full-access key",
      "attachments.upload.early": "An upload is allowed right after signup",
      "decisions.upload.400": "A form without the file: 400",
      "decisions.upload.413": "A file above 25 MB: 413",
      "attachments.upload.413": "413 when an upload would exceed the storage",
      "attachments.get.200": "The attachment",
      "attachments.get.402": "402 INBOUND_LIMIT_EXCEEDED when its message is gated",
      "attachments.text.200":
        "GET /v1/attachments/{id}/text: the text inside a file, {text, offset, nextOffset, total, kind}",
      "attachments.text.parts": "offset and maxChars choose a part, nextOffset begins the next one",
      "attachments.text.400": "400 for an invalid offset or maxChars",
      "attachments.text.402": "402 INBOUND_LIMIT_EXCEEDED when its message is gated",
      "attachments.text.kinds": "The bytes of a file decide its kind, then its type and its name",
      "attachments.text.415": "415 NO_TEXT for a file without text, and for an empty one",
      "attachments.text.422":
        "422 for a file that is damaged (TEXT_DAMAGED), encrypted (TEXT_ENCRYPTED), too large inside (TEXT_TOO_LARGE) or takes too long (TEXT_TOO_SLOW)",
      "decisions.upload.delete": "DELETE /v1/attachments/{id}: {deleted: true}, and it is gone",
    },
  },
  {
    heading: "POST /v1/webhooks",
    rows: {
      "webhooks.create.201": "201 with id, url, events and secret",
      "webhooks.create.once": "The secret is not shown again",
      "webhooks.create.scoped": "A scoped key creates a webhook for a mailbox of its scope",
      "decisions.webhook.mailboxId": "mailboxId is required with a scoped key",
      "webhooks.create.403": "403 for a scoped key without a mailboxId: no account-wide webhooks",
      "decisions.webhook.mailbox-bound": "A webhook with a mailboxId gets the events of that mailbox only",
      "webhooks.create.400": "400 for an invalid body",
      "webhooks.create.401": "401 without a key",
      "webhooks.create.402": "402 when payment is required",
      "decisions.webhook.https": "url is https",
      "decisions.webhook.userinfo": "url has no user name and no password",
      "decisions.webhook.private-literal": "A literal address that is not public is refused",
      "decisions.webhook.private-name": "A name that resolves to a private address is refused",
      "decisions.webhook.unresolved": "A name that does not resolve yet is accepted",
      "decisions.webhook.headers-sent": "headers are sent with every delivery",
      "decisions.webhook.headers-10": "headers: at most 10",
      "decisions.webhook.headers-refused": "headers: none that shape the request, none of the service's own",
    },
  },
  {
    heading: "Other routes of webhooks",
    rows: {
      "decisions.webhooks.list": "GET /v1/webhooks lists them",
      "decisions.webhooks.get": "GET /v1/webhooks/{id} reads one",
      "decisions.webhooks.update": "PATCH /v1/webhooks/{id} changes one",
      "decisions.webhooks.delete": "DELETE /v1/webhooks/{id} removes one",
      "decisions.webhooks.test": "POST …/test {event?}: 202 {delivery}",
      "decisions.webhooks.rotate": "POST …/rotate-secret: 200 {webhook} with the new secret",
      "decisions.webhooks.deliveries": "GET …/deliveries lists deliveries",
      "decisions.webhooks.delivery": "GET …/deliveries/{deliveryId} reads one, with its payload",
      "decisions.webhooks.redeliver": "POST …/redeliver: 202 {delivery}",
    },
  },
  {
    heading: "GET /v1/events",
    rows: {
      "events.get.stream": "A stream of server-sent events that stays open",
      "events.get.mailboxId": "mailboxId keeps one mailbox",
      "events.get.events": "events keeps the kinds that are listed",
      "events.get.last-event-id": "Last-Event-ID is optional, and continues a stream",
      "decisions.stream.unknown-kind": "An unknown kind in events: 400",
      "events.get.401": "401 without a key",
      "decisions.stream.foreign-mailbox": "A foreign mailboxId: 404",
      "events.get.429": "429 when 5 connections are open",
    },
  },
  {
    heading: "GET /v1/events/log",
    rows: {
      "decisions.log.list": "GET /v1/events/log: oldest first, {events, metadata: {hasMore}}",
      "decisions.log.after": "after continues behind an id of the stream",
      "decisions.log.latest": "after=latest: an empty page whose nextAfter is the newest event",
      "decisions.log.filters": "events and mailboxId filter it, limit is 1 to 100",
    },
  },
  {
    heading: "POST /v1/billing/upgrade",
    rows: {
      "billing.upgrade.201": "201 with checkout_url, expires_at and message; no body needed",
      "decisions.upgrade.default": "Without plan and period: Developer, monthly",
      "decisions.upgrade.chosen": "With them: the named plan and period",
      "decisions.upgrade.annual": "Annual prices exist for Developer and Growth; for Scale it is monthly",
      "billing.upgrade.409": "409 when the account has paid",
      "decisions.upgrade.409-paid": "On a paid plan: 409",
      "decisions.upgrade.409-none": "Under BILLING=none: 409",
    },
  },
  {
    heading: "The checkout",
    rows: {
      "decisions.upgrade.page": "checkout_url is a page with a button",
      "decisions.upgrade.complete-json": "{checkout_url}/complete answers JSON with {ok: true, plan}",
      "decisions.upgrade.complete-form": "It answers a form with 303",
      "decisions.upgrade.once": "A completed checkout answers 410",
      "decisions.upgrade.expired": "An expired checkout answers 410",
      "decisions.upgrade.unlocks": "The account is active at once, and gated messages are visible",
      "decisions.upgrade.before-verification":
        "Paying before verification is allowed: active, and sending still 403",
      "decisions.upgrade.lapse": "A lapse changes active to payment_required",
    },
  },
  {
    heading: "POST /v1/billing/change-plan",
    rows: {
      "decisions.upgrade.change-plan": "change-plan chooses another paid plan, with a session only",
    },
  },
] as const satisfies ReadonlyArray<Section>
