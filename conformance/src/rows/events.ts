/** Events and their delivery: docs/specification/events.md. */
import type { Section } from "./Section.js"

export const events = [
  {
    heading: "The envelope",
    rows: {
      "events.envelope": "Webhooks and the stream carry the same {event, timestamp, data}",
      "events.timestamp": "timestamp is ISO 8601 UTC",
      "events.snake": "All fields of data are snake_case",
      "events.kinds": "The kinds are those in the table of the page, and no other",
      "events.emission.received": "message.received when mail arrives, as a stub when it is gated",
      "events.emission.sent": "message.sent when mail is sent",
      "events.emission.delivered": "message.delivered when the provider reports the delivery",
      "events.emission.bounced": "message.bounced when the provider reports a bounce",
      "events.emission.complaint": "message.complaint when a recipient complains",
      "events.emission.sending-warning": "mailbox.sending_warning when bounces or complaints pass half",
      "events.emission.sending-stopped": "mailbox.sending_stopped when they stop the sending",
      "events.emission.quarantined": "message.quarantined when a message is quarantined",
      "events.emission.taken-over": "thread.taken_over when a person takes a thread over",
      "events.emission.released": "thread.released when the thread is released",
      "decisions.payload.message_id": "message_id is our id: the routes take it",
      "decisions.payload.rfc_message_id": "rfc_message_id is the header",
      "decisions.payload.from": "from is the bare address, from_name beside it",
    },
  },
  {
    heading: "message.received",
    rows: {
      "events.shape.received":
        "message.received: ids, addresses, subject, bodies, thread, in_reply_to, time, attachments",
      "events.rule-3": "From 50% of the limit, complete payloads carry account.inbound_usage without upgrade",
      "events.rule-4-size": "attachments_dropped_reason is size for an attachment above 25 MB",
      "events.rule-4-count": "It is count for attachments beyond the 20th",
      "events.rule-4-both": "It is both when both happened",
      "events.rule-4-none": "Both fields are absent when nothing was dropped",
      "events.rule-5": "content_id is the Content-ID that the HTML's cid: refers to",
      "events.shape.stub":
        "The stub: over_limit, ids, address, time, account.inbound_usage and account.upgrade",
      "events.rule-1": "A stub has no content; only stubs carry over_limit and account.upgrade",
      "events.rule-2": "inbound_usage.status is limit_reached on a stub",
      "events.rule-6": "Stubs are delivered and retried like any event",
    },
  },
  {
    heading: "Events of sent mail",
    rows: {
      "events.shape.sent": "message.sent: ids, address, from, to, subject, thread_id, sent_at",
      "events.shape.delivered": "message.delivered: ids, address, recipients, delivered_at",
      "events.shape.bounced": "message.bounced: ids, address, bounced_recipients, bounced_at",
      "events.shape.complaint": "message.complaint: ids, address, complained_recipients, complained_at",
    },
  },
  {
    heading: "Events of sending health",
    rows: {
      "events.shape.sending-warning":
        "mailbox.sending_warning: mailbox, reason, sends, hard_bounces, complaints, warned_at",
      "events.shape.sending-stopped": "mailbox.sending_stopped: the same, stopped_at",
    },
  },
  {
    heading: "message.quarantined",
    rows: {
      "events.shape.quarantined":
        "message.quarantined: ids, address, from, reasons, trust, times, and no content",
    },
  },
  {
    heading: "Events of takeovers",
    rows: {
      "events.shape.taken-over": "thread.taken_over: thread, mailbox, subject, taken_over_at",
      "events.shape.released": "thread.released: the same, released_at",
    },
  },
  {
    heading: "The stream",
    rows: {
      "limits.size.replay-events": "The replay buffer has 100 events",
      "limits.size.replay-hour": "The replay buffer has one hour",
      "events.stream.rule-4":
        "A frame has id, event and data; the id is {timestamp_ms}-{counter}-{random_4hex}",
      "decisions.stream.counter":
        "The id's counter counts the account's events, without gaps, in their order",
      "decisions.stream.order": "Stream and replay have the same order",
      "decisions.stream.stored": "An event is announced when it is stored: its message can be read at once",
      "events.stream.rule-2": "A :heartbeat comment every 30 seconds",
      "events.stream.rule-3": "After about 4.5 minutes a reconnect frame, then the stream closes",
      "decisions.stream.reconnect": "The reconnect frame carries data: {}",
      "events.stream.rule-5": "Last-Event-ID replays missed events",
      "events.stream.rule-5-buffer": "The buffer has 100 events of one hour",
      "decisions.stream.unknown-id": "An unknown Last-Event-ID replays the whole buffer",
      "events.stream.rule-6-mailbox": "mailboxId keeps one mailbox",
      "events.stream.rule-6-kinds": "events keeps the listed kinds",
      "decisions.stream.scoped": "A scoped key's stream carries its mailboxes only",
      "events.stream.rule-1": "5 open streams of an account; the 6th gets 429",
      "events.stream.rule-7": "Events that a stream missed are in the list of messages",
      "events.stream.rule-8": "The stream has no quota headers; the usage is in the events",
      "decisions.stream.headers": "Cache-Control: no-cache, no-transform and X-Accel-Buffering: no",
    },
  },
  {
    heading: "Webhook deliveries",
    rows: {
      "decisions.webhook.2xx": "2xx is success",
      "decisions.webhook.410": "410 fails the webhook at once",
      "decisions.webhook.redirects": "Redirects are not followed",
      "events.webhook.signature": "X-Service-Signature is on every delivery",
      "decisions.webhook.signature":
        "The signature: lower-case hex HMAC-SHA256, keyed with the secret as given",
      "decisions.webhook.service-headers": "X-Service-Delivery-Id and X-Service-Event are sent",
      "decisions.webhook.standard": "The headers of Standard Webhooks are sent",
    },
  },
  {
    heading: "Retries",
    rows: {
      "decisions.retry.schedule": "After 1 min, 5 min, 30 min, 2 h and 12 h, 10% more or less",
      "decisions.retry.retry-after": "Retry-After is honoured",
      "decisions.retry.failed": "Then the delivery is FAILED: there is no 7th attempt",
      "decisions.retry.ten": "Ten deliveries in a row that used their attempts make the webhook FAILED",
      "decisions.retry.restart": "PATCH {status: ACTIVE} starts it again, and redeliver repeats what failed",
      "decisions.retry.order": "The first attempts of a mailbox's events keep their order",
      "decisions.retry.slow": "A slow receiver does not delay other webhooks",
      "decisions.retry.stable-id": "X-Service-Delivery-Id is the same in every attempt",
    },
  },
] as const satisfies ReadonlyArray<Section>
