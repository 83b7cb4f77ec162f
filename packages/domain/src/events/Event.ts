/**
 * Events: their kinds, the schemas of `data` and of the envelopes, and the stored record (docs/specification/events.md).
 * Only the fields of `data` are snake_case (spec: events.snake).
 */
import { Schema, String, Struct } from "effect"
import { Actor } from "../audit/Actor.js"
import { described } from "../described.js"
import { InboundUsage } from "../billing/inbound.js"
import type { Upgrade } from "../billing/upgrade.js"
import { AccountId, AttachmentId, DraftId, MailboxId, MessageId, ThreadId } from "../ids.js"
import { HoldReason } from "../drafts/Draft.js"
import { Authentication, DropReason } from "../messages/Message.js"
import { SendingStopReason } from "../reputation/sendingHealth.js"
import { QuarantineReason } from "../quarantine/Quarantine.js"
import { Instant, Timestamp } from "../time.js"
import { Spam } from "../trust/Spam.js"
import { Trust } from "../trust/Trust.js"

const eventKinds = Schema.Literal(
  "message.received",
  "message.sent",
  "message.delivered",
  "message.bounced",
  "message.complaint",
  "mailbox.sending_warning",
  "mailbox.sending_stopped",
  "message.quarantined",
  "draft.review_requested",
  "draft.approved",
  "draft.rejected",
  "draft.expired",
  "draft.withdrawn",
  "draft.failed",
  "thread.taken_over",
  "thread.released",
)

/** In the JSON of the API a kind is the field `event`. An unknown kind is refused with one message that lists all kinds. */
export const EventKind = eventKinds.annotations({
  identifier: "EventKind",
  description: "The kind of an event",
  message: () => ({ message: `must be one of ${eventKinds.literals.join(", ")}`, override: true }),
})
export type EventKind = typeof EventKind.Type

/** A kind as it is stored and shown. A later version, which runs beside this one, may have stored a kind of its own. */
export const AnyEventKind = Schema.Union(EventKind, Schema.String).annotations({
  description: "the kind of the event: an EventKind, or one that a later version adds",
})
export type AnyEventKind = typeof AnyEventKind.Type

export const EventAttachment = Schema.Struct({
  id: described(AttachmentId, "id of the attachment"),
  filename: described(Schema.String, "name of the file"),
  content_type: described(Schema.String, "MIME type of the file"),
  size_bytes: described(Schema.Int, "size of the file, bytes"),
  content_id: described(
    Schema.NullOr(Schema.String),
    "Content-ID of an inline image, without angle brackets; null for other files",
  ),
  /** presigned for 24 hours when the event is delivered; absent in the stored event */
  download_url: Schema.optional(Schema.String).annotations({
    description: "presigned link for GET, valid for 24 hours from this delivery of the event",
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
  description: "Results of SPF, DKIM, DMARC and ARC for the sender",
})

/** Fields of every event about a message. */
const messageAndMailbox = {
  message_id: described(MessageId, "id of the message"),
  mailbox_id: described(MailboxId, "the mailbox it is in"),
  mailbox_address: described(Schema.String, "full address of the mailbox"),
}

/** Fields of every event about a message except a stub, which does not contain the Message-ID and is never a test event. */
const messageFields = {
  ...messageAndMailbox,
  rfc_message_id: described(Schema.String, "RFC 5322 Message-ID, angle brackets included"),
  test: Schema.optional(Schema.Literal(true)).annotations({
    description: "true in a test event, whose message does not exist",
  }),
}

export const ReceivedData = Schema.Struct({
  ...messageFields,
  from: described(Schema.String, "address of the From header"),
  from_name: described(Schema.NullOr(Schema.String), "display name of the From header; null for none"),
  to: described(Schema.Array(Schema.String), "addresses of the To header"),
  cc: described(Schema.Array(Schema.String), "addresses of the Cc header"),
  subject: described(Schema.String, "the subject; empty when there is none"),
  body_text: described(
    Schema.NullOr(Schema.String),
    "the text part; HTML without a text alternative counts with its text; null without a body",
  ),
  body_html: described(Schema.NullOr(Schema.String), "the HTML part; null when there is none"),
  body_truncated: Schema.optional(Schema.Literal(true)).annotations({
    description: "true when a body is cut; a read of the message returns the whole body",
  }),
  thread_id: described(ThreadId, "the thread it belongs to"),
  in_reply_to: described(Schema.NullOr(Schema.String), "Message-ID of the answered mail; null for none"),
  automated: described(Schema.Boolean, "true for an auto-reply, a list mail or a report: do not reply to it"),
  authentication: Schema.optional(EventAuthentication).annotations({
    description: "whether the sender's domain is proven; absent in events from before version 0.2",
  }),
  trust: Schema.optional(Trust).annotations({
    description: "where it comes from, and whether it hides something; absent in events of earlier versions",
  }),
  spam: Schema.optional(Spam).annotations({
    description: "result of the operator's spam filter; absent without one",
  }),
  received_at: described(Timestamp, "when the service accepted it"),
  attachments: described(Schema.Array(EventAttachment), "the files that were kept"),
  attachments_dropped: Schema.optional(Schema.Literal(true)).annotations({
    description: "true when attachments were dropped",
  }),
  attachments_dropped_reason: Schema.optional(DropReason).annotations({
    description: "why attachments were dropped: too large, too many, or both",
  }),
  account: Schema.optional(
    Schema.Struct({
      inbound_usage: described(InboundUsage, "messages received this month, and the limit of the plan"),
    }),
  ).annotations({ description: "usage of the account, from half of the inbound limit on" }),
}).annotations({ identifier: "MessageReceivedData", description: "A message that arrived" })
export type ReceivedData = typeof ReceivedData.Type

/** The data of a gated message: that it exists, and how to unlock it. */
export const ReceivedStub = Schema.Struct({
  over_limit: described(
    Schema.Literal(true),
    "always true: the message is above the inbound limit, and its content is hidden until the limit is lifted",
  ),
  ...messageAndMailbox,
  received_at: described(Timestamp, "when the service accepted it"),
  account: described(
    Schema.Struct({
      inbound_usage: described(InboundUsage, "messages received this month, and the limit of the plan"),
      upgrade: described(
        Schema.Struct({
          browser_url: described(Schema.String, "the page where the owner upgrades"),
          api_endpoint: described(
            Schema.Struct({
              method: described(Schema.String, "HTTP method"),
              path: described(Schema.String, "path of the route"),
            }),
            "the route that returns a checkout link",
          ),
          hint: described(Schema.String, "what to do, on one line"),
        }),
        "how to lift the limit",
      ),
    }),
    "the usage, and how to lift the limit",
  ),
}).annotations({
  identifier: "MessageReceivedStub",
  description: "A message above the inbound limit, without its content",
})
export type ReceivedStub = typeof ReceivedStub.Type

export const stubUpgrade = (upgrade: Upgrade): ReceivedStub["account"]["upgrade"] => ({
  browser_url: upgrade.browserUrl,
  api_endpoint: upgrade.apiEndpoint,
  hint: upgrade.hint,
})

export const SentData = Schema.Struct({
  ...messageFields,
  from: described(Schema.String, "address of the From header"),
  from_name: described(Schema.NullOr(Schema.String), "display name of the From header; null for none"),
  to: described(Schema.Array(Schema.String), "addresses of the To header"),
  subject: described(Schema.String, "the subject; empty when there is none"),
  thread_id: described(ThreadId, "the thread it belongs to"),
  sent_at: described(Timestamp, "when the relay accepted it"),
}).annotations({ identifier: "MessageSentData", description: "A message that was sent" })
export type SentData = typeof SentData.Type

export const DeliveredData = Schema.Struct({
  ...messageFields,
  recipients: described(Schema.Array(Schema.String), "recipients whose delivery is reported"),
  delivered_at: described(Timestamp, "when the delivery was reported"),
}).annotations({
  identifier: "MessageDeliveredData",
  description: "Recipients to whom a message was delivered",
})

export const Bounce = Schema.Struct({
  recipient: described(Schema.String, "the address that could not be reached"),
  status: described(Schema.NullOr(Schema.String), "such as 5.1.1 (RFC 3463)"),
  diagnostic: described(Schema.NullOr(Schema.String), "reply of the other server"),
  permanent: described(Schema.Boolean, "true when the address is permanently invalid; it is then suppressed"),
}).annotations({ identifier: "Bounce", description: "Why one recipient could not be reached" })
export type Bounce = typeof Bounce.Type

export const BouncedData = Schema.Struct({
  ...messageFields,
  bounced_recipients: described(Schema.Array(Schema.String), "recipients that could not be reached"),
  bounced_at: described(Timestamp, "when the report arrived"),
  bounces: described(Schema.Array(Bounce), "the reasons, one entry for each bounced recipient"),
}).annotations({ identifier: "MessageBouncedData", description: "Recipients who could not be reached" })

export const ComplaintData = Schema.Struct({
  ...messageFields,
  complained_recipients: described(
    Schema.Array(Schema.String),
    "recipients who reported the message as spam",
  ),
  complained_at: described(Timestamp, "when the report arrived"),
}).annotations({
  identifier: "MessageComplaintData",
  description: "Recipients who reported a message as spam",
})

/** Fields of the events about the sending health of a mailbox. */
const sendingFields = {
  mailbox_id: messageAndMailbox.mailbox_id.annotations({ description: "the mailbox" }),
  mailbox_address: messageAndMailbox.mailbox_address,
  test: Schema.optional(Schema.Literal(true)).annotations({ description: "true in a test event" }),
  reason: described(SendingStopReason, "which share is too high: of hard bounces, or of complaints"),
  sends: described(Schema.Int, "sends that count: the last 1,000 recipients, or those since a resume"),
  hard_bounces: described(Schema.Int, "sends among them to permanently invalid addresses"),
  complaints: described(Schema.Int, "sends among them that their recipient reported as spam"),
}

export const SendingWarningData = Schema.Struct({
  ...sendingFields,
  warned_at: described(Timestamp, "when the share passed half of the limit"),
}).annotations({
  identifier: "MailboxSendingWarningData",
  description: "A mailbox whose bounces or complaints passed half of the limit",
})

export const SendingStoppedData = Schema.Struct({
  ...sendingFields,
  stopped_at: described(Timestamp, "when the sending was stopped"),
}).annotations({
  identifier: "MailboxSendingStoppedData",
  description: "A mailbox that may not send any more, because of its bounces or complaints",
})

/** Without name, subject and text: a reader of events must not be reached by what the quarantine hides. */
export const QuarantinedData = Schema.Struct({
  ...messageFields,
  from: described(Schema.String, "address of the From header"),
  reasons: described(Schema.Array(QuarantineReason), "why it is quarantined, at least one reason"),
  trust: Schema.optional(Trust).annotations({ description: "how far the sender can be believed" }),
  received_at: described(Timestamp, "when the service accepted it"),
  quarantined_at: described(Timestamp, "since when it is quarantined"),
}).annotations({
  identifier: "MessageQuarantinedData",
  description: "A message that is hidden until it is released, without its content",
})
export type QuarantinedData = typeof QuarantinedData.Type

/** Fields of every event about a draft. */
const draftFields = {
  draft_id: described(DraftId, "id of the draft, and of the message that is made of it"),
  mailbox_id: described(MailboxId, "the mailbox that sends it"),
  mailbox_address: described(Schema.String, "full address of the mailbox"),
  to: described(Schema.Array(Schema.String), "recipients"),
  subject: described(Schema.NullOr(Schema.String), "the subject; null for none"),
  digest: described(Schema.String, "digest of the draft"),
  test: Schema.optional(Schema.Literal(true)).annotations({
    description: "true in a test event, whose draft does not exist",
  }),
}

export const ReviewRequestedData = Schema.Struct({
  ...draftFields,
  reasons: described(Schema.Array(HoldReason), "why it was held"),
  requested_at: described(Timestamp, "when it was held"),
  expires_at: described(Timestamp, "when the review ends without a decision"),
}).annotations({ identifier: "DraftReviewRequestedData", description: "A send that waits for a review" })

const decidedBy = Schema.optional(Actor).annotations({
  description: "who decided; absent in events of earlier versions",
})

export const ApprovedData = Schema.Struct({
  ...draftFields,
  edited: described(Schema.Boolean, "whether the approver changed it"),
  decided_by: decidedBy,
  approved_at: described(Timestamp, "when it was approved"),
}).annotations({ identifier: "DraftApprovedData", description: "A draft that a person approved" })

export const RejectedData = Schema.Struct({
  ...draftFields,
  reason: described(Schema.NullOr(Schema.String), "the text of the person who rejected it; null for none"),
  decided_by: decidedBy,
  rejected_at: described(Timestamp, "when it was rejected"),
}).annotations({ identifier: "DraftRejectedData", description: "A draft that a person rejected" })

export const ExpiredData = Schema.Struct({
  ...draftFields,
  expired_at: described(Timestamp, "when the review ended"),
}).annotations({
  identifier: "DraftExpiredData",
  description: "A draft whose review ended without a decision",
})

export const WithdrawnData = Schema.Struct({
  ...draftFields,
  deleted: described(Schema.Boolean, "true when it was deleted; false when it was changed or scheduled"),
  withdrawn_by: described(Actor, "who withdrew it"),
  withdrawn_at: described(Timestamp, "when its review ended"),
}).annotations({
  identifier: "DraftWithdrawnData",
  description: "A draft that does not wait for its review any more, although nobody decided",
})

export const FailedData = Schema.Struct({
  ...draftFields,
  code: described(Schema.String, "code of the refusal"),
  message: described(Schema.String, "what refused it"),
  failed_at: described(Timestamp, "when it was refused"),
}).annotations({ identifier: "DraftFailedData", description: "A draft that was refused when it was due" })

/** Fields of the events about a thread that a person takes over. */
const threadFields = {
  thread_id: described(ThreadId, "id of the thread"),
  mailbox_id: described(MailboxId, "the mailbox it is in"),
  mailbox_address: described(Schema.String, "full address of the mailbox"),
  subject: described(Schema.String, "subject of the thread"),
  test: Schema.optional(Schema.Literal(true)).annotations({
    description: "true in a test event, whose thread does not exist",
  }),
}

export const TakenOverData = Schema.Struct({
  ...threadFields,
  taken_over_at: described(Timestamp, "since when a person answers it"),
}).annotations({
  identifier: "ThreadTakenOverData",
  description: "A thread that a person has taken over: sends of keys into it are refused",
})

export const ReleasedData = Schema.Struct({
  ...threadFields,
  released_at: described(Timestamp, "when it was released"),
}).annotations({
  identifier: "ThreadReleasedData",
  description: "A thread that keys may answer again",
})

/** The name of a kind's envelope in the OpenAPI document: `MessageSentEvent` for `message.sent`. */
export const envelopeName = (kind: EventKind): string =>
  `${kind.split(/[._]/).map(String.capitalize).join("")}Event`

/** What the data of every kind has. Filters and scopes compare the `mailboxId` of the stored event, which must be this mailbox. */
interface EventData {
  readonly mailbox_id: MailboxId
  readonly mailbox_address: string
}

const envelopeSchema = <K extends EventKind, D extends Schema.Schema.Any & { readonly Type: EventData }>(
  kind: K,
  data: D,
) =>
  Schema.Struct({
    event: described(Schema.Literal(kind), "the kind of the event"),
    timestamp: described(Timestamp, "when the event happened"),
    data: described(data, "fields of this kind of event"),
  }).annotations({
    identifier: envelopeName(kind),
    description: `The envelope of ${kind}`,
  })

/** The envelope of each kind, in the order of the OpenAPI document. */
export const eventEnvelopes = {
  "message.received": envelopeSchema("message.received", Schema.Union(ReceivedStub, ReceivedData)),
  "message.sent": envelopeSchema("message.sent", SentData),
  "message.delivered": envelopeSchema("message.delivered", DeliveredData),
  "message.bounced": envelopeSchema("message.bounced", BouncedData),
  "message.complaint": envelopeSchema("message.complaint", ComplaintData),
  "mailbox.sending_warning": envelopeSchema("mailbox.sending_warning", SendingWarningData),
  "mailbox.sending_stopped": envelopeSchema("mailbox.sending_stopped", SendingStoppedData),
  "message.quarantined": envelopeSchema("message.quarantined", QuarantinedData),
  "draft.review_requested": envelopeSchema("draft.review_requested", ReviewRequestedData),
  "draft.approved": envelopeSchema("draft.approved", ApprovedData),
  "draft.rejected": envelopeSchema("draft.rejected", RejectedData),
  "draft.expired": envelopeSchema("draft.expired", ExpiredData),
  "draft.withdrawn": envelopeSchema("draft.withdrawn", WithdrawnData),
  "draft.failed": envelopeSchema("draft.failed", FailedData),
  "thread.taken_over": envelopeSchema("thread.taken_over", TakenOverData),
  "thread.released": envelopeSchema("thread.released", ReleasedData),
} satisfies { readonly [K in EventKind]: { readonly Type: { readonly event: K } } }

/** `{event, timestamp, data}`: the body of a webhook, the `data` of a stream frame. */
export const EventEnvelope = Schema.Union(...Object.values(eventEnvelopes)).annotations({
  identifier: "EventEnvelope",
  description: "An event, as the body of a webhook delivery and the data of a stream frame",
})
export type EventEnvelope = typeof EventEnvelope.Type

/** An event in the log. `seq` counts up per account, without gaps, in the order of the transactions. */
export const EventRecord = Schema.Struct({
  accountId: AccountId,
  seq: Schema.Int,
  /** `{timestamp_ms}-{counter}-{random_4hex}`; the counter is `seq` */
  id: Schema.String,
  mailboxId: MailboxId,
  kind: AnyEventKind,
  /** the envelope as JSON text */
  envelope: Schema.String,
  createdAt: Instant,
})
export type EventRecord = typeof EventRecord.Type
