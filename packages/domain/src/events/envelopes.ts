/** Makes the envelopes of events (docs/specification/events.md), except those of drafts (`draftEvents.ts`). Schemas: `Event.ts`. */
import type { InboundUsage } from "../billing/inbound.js"
import type { Upgrade } from "../billing/upgrade.js"
import type { ThreadId } from "../ids.js"
import { EVENT_BODY_MAX_LENGTH } from "../limits.js"
import type { MailboxRecord } from "../mailboxes/Mailbox.js"
import { type Authentication, cutText, type MessageContent } from "../messages/Message.js"
import type { SendingStopReason, SendingWindow } from "../reputation/sendingHealth.js"
import type { QuarantineRecord } from "../quarantine/Quarantine.js"
import type { ThreadRecord } from "../threads/Thread.js"
import { type Instant, timestamp, type Timestamp } from "../time.js"
import { type Bounce, type EventEnvelope, stubUpgrade } from "./Event.js"

type EventMailbox = Pick<MailboxRecord, "id" | "fullAddress">

const messageAndMailbox = (content: MessageContent, mailbox: EventMailbox) => ({
  message_id: content.id,
  mailbox_id: mailbox.id,
  mailbox_address: mailbox.fullAddress,
})

/** The fields of every event about a message except a stub. `testEvent` adds `test`. */
const messageFields = (content: MessageContent, mailbox: EventMailbox) => ({
  ...messageAndMailbox(content, mailbox),
  rfc_message_id: content.messageId,
})

const authenticationOf = ({ verifiedDomain, ...results }: Authentication) => ({
  ...results,
  verified_domain: verifiedDomain,
})

export const receivedEvent = (
  content: MessageContent,
  receivedAt: Timestamp,
  mailbox: EventMailbox,
  threadId: ThreadId,
  usage: InboundUsage | null,
  at: Instant,
): EventEnvelope => {
  const text = cutText(content.bodyText, EVENT_BODY_MAX_LENGTH)
  const html = cutText(content.bodyHtml, EVENT_BODY_MAX_LENGTH)
  const cut = text !== content.bodyText || html !== content.bodyHtml
  return {
    event: "message.received",
    timestamp: timestamp(at),
    data: {
      // Not `...messageAndMailbox()`: adding a dozen properties to a spread makes V8 fall back to a hash table, 10 us a mail.
      message_id: content.id,
      mailbox_id: mailbox.id,
      mailbox_address: mailbox.fullAddress,
      rfc_message_id: content.messageId,
      from: content.fromAddress,
      from_name: content.fromName,
      to: content.toAddresses,
      cc: content.ccAddresses,
      subject: content.subject,
      body_text: text,
      body_html: html,
      ...(cut ? { body_truncated: true } : {}),
      thread_id: threadId,
      in_reply_to: content.inReplyTo,
      automated: content.automated,
      ...(content.authentication !== null && { authentication: authenticationOf(content.authentication) }),
      ...(content.trust !== null && { trust: content.trust }),
      ...(content.spam !== null && { spam: content.spam }),
      received_at: receivedAt,
      attachments: content.attachments.map((attachment) => ({
        id: attachment.id,
        filename: attachment.filename,
        content_type: attachment.contentType,
        size_bytes: attachment.sizeBytes,
        content_id: attachment.contentId,
      })),
      ...(content.attachmentsDroppedReason === null
        ? {}
        : { attachments_dropped: true, attachments_dropped_reason: content.attachmentsDroppedReason }),
      ...(usage === null ? {} : { account: { inbound_usage: usage } }),
    },
  }
}

/** The stub of a gated message, without its content. */
export const stubEvent = (
  content: MessageContent,
  receivedAt: Timestamp,
  mailbox: EventMailbox,
  usage: InboundUsage,
  upgrade: Upgrade,
  at: Instant,
): EventEnvelope => ({
  event: "message.received",
  timestamp: timestamp(at),
  data: {
    over_limit: true,
    ...messageAndMailbox(content, mailbox),
    received_at: receivedAt,
    account: { inbound_usage: usage, upgrade: stubUpgrade(upgrade) },
  },
})

export const quarantinedEvent = (
  content: MessageContent,
  receivedAt: Timestamp,
  mailbox: EventMailbox,
  quarantine: QuarantineRecord,
  at: Instant,
): EventEnvelope => ({
  event: "message.quarantined",
  timestamp: timestamp(at),
  data: {
    ...messageFields(content, mailbox),
    from: content.fromAddress,
    reasons: quarantine.reasons,
    ...(content.trust !== null && { trust: content.trust }),
    received_at: receivedAt,
    quarantined_at: timestamp(quarantine.at),
  },
})

export const sentEvent = (
  content: MessageContent,
  mailbox: EventMailbox,
  threadId: ThreadId,
  sentAt: Instant,
): EventEnvelope => ({
  event: "message.sent",
  timestamp: timestamp(sentAt),
  data: {
    ...messageFields(content, mailbox),
    from: content.fromAddress,
    from_name: content.fromName,
    to: content.toAddresses,
    subject: content.subject,
    thread_id: threadId,
    sent_at: timestamp(sentAt),
  },
})

export const deliveredEvent = (
  content: MessageContent,
  mailbox: EventMailbox,
  recipients: ReadonlyArray<string>,
  at: Instant,
): EventEnvelope => ({
  event: "message.delivered",
  timestamp: timestamp(at),
  data: { ...messageFields(content, mailbox), recipients, delivered_at: timestamp(at) },
})

export const bouncedEvent = (
  content: MessageContent,
  mailbox: EventMailbox,
  bounces: ReadonlyArray<Bounce>,
  at: Instant,
): EventEnvelope => ({
  event: "message.bounced",
  timestamp: timestamp(at),
  data: {
    ...messageFields(content, mailbox),
    bounced_recipients: bounces.map(({ recipient }) => recipient),
    bounced_at: timestamp(at),
    bounces,
  },
})

export const complaintEvent = (
  content: MessageContent,
  mailbox: EventMailbox,
  recipients: ReadonlyArray<string>,
  at: Instant,
): EventEnvelope => ({
  event: "message.complaint",
  timestamp: timestamp(at),
  data: {
    ...messageFields(content, mailbox),
    complained_recipients: recipients,
    complained_at: timestamp(at),
  },
})

const sendingFields = (mailbox: EventMailbox, window: SendingWindow, reason: SendingStopReason) => ({
  mailbox_id: mailbox.id,
  mailbox_address: mailbox.fullAddress,
  reason,
  sends: window.sends,
  hard_bounces: window.hardBounces,
  complaints: window.complaints,
})

export const sendingWarningEvent = (
  mailbox: EventMailbox,
  window: SendingWindow,
  reason: SendingStopReason,
  at: Instant,
): EventEnvelope => ({
  event: "mailbox.sending_warning",
  timestamp: timestamp(at),
  data: { ...sendingFields(mailbox, window, reason), warned_at: timestamp(at) },
})

export const sendingStoppedEvent = (
  mailbox: EventMailbox,
  window: SendingWindow,
  reason: SendingStopReason,
  at: Instant,
): EventEnvelope => ({
  event: "mailbox.sending_stopped",
  timestamp: timestamp(at),
  data: { ...sendingFields(mailbox, window, reason), stopped_at: timestamp(at) },
})

type EventThread = Pick<ThreadRecord, "id" | "subject">

const threadFields = (thread: EventThread, mailbox: EventMailbox) => ({
  thread_id: thread.id,
  mailbox_id: mailbox.id,
  mailbox_address: mailbox.fullAddress,
  subject: thread.subject,
})

export const takenOverEvent = (thread: EventThread, mailbox: EventMailbox, at: Instant): EventEnvelope => ({
  event: "thread.taken_over",
  timestamp: timestamp(at),
  data: { ...threadFields(thread, mailbox), taken_over_at: timestamp(at) },
})

export const releasedEvent = (thread: EventThread, mailbox: EventMailbox, at: Instant): EventEnvelope => ({
  event: "thread.released",
  timestamp: timestamp(at),
  data: { ...threadFields(thread, mailbox), released_at: timestamp(at) },
})
