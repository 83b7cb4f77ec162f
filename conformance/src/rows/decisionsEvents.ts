/** decisions §7, events and webhooks. */
import type { Section } from "./Section.js"

export const decisionsEvents = [
  {
    where: "Decisions §7, payloads",
    rows: {
      "decisions.payload.message_id": "message_id is our id: the routes take it",
      "decisions.payload.rfc_message_id": "rfc_message_id is the header",
      "decisions.payload.from": "from is the bare address, from_name beside it",
      "decisions.check-slug.reasons": "check-slug's reasons are reserved and taken",
    },
  },
  {
    where: "Decisions §7, stream",
    rows: {
      "decisions.stream.stored": "What is announced is stored: the message reads at once",
      "decisions.stream.counter":
        "The id's counter counts the account's events, without gaps, in their order",
      "decisions.stream.order": "Stream and replay have the same order",
      "decisions.stream.unknown-id": "An unknown Last-Event-ID replays the whole buffer",
      "decisions.stream.headers": "Cache-Control: no-cache, no-transform and X-Accel-Buffering: no",
      "decisions.stream.reconnect": "The reconnect frame carries data: {}",
      "decisions.stream.scoped": "A scoped key's stream carries its mailboxes only",
      "decisions.stream.unknown-kind": "An unknown kind in events: 400",
      "decisions.stream.foreign-mailbox": "A foreign mailboxId: 404",
    },
  },
  {
    where: "Decisions §7, webhooks",
    rows: {
      "decisions.webhook.https": "url is https",
      "decisions.webhook.userinfo": "url has no user name and password",
      "decisions.webhook.private-literal": "A literal address that is not public is refused",
      "decisions.webhook.private-name": "A name that resolves to one is refused",
      "decisions.webhook.unresolved": "A name that does not resolve yet is accepted",
      "decisions.webhook.redirects": "Redirects are not followed",
      "decisions.webhook.2xx": "2xx is success",
      "decisions.webhook.410": "410 fails the webhook at once",
      "decisions.webhook.mailboxId": "mailboxId is required with a scoped key",
      "decisions.webhook.mailbox-bound": "One bound to a mailbox gets its events only",
      "decisions.webhook.headers-10": "headers: at most 10",
      "decisions.webhook.headers-refused": "headers: none that shape the request or are the service's own",
      "decisions.webhook.headers-sent": "headers are sent with every delivery",
      "decisions.webhook.signature":
        "The signature: lower-case hex HMAC-SHA256, keyed with the secret as given",
      "decisions.webhook.service-headers": "X-Service-Delivery-Id and X-Service-Event are sent",
      "decisions.webhook.standard": "The headers of Standard Webhooks are sent",
    },
  },
  {
    where: "Decisions §7, retries",
    rows: {
      "decisions.retry.schedule": "After 1 min, 5 min, 30 min, 2 h and 12 h, 10% more or less",
      "decisions.retry.failed": "Then the delivery is FAILED: there is no 7th attempt",
      "decisions.retry.retry-after": "Retry-After is honoured",
      "decisions.retry.ten": "Ten deliveries in a row that used up their attempts make the webhook FAILED",
      "decisions.retry.restart":
        "PATCH {status: ACTIVE} starts it again, and redeliver brings back what failed",
      "decisions.retry.order": "A mailbox's events are first attempted in their order",
      "decisions.retry.slow": "A slow receiver delays no other webhook",
      "decisions.retry.stable-id": "X-Service-Delivery-Id stays the same across attempts",
    },
  },
] as const satisfies ReadonlyArray<Section>
