/** The service as a whole: docs/specification/service.md. */
import type { Section } from "./Section.js"

export const service = [
  {
    heading: "What an agent can do",
    rows: {
      "service.1": "An agent signs up without credentials and gets a first key",
      "service.2": "An agent creates mailboxes on the platform domain",
      "service.2-domain": "An agent creates mailboxes on its own verified domain",
      "service.3":
        "The response to a send comes when the relay has accepted it; inReplyTo continues a conversation",
      "service.4": "An agent reads messages, threads and attachments",
      "service.5-webhooks": "Inbound mail is announced by signed webhooks",
      "service.5-stream": "Inbound mail is announced on the event stream",
      "service.6": "A key has full access or is scoped to mailboxes",
      "service.7-domains": "An agent manages custom domains",
      "service.7-suppressions": "An agent manages the addresses that must not be written to",
      "service.8": "An agent requests a checkout link, whose payment lifts the limits",
    },
  },
  {
    heading: "What a new account has",
    rows: {
      "service.slug": "The slug is the permanent subdomain and cannot be changed",
      "service.default-mailbox": "A new account has an ACTIVE mailbox on the platform domain",
      "service.default-key": "A new account has a key, and its value is shown once",
      "service.address": "A mailbox's address is {address}@{slug}.{platform_domain}",
      "service.provisioning":
        "Mailboxes are provisioned after the response; mailServerProvisioned shows when it is done",
      "service.provisioning-status": "status does not show provisioning: it is ACTIVE from the start",
      "service.trial": "A trial without a card begins when the owner verifies the address",
      "service.plans": "The plans are Free, Developer, Growth and Scale",
    },
  },
  {
    heading: "Conventions",
    rows: {
      "conventions.second-address": "The API answers the same under another host name",
      "conventions.json": "Requests and responses are JSON with the right content type",
      "conventions.camel": "Fields of responses are camelCase",
      "conventions.snake-events": "Fields of event payloads are snake_case",
      "conventions.snake-signup": "The responses to signup and upgrade are snake_case",
      "conventions.header-prefix": "The service's own headers begin with X-Service-",
      "service.unknown-path":
        "A path that does not exist is a JSON 404 with error, code, message and resolution",
      "decisions.values.bytes": "MB and GB are binary: Free has 1,073,741,824 bytes",
      "decisions.values.ids": "Ids are UUIDs of version 7, and sort by time",
      "decisions.values.times": "Times are ISO 8601 UTC with milliseconds",
      "decisions.values.addresses": "Addresses are compared lower-case",
    },
  },
  {
    heading: "Names in responses",
    rows: {
      "decisions.names.keys": "Keys are listed as keys",
      "decisions.names.mailboxes": "Mailboxes are mailboxes and mailbox",
      "decisions.names.messages": "Messages are messages and message",
      "decisions.names.threads": "Threads are threads and thread",
      "decisions.names.domains": "Domains are domains and domain",
      "decisions.names.webhooks": "Webhooks are webhooks and webhook",
      "decisions.names.deliveries": "Deliveries are deliveries and delivery",
      "decisions.names.suppressions": "Suppressions are suppressions and suppression",
      "decisions.names.account": "The account is account",
      "decisions.flat.key": "A created key is flat: id, name, key, prefix, scoped, mailboxIds?",
      "decisions.flat.attachment": "Attachments are flat, uploaded and read",
      "decisions.flat.deleted": "A deletion is {deleted: true}",
      "decisions.flat.revoked": "A revocation is {revoked: true}",
      "decisions.flat.ok": "A response without content is {ok: true}",
      "decisions.flat.upgrade": "The upgrade is flat",
      "decisions.flat.signup": "The signup is flat",
    },
  },
  {
    heading: "Idempotency-Key",
    rows: {
      "decisions.idempotency.key": "1 to 256 of A-Z a-z 0-9 - . _ ~, else 400",
      "decisions.idempotency.replay":
        "A second POST with the key gets the stored response, with Idempotent-Replayed: true",
      "decisions.idempotency.once": "The work is done once",
      "decisions.idempotency.scope": "A key belongs to one account, credential and route",
      "decisions.idempotency.4xx": "A refusal by the route's own rules is stored too",
      "decisions.idempotency.gates": "A refusal before those rules is not stored",
      "idempotency.refusals": "With Idempotency-Refusals: retry, no refusal is stored",
      "decisions.idempotency.body": "Another body under the key: 409",
      "decisions.idempotency.running": "While the first request runs: 409 with Retry-After",
      "decisions.idempotency.day": "After 24 hours the key counts as new",
    },
  },
  {
    heading: "Documents and health",
    rows: {
      "decisions.pages.openapi": "GET /openapi.json is the description",
      "decisions.pages.docs": "GET /docs shows the description as a page",
      "decisions.pages.healthz": "GET /healthz is ok while the process lives",
      "decisions.pages.readyz": "GET /readyz is ok when the process takes work",
      "decisions.pages.outbox": "GET /dev/outbox shows captured mail, by recipient",
      "decisions.pages.outbox-loopback": "Only clients of the same machine can read it",
    },
  },
  {
    heading: "The operator's routes",
    rows: {
      "decisions.admin.token": "The routes need the operator's token",
      "decisions.admin.accounts": "GET /admin/v1/accounts?q= finds accounts",
      "decisions.admin.suspend": "POST …/suspend {reason} suspends one",
      "decisions.admin.unsuspend": "POST …/unsuspend ends the suspension",
      "decisions.admin.plan": "POST …/plan {plan} sets the plan",
      "decisions.admin.mailbox":
        "POST /admin/v1/mailboxes/{id}/suspend and unsuspend do the same for a mailbox",
      "decisions.admin.stats": "GET /admin/v1/stats returns statistics",
      "admin.doctor": "POST /admin/v1/doctor compares counts with their rows",
      "admin.errors": "GET /admin/v1/errors shows the warnings and errors of the log",
    },
  },
] as const satisfies ReadonlyArray<Section>
