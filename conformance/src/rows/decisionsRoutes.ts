/** decisions §4, routes beyond those of the specification. */
import type { Section } from "./Section.js"

export const decisionsRoutes = [
  {
    where: "Decisions §4, verification and sessions",
    rows: {
      "decisions.verify.link": "The link of the mail stands alone on its line of the text part",
      "decisions.verify.page": "It opens a page with one button: opening it verifies nobody",
      "decisions.verify.json": "POST /v1/auth/verify-email {token}: 200 {ok: true, target}",
      "decisions.verify.form": "A form goes on to the target: 303",
      "decisions.verify.400": "A token that is none: 400",
      "decisions.resend": "POST /v1/auth/resend-verification sends another mail: 200 {ok: true}",
      "decisions.resend.always": "It is 200 for an unknown address too, and sends nothing",
      "decisions.sign-in.401": "A wrong password: 401",
      "decisions.sign-out": "POST /api/auth/sign-out ends the session",
      "decisions.password-reset": "request-password-reset and reset-password set another password by mail",
      "decisions.password-reset.always": "Asking for it is 200 for an unknown address too",
    },
  },
  {
    where: "Decisions §4, attachments",
    rows: {
      "decisions.upload.201":
        "POST /v1/attachments (form field file): 201 {id, filename, contentType, sizeBytes}",
      "decisions.upload.400": "A form without the file: 400",
      "decisions.upload.413": "A file above 25 MB: 413",
      "decisions.upload.delete": "DELETE /v1/attachments/{id}: {deleted: true}, and it is gone",
    },
  },
  {
    where: "Decisions §4, domains",
    rows: {
      "decisions.domains.list": "GET /v1/domains lists them",
      "decisions.domains.create": "POST /v1/domains adds one, pending verification, with its DNS records",
      "decisions.domains.get": "GET /v1/domains/{id} reads one",
      "decisions.domains.delete": "DELETE /v1/domains/{id} removes one",
      "decisions.domains.verify": "POST /v1/domains/{id}/verify looks at its DNS",
      "decisions.domains.rotate": "POST /v1/domains/{id}/rotate-dkim makes the key that is to follow",
    },
  },
  {
    where: "Decisions §4, suppressions",
    rows: {
      "decisions.suppressions.list": "GET /v1/suppressions lists them",
      "decisions.suppressions.create": "POST /v1/suppressions adds an address, MANUAL",
      "decisions.suppressions.delete": "DELETE /v1/suppressions/{id} takes one off",
    },
  },
  {
    where: "Decisions §4, webhooks",
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
    where: "Decisions §4, messages",
    rows: {
      "decisions.messages.reply": "POST …/reply answers the sender: the send body without to and subject",
      "decisions.messages.reply-all": "POST …/reply-all answers everybody",
      "decisions.messages.forward": "POST …/forward sends it on to others",
      "decisions.messages.patch-labels": "PATCH …/messages/{msgId} {labels} labels it",
      "decisions.messages.patch-read": "PATCH …/messages/{msgId} {read} marks it read and unread",
      "decisions.messages.delete": "DELETE …/messages/{msgId} deletes it",
      "decisions.messages.raw": "GET …/raw is the mail as it came: message/rfc822",
    },
  },
  {
    where: "Decisions §4, event log",
    rows: {
      "decisions.log.list": "GET /v1/events/log: oldest first, {events, metadata: {hasMore}}",
      "decisions.log.after": "after goes on behind an id of the stream",
      "decisions.log.filters": "events and mailboxId filter it, limit is 1 to 100",
    },
  },
  {
    where: "Decisions §4, documents and health",
    rows: {
      "decisions.pages.openapi": "GET /openapi.json is the description",
      "decisions.pages.docs": "GET /docs shows it",
      "decisions.pages.healthz": "GET /healthz is ok while the process lives",
      "decisions.pages.readyz": "GET /readyz is ok when it takes work",
      "decisions.pages.outbox": "GET /dev/outbox shows captured mail, by recipient",
      "decisions.pages.outbox-loopback": "It is there for clients of this machine only",
    },
  },
  {
    where: "Decisions §4, errors",
    rows: {
      "decisions.errors.404": "Unknown path: 404 ENDPOINT_NOT_FOUND, and where to look",
      "decisions.errors.405": "Wrong method: 405 in the same shape, with Allow",
      "decisions.errors.code": "Errors carry a code beside error",
      "decisions.errors.issues": "Validation errors name path and message of each issue",
    },
  },
  {
    where: "Decisions §4, Idempotency-Key",
    rows: {
      "decisions.idempotency.replay":
        "A second POST with the key gets the stored answer, Idempotent-Replayed: true",
      "decisions.idempotency.once": "What it did is done once",
      "decisions.idempotency.key": "1 to 256 of A-Z a-z 0-9 - . _ ~, else 400",
      "decisions.idempotency.scope": "It counts for one account, credential and route",
      "decisions.idempotency.4xx": "A refusal by the route's own rules is stored too",
      "decisions.idempotency.gates": "A refusal at the gates is not",
      "decisions.idempotency.body": "Another body under the key: 409",
      "decisions.idempotency.running": "One that still runs: 409 with Retry-After",
      "decisions.idempotency.day": "After 24 hours the key is new",
    },
  },
  {
    where: "Decisions §4, admin",
    rows: {
      "decisions.admin.token": "It takes the operator's token",
      "decisions.admin.accounts": "GET /admin/v1/accounts?q= finds accounts",
      "decisions.admin.suspend": "POST …/suspend {reason} suspends one",
      "decisions.admin.unsuspend": "POST …/unsuspend lets it go on",
      "decisions.admin.plan": "POST …/plan {plan} gives it a plan",
      "decisions.admin.mailbox":
        "POST /admin/v1/mailboxes/{id}/suspend and unsuspend do the same for a mailbox",
      "decisions.admin.stats": "GET /admin/v1/stats counts",
    },
  },
] as const satisfies ReadonlyArray<Section>
