/** spec, Endpoints, Attachments, webhooks, events, billing. */
import type { Section } from "./Section.js"

export const channels = [
  {
    where: "Endpoints, GET /v1/attachments/{id}",
    rows: {
      "attachments.get.200": "The attachment",
      "attachments.get.402": "402 INBOUND_LIMIT_EXCEEDED when its message is gated",
      "attachments.upload.413": "413 when an upload would exceed the storage",
      "attachments.upload.full": "An upload needs a full-access key",
      "attachments.upload.early": "An upload is allowed right after signup",
    },
  },
  {
    where: "Endpoints, POST /v1/webhooks",
    rows: {
      "webhooks.create.201": "201 with id, url, events and secret",
      "webhooks.create.once": "The secret is shown this once",
      "webhooks.create.400": "400 for a body that is not in order",
      "webhooks.create.401": "401 without a key",
      "webhooks.create.402": "402 when payment is required",
      "webhooks.create.403": "403 for a scoped key without its mailbox: no account-wide webhooks",
      "webhooks.create.scoped": "A scoped key makes one bound to its mailbox",
    },
  },
  {
    where: "Endpoints, GET /v1/events",
    rows: {
      "events.get.stream": "A stream of server-sent events that stays open",
      "events.get.mailboxId": "mailboxId keeps one mailbox",
      "events.get.events": "events keeps the kinds that are listed",
      "events.get.last-event-id": "Last-Event-ID is optional, and continues",
      "events.get.401": "401 without a key",
      "events.get.429": "429 when 5 connections are open",
    },
  },
  {
    where: "Endpoints, POST /v1/billing/upgrade",
    rows: {
      "billing.upgrade.201": "201 with checkout_url, expires_at and message; no body needed",
      "billing.upgrade.409": "409 when the account has paid",
    },
  },
] as const satisfies ReadonlyArray<Section>
