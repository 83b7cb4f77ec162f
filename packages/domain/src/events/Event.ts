/** Events and their payloads (spec, Events; decisions §7). Field names are snake_case here, and only here. */
import { Schema, Struct } from "effect"
import { InboundUsage } from "../billing/inbound.js"
import type { Upgrade } from "../billing/upgrade.js"
import { AccountId, AttachmentId, MailboxId, MessageId, ThreadId } from "../ids.js"
import { Authentication, DropReason } from "../messages/Message.js"
import { Instant, Timestamp } from "../time.js"

const eventKinds = Schema.Literal(
  "message.received",
  "message.sent",
  "message.delivered",
  "message.bounced",
  "message.complaint",
)

/** A kind that is none is refused with one sentence that names them all. */
export const EventKind = eventKinds.annotations({
  identifier: "EventKind",
  description: "What an event tells of",
  message: () => ({ message: `must be one of ${eventKinds.literals.join(", ")}`, override: true }),
})
export type EventKind = typeof EventKind.Type

export const EventAttachment = Schema.Struct({
  id: AttachmentId,
  filename: Schema.String,
  content_type: Schema.String,
  size_bytes: Schema.Int,
  content_id: Schema.NullOr(Schema.String),
  /** presigned when the event is handed out, for 24 hours from then; absent in the stored event */
  download_url: Schema.optional(Schema.String),
}).annotations({
  identifier: "EventAttachment",
  description: "A file of a message, with a link to its bytes",
})

export const EventAuthentication = Schema.Struct({
  ...Struct.omit(Authentication.fields, "verifiedDomain"),
  verified_domain: Authentication.fields.verifiedDomain,
}).annotations({
  identifier: "EventAuthentication",
  description: "What SPF, DKIM, DMARC and ARC say of the sender",
})

const origin = { message_id: MessageId, mailbox_id: MailboxId, mailbox_address: Schema.String }

/** Of all but a stub, which must not even tell the Message-ID. */
const identified = {
  ...origin,
  rfc_message_id: Schema.String,
  test: Schema.optional(Schema.Literal(true)).annotations({
    description: "of an event that was made up to try a webhook out; the message does not exist",
  }),
}

export const ReceivedData = Schema.Struct({
  ...identified,
  from: Schema.String,
  from_name: Schema.NullOr(Schema.String),
  to: Schema.Array(Schema.String),
  cc: Schema.Array(Schema.String),
  subject: Schema.String,
  body_text: Schema.NullOr(Schema.String),
  body_html: Schema.NullOr(Schema.String),
  body_truncated: Schema.optional(Schema.Literal(true)),
  thread_id: ThreadId,
  in_reply_to: Schema.NullOr(Schema.String),
  automated: Schema.Boolean,
  authentication: Schema.optional(EventAuthentication).annotations({
    description: "whether the sender is who it says; absent in events from before version 0.2",
  }),
  received_at: Timestamp,
  attachments: Schema.Array(EventAttachment),
  attachments_dropped: Schema.optional(Schema.Literal(true)),
  attachments_dropped_reason: Schema.optional(DropReason),
  account: Schema.optional(Schema.Struct({ inbound_usage: InboundUsage })),
}).annotations({ identifier: "MessageReceivedData", description: "A message that arrived" })
export type ReceivedData = typeof ReceivedData.Type

/** What an event says of a message above the inbound cap: that it is there, and how to unlock it. */
export const ReceivedStub = Schema.Struct({
  over_limit: Schema.Literal(true),
  ...origin,
  received_at: Timestamp,
  account: Schema.Struct({
    inbound_usage: InboundUsage,
    upgrade: Schema.Struct({
      browser_url: Schema.String,
      api_endpoint: Schema.Struct({ method: Schema.String, path: Schema.String }),
      hint: Schema.String,
    }),
  }),
}).annotations({
  identifier: "MessageReceivedStub",
  description: "A message that arrived above the inbound limit: nothing but that it is there",
})
export type ReceivedStub = typeof ReceivedStub.Type

export const stubUpgrade = (upgrade: Upgrade): ReceivedStub["account"]["upgrade"] => ({
  browser_url: upgrade.browserUrl,
  api_endpoint: upgrade.apiEndpoint,
  hint: upgrade.hint,
})

export const SentData = Schema.Struct({
  ...identified,
  from: Schema.String,
  from_name: Schema.NullOr(Schema.String),
  to: Schema.Array(Schema.String),
  subject: Schema.String,
  thread_id: ThreadId,
  sent_at: Timestamp,
}).annotations({ identifier: "MessageSentData", description: "A message that went out" })
export type SentData = typeof SentData.Type

export const DeliveredData = Schema.Struct({
  ...identified,
  recipients: Schema.Array(Schema.String),
  delivered_at: Timestamp,
}).annotations({ identifier: "MessageDeliveredData", description: "Recipients who got a message" })

export const Bounce = Schema.Struct({
  recipient: Schema.String,
  status: Schema.NullOr(Schema.String).annotations({ description: "such as 5.1.1 (RFC 3463)" }),
  diagnostic: Schema.NullOr(Schema.String).annotations({ description: "what the other server said" }),
  permanent: Schema.Boolean.annotations({
    description: "the address is bad for good, and on the suppression list now",
  }),
}).annotations({ identifier: "Bounce", description: "Why one recipient could not be reached" })
export type Bounce = typeof Bounce.Type

export const BouncedData = Schema.Struct({
  ...identified,
  bounced_recipients: Schema.Array(Schema.String),
  bounced_at: Timestamp,
  bounces: Schema.Array(Bounce),
}).annotations({ identifier: "MessageBouncedData", description: "Recipients who could not be reached" })

export const ComplaintData = Schema.Struct({
  ...identified,
  complained_recipients: Schema.Array(Schema.String),
  complained_at: Timestamp,
}).annotations({ identifier: "MessageComplaintData", description: "Recipients who called a message spam" })

const of = <K extends EventKind, D extends Schema.Schema.Any>(kind: K, identifier: string, data: D) =>
  Schema.Struct({ event: Schema.Literal(kind), timestamp: Timestamp, data }).annotations({
    identifier,
    description: `The envelope of ${kind}`,
  })

/** `{event, timestamp, data}`: the body of a webhook, the `data` of a stream frame. */
export const EventEnvelope = Schema.Union(
  of("message.received", "MessageReceivedEvent", Schema.Union(ReceivedStub, ReceivedData)),
  of("message.sent", "MessageSentEvent", SentData),
  of("message.delivered", "MessageDeliveredEvent", DeliveredData),
  of("message.bounced", "MessageBouncedEvent", BouncedData),
  of("message.complaint", "MessageComplaintEvent", ComplaintData),
).annotations({
  identifier: "EventEnvelope",
  description: "An event: what the body of a webhook is, and the data of a frame",
})
export type EventEnvelope = typeof EventEnvelope.Type

/** An event in the log. `seq` counts up per account, without gaps, in the order of the transactions. */
export const EventRecord = Schema.Struct({
  accountId: AccountId,
  seq: Schema.Int,
  /** `{timestamp_ms}-{counter}-{random_4hex}`; the counter is `seq` */
  id: Schema.String,
  mailboxId: MailboxId,
  kind: EventKind,
  /** the envelope as JSON text */
  envelope: Schema.String,
  createdAt: Instant,
})
export type EventRecord = typeof EventRecord.Type
