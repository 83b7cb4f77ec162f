/** spec, "Events". */
import type { Section } from "./Section.js"

export const events = [
  {
    where: "Events, channels",
    rows: {
      "events.kinds": "The kinds are message.received, .sent, .delivered, .bounced and .complaint",
      "events.envelope": "Webhooks and the stream carry the same {event, timestamp, data}",
      "events.timestamp": "timestamp is ISO 8601 UTC",
      "events.snake": "All fields of data are snake_case",
    },
  },
  {
    where: "Events, Emission",
    rows: {
      "events.emission.received": "message.received when mail arrives, as a stub when it is gated",
      "events.emission.sent": "message.sent when mail is sent",
      "events.emission.delivered": "message.delivered when the provider reports the delivery",
      "events.emission.bounced": "message.bounced when the provider reports a bounce",
      "events.emission.complaint": "message.complaint when a recipient complains",
    },
  },
  {
    where: "Events, Data shapes",
    rows: {
      "events.shape.received":
        "message.received: ids, addresses, subject, bodies, thread, in_reply_to, time, attachments",
      "events.shape.stub":
        "The stub: over_limit, ids, address, time, account.inbound_usage and account.upgrade",
      "events.shape.sent": "message.sent: ids, address, from, to, subject, thread_id, sent_at",
      "events.shape.delivered": "message.delivered: ids, address, recipients, delivered_at",
      "events.shape.bounced": "message.bounced: ids, address, bounced_recipients, bounced_at",
      "events.shape.complaint": "message.complaint: ids, address, complained_recipients, complained_at",
    },
  },
  {
    where: "Events, Rules",
    rows: {
      "events.rule-1": "A stub has nothing of the content; only stubs carry over_limit and account.upgrade",
      "events.rule-2": "inbound_usage.status is limit_reached on a stub",
      "events.rule-3": "From 50% of the cap on whole payloads carry account.inbound_usage without upgrade",
      "events.rule-4-size": "attachments_dropped_reason is size for one above 25 MB",
      "events.rule-4-count": "It is count beyond the 20th",
      "events.rule-4-both": "It is both when both happened",
      "events.rule-4-none": "Both fields are absent when nothing was dropped",
      "events.rule-5": "content_id is the Content-ID that the HTML's cid: refers to",
      "events.rule-6": "Stubs are delivered and retried like any event",
    },
  },
  {
    where: "Events, Webhook delivery",
    rows: {
      "events.webhook.signature": "X-Service-Signature is on every delivery",
    },
  },
  {
    where: "Events, Event stream",
    rows: {
      "events.stream.rule-1": "5 connections an account; the 6th gets 429",
      "events.stream.rule-2": ":heartbeat every 30 seconds",
      "events.stream.rule-3": "After about 4.5 minutes a frame with event: reconnect, and the end",
      "events.stream.rule-4":
        "A frame has id, event and data; the id is {timestamp_ms}-{counter}-{random_4hex}",
      "events.stream.rule-5": "Last-Event-ID replays what was missed",
      "events.stream.rule-5-buffer": "100 events and one hour are kept for it",
      "events.stream.rule-6-mailbox": "mailboxId keeps one mailbox",
      "events.stream.rule-6-kinds": "events keeps the listed kinds",
      "events.stream.rule-7": "What a stream missed is in the list of messages",
      "events.stream.rule-8": "The stream has no quota headers; the numbers are in the events",
    },
  },
] as const satisfies ReadonlyArray<Section>
