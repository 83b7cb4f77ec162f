/** Test events for webhooks (spec: decisions.webhooks.test; docs/decisions/0016). */
import type { Actor } from "../audit/Actor.js"
import { type EventEnvelope, type EventKind } from "../events/Event.js"
import {
  bouncedEvent,
  complaintEvent,
  deliveredEvent,
  quarantinedEvent,
  receivedEvent,
  releasedEvent,
  sendingStoppedEvent,
  sendingWarningEvent,
  sentEvent,
  takenOverEvent,
} from "../events/envelopes.js"
import { noContent } from "../drafts/content.js"
import {
  approvedEvent,
  type EventDraft,
  expiredEvent,
  failedEvent,
  rejectedEvent,
  reviewRequestedEvent,
  withdrawnEvent,
} from "../events/draftEvents.js"
import { DraftId, type MessageId, type ThreadId } from "../ids.js"
import { REVIEW_TTL_HOURS_DEFAULT } from "../limits.js"
import type { MailboxRecord } from "../mailboxes/Mailbox.js"
import type { MessageContent } from "../messages/Message.js"
import { HOUR } from "../durations.js"
import { type Instant, timestamp } from "../time.js"

/** At a reserved domain, so that a program that answers the test mail does no harm. */
const STRANGER = { address: "ada@example.com", name: "Ada Lovelace" }

const UNKNOWN_USER = {
  recipient: STRANGER.address,
  status: "5.1.1",
  diagnostic: "550 5.1.1 No such user",
  permanent: true,
}

export interface TestEventFacts {
  readonly mailbox: Pick<MailboxRecord, "id" | "fullAddress">
  /** ids of the message and the thread, which do not exist */
  readonly messageId: MessageId
  readonly threadId: ThreadId
  readonly at: Instant
}

const received = ({ mailbox, messageId, at }: TestEventFacts): MessageContent => ({
  id: messageId,
  mailboxId: mailbox.id,
  direction: "INBOUND",
  deliveredTo: mailbox.fullAddress,
  messageId: `<${messageId}@example.com>`,
  inReplyTo: null,
  references: [],
  fromAddress: STRANGER.address,
  fromName: STRANGER.name,
  toAddresses: [mailbox.fullAddress],
  ccAddresses: [],
  bccAddresses: [],
  replyTo: null,
  subject: "A test of your webhook",
  bodyText: "This message was made up to try your webhook out.",
  bodyHtml: "<p>This message was made up to try your webhook out.</p>",
  extractedText: null,
  hasAttachments: false,
  attachmentsDropped: false,
  attachmentsDroppedReason: null,
  automated: false,
  authentication: null,
  codes: [],
  links: [],
  calendar: null,
  trust: null,
  spam: null,
  createdAt: timestamp(at),
  receivedAt: timestamp(at),
  attachments: [],
})

const sent = (facts: TestEventFacts): MessageContent => ({
  ...received(facts),
  direction: "OUTBOUND",
  messageId: `<${facts.messageId}@${facts.mailbox.fullAddress.replace(/^.*@/, "")}>`,
  fromAddress: facts.mailbox.fullAddress,
  fromName: null,
  toAddresses: [STRANGER.address],
  receivedAt: null,
})

const draft = ({ messageId }: TestEventFacts): EventDraft => ({
  id: DraftId.make(messageId),
  content: { ...noContent, to: [STRANGER.address], subject: "A test of your webhook" },
  digest: "0".repeat(64),
})

const thread = ({ threadId }: TestEventFacts) => ({ id: threadId, subject: "A test of your webhook" })

const OWNER: Actor = { kind: "session" }

const envelopeOf = (kind: EventKind, facts: TestEventFacts): EventEnvelope => {
  const { mailbox, threadId, at } = facts
  const time = timestamp(at)
  switch (kind) {
    case "message.received":
      return receivedEvent(received(facts), time, mailbox, threadId, null, at)
    case "message.sent":
      return sentEvent(sent(facts), mailbox, threadId, at)
    case "message.delivered":
      return deliveredEvent(sent(facts), mailbox, [STRANGER.address], at)
    case "message.bounced":
      return bouncedEvent(sent(facts), mailbox, [UNKNOWN_USER], at)
    case "message.complaint":
      return complaintEvent(sent(facts), mailbox, [STRANGER.address], at)
    case "mailbox.sending_warning":
      return sendingWarningEvent(mailbox, { sends: 400, hardBounces: 21, complaints: 0 }, "BOUNCES", at)
    case "mailbox.sending_stopped":
      return sendingStoppedEvent(mailbox, { sends: 400, hardBounces: 41, complaints: 0 }, "BOUNCES", at)
    case "message.quarantined":
      return quarantinedEvent(received(facts), time, mailbox, { at, reasons: ["blocked"] }, at)
    case "draft.review_requested":
      return reviewRequestedEvent(draft(facts), mailbox, {
        requestedAt: at,
        expiresAt: at + REVIEW_TTL_HOURS_DEFAULT * HOUR,
        reasons: [{ code: "NEW_RECIPIENT", address: STRANGER.address }],
      })
    case "draft.approved":
      return approvedEvent(draft(facts), mailbox, false, OWNER, at)
    case "draft.rejected":
      return rejectedEvent(draft(facts), mailbox, "Not like this", OWNER, at)
    case "draft.expired":
      return expiredEvent(draft(facts), mailbox, at)
    case "draft.withdrawn":
      return withdrawnEvent(draft(facts), mailbox, false, OWNER, at)
    case "draft.failed":
      return failedEvent(
        draft(facts),
        mailbox,
        { code: "RECIPIENT_SUPPRESSED", message: `${STRANGER.address} is on the suppression list` },
        at,
      )
    case "thread.taken_over":
      return takenOverEvent(thread(facts), mailbox, at)
    case "thread.released":
      return releasedEvent(thread(facts), mailbox, at)
    default:
      return kind satisfies never
  }
}

/** The envelope as JSON text: complete like a real event of its kind, plus `data.test`. */
export const testEvent = (kind: EventKind, facts: TestEventFacts): string => {
  const envelope = envelopeOf(kind, facts)
  return JSON.stringify({ ...envelope, data: { ...envelope.data, test: true } })
}
