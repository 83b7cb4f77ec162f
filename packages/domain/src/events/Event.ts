/** Events and their payloads (spec, Events; decisions §7). Field names are snake_case here, and only here. */
import { Schema, Struct } from "effect"
import { described } from "../described.js"
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
  id: described(AttachmentId, "id of the attachment"),
  filename: described(Schema.String, "name of the file"),
  content_type: described(Schema.String, "its MIME type"),
  size_bytes: described(Schema.Int, "its size, bytes"),
  content_id: described(
    Schema.NullOr(Schema.String),
    "of an inline image, without angle brackets; else null",
  ),
  /** presigned when the event is handed out, for 24 hours from then; absent in the stored event */
  download_url: Schema.optional(Schema.String).annotations({
    description: "presigned, GET, for 24 hours from when the event is handed out",
  }),
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

const origin = {
  message_id: described(MessageId, "id of the message"),
  mailbox_id: described(MailboxId, "the mailbox it is in"),
  mailbox_address: described(Schema.String, "whole address of the mailbox"),
}

/** Of all but a stub, which must not even tell the Message-ID. */
const identified = {
  ...origin,
  rfc_message_id: described(Schema.String, "RFC 5322 Message-ID, angle brackets included"),
  test: Schema.optional(Schema.Literal(true)).annotations({
    description: "of an event that was made up to try a webhook out; the message does not exist",
  }),
}

export const ReceivedData = Schema.Struct({
  ...identified,
  from: described(Schema.String, "address of the From header"),
  from_name: described(Schema.NullOr(Schema.String), "display name of the From header; null for none"),
  to: described(Schema.Array(Schema.String), "addresses of the To header"),
  cc: described(Schema.Array(Schema.String), "addresses of the Cc header"),
  subject: described(Schema.String, "the subject; empty when there is none"),
  body_text: described(
    Schema.NullOr(Schema.String),
    "the text, or what was made of the HTML when there is none",
  ),
  body_html: described(Schema.NullOr(Schema.String), "the HTML part; null when there is none"),
  body_truncated: Schema.optional(Schema.Literal(true)).annotations({
    description: "a body was cut; the message itself has it whole",
  }),
  thread_id: described(ThreadId, "the thread it belongs to"),
  in_reply_to: described(
    Schema.NullOr(Schema.String),
    "Message-ID of the mail that it answers; null for none",
  ),
  automated: described(Schema.Boolean, "an auto-reply, a list mail or a report; do not answer"),
  authentication: Schema.optional(EventAuthentication).annotations({
    description: "whether the sender is who it says; absent in events from before version 0.2",
  }),
  received_at: described(Timestamp, "when it was accepted"),
  attachments: described(Schema.Array(EventAttachment), "the files that were kept"),
  attachments_dropped: Schema.optional(Schema.Literal(true)).annotations({
    description: "files were left out",
  }),
  attachments_dropped_reason: Schema.optional(DropReason).annotations({
    description: "why: above 25 MB, beyond the 20th, or both",
  }),
  account: Schema.optional(
    Schema.Struct({
      inbound_usage: described(
        InboundUsage,
        "the inbound quota: what was received this month of what the plan takes; from 50 percent on",
      ),
    }),
  ).annotations({ description: "of the account, where there is something to say" }),
}).annotations({ identifier: "MessageReceivedData", description: "A message that arrived" })
export type ReceivedData = typeof ReceivedData.Type

/** What an event says of a message above the inbound cap: that it is there, and how to unlock it. */
export const ReceivedStub = Schema.Struct({
  over_limit: described(
    Schema.Literal(true),
    "it is above the inbound limit: nothing of it is shown before the limit is lifted",
  ),
  ...origin,
  received_at: described(Timestamp, "when it was accepted"),
  account: described(
    Schema.Struct({
      inbound_usage: described(
        InboundUsage,
        "the inbound quota: what was received this month of what the plan takes",
      ),
      upgrade: described(
        Schema.Struct({
          browser_url: described(Schema.String, "the page where the owner upgrades"),
          api_endpoint: described(
            Schema.Struct({
              method: described(Schema.String, "its method"),
              path: described(Schema.String, "its path"),
            }),
            "the operation that answers with a checkout link",
          ),
          hint: described(Schema.String, "what to do, in one line"),
        }),
        "how to lift the limit",
      ),
    }),
    "what stands in the way, and how to lift it",
  ),
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
  from: described(Schema.String, "address of the From header"),
  from_name: described(Schema.NullOr(Schema.String), "display name of the From header; null for none"),
  to: described(Schema.Array(Schema.String), "addresses of the To header"),
  subject: described(Schema.String, "the subject; empty when there is none"),
  thread_id: described(ThreadId, "the thread it belongs to"),
  sent_at: described(Timestamp, "when the relay took it"),
}).annotations({ identifier: "MessageSentData", description: "A message that went out" })
export type SentData = typeof SentData.Type

export const DeliveredData = Schema.Struct({
  ...identified,
  recipients: described(Schema.Array(Schema.String), "who got it"),
  delivered_at: described(Timestamp, "when it was reported delivered"),
}).annotations({ identifier: "MessageDeliveredData", description: "Recipients who got a message" })

export const Bounce = Schema.Struct({
  recipient: described(Schema.String, "the address that could not be reached"),
  status: described(Schema.NullOr(Schema.String), "such as 5.1.1 (RFC 3463)"),
  diagnostic: described(Schema.NullOr(Schema.String), "what the other server said"),
  permanent: described(Schema.Boolean, "the address is bad for good, and on the suppression list now"),
}).annotations({ identifier: "Bounce", description: "Why one recipient could not be reached" })
export type Bounce = typeof Bounce.Type

export const BouncedData = Schema.Struct({
  ...identified,
  bounced_recipients: described(Schema.Array(Schema.String), "who could not be reached"),
  bounced_at: described(Timestamp, "when it was reported"),
  bounces: described(Schema.Array(Bounce), "why, one entry for each of them"),
}).annotations({ identifier: "MessageBouncedData", description: "Recipients who could not be reached" })

export const ComplaintData = Schema.Struct({
  ...identified,
  complained_recipients: described(Schema.Array(Schema.String), "who called it spam"),
  complained_at: described(Timestamp, "when it was reported"),
}).annotations({ identifier: "MessageComplaintData", description: "Recipients who called a message spam" })

const of = <K extends EventKind, D extends Schema.Schema.Any>(kind: K, identifier: string, data: D) =>
  Schema.Struct({
    event: described(Schema.Literal(kind), "the kind of the event"),
    timestamp: described(Timestamp, "when it happened"),
    data: described(data, "what happened"),
  }).annotations({
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
