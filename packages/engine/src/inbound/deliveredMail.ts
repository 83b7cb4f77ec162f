/** What is stored, counted, announced and logged of a mail that arrived at a mailbox. */
import {
  type BillingMode,
  type EventEnvelope,
  inboundUsage,
  type Instant,
  quarantinedEvent,
  reachedUsage,
  receivedEvent,
  stubEvent,
  type ThreadId,
  timestamp,
  upgradeAt,
} from "@mailroom/domain"
import type { NewEvent } from "../events/EventRecorder.js"
import type { LogFields } from "../mailLog.js"
import type { MessageRecord } from "../ports/stores/MessageStore.js"
import type { Arriving, DeliverableMail } from "./arrivals.js"

export const recordOf = (arriving: Arriving, threadId: ThreadId, now: Instant): MessageRecord => ({
  accountId: arriving.mailbox.accountId,
  content: arriving.content,
  headers: arriving.mail.parsed.headers,
  threadId,
  status: "RECEIVED",
  gate: arriving.gate,
  labels: [],
  readAt: null,
  sentAt: null,
  createdAt: now,
  dedupKey: arriving.dedupKey,
  rawId: arriving.mail.queued.raw.id,
  automaticTurn: false,
  claim: null,
  quarantine: arriving.quarantine,
})

/** Its part of the counts of received mail. */
export const countOf = ({ mailbox, gate, quarantine }: Arriving) => ({
  accountId: mailbox.accountId,
  mailboxId: mailbox.id,
  received: 1,
  gated: gate === null ? 0 : 1,
  quarantined: quarantine === null ? 0 : 1,
})

/** The event that announces it: without its content while it is gated or quarantined. */
export const eventOf = (
  { mailbox, content, gate, quarantine, quota, mail }: Arriving,
  threadId: ThreadId,
  { baseUrl, billing }: { readonly baseUrl: string; readonly billing: BillingMode },
  now: Instant,
): NewEvent => {
  const receivedAt = timestamp(mail.queued.envelope.receivedAt)
  const event = (envelope: EventEnvelope): NewEvent => ({
    accountId: mailbox.accountId,
    mailboxId: mailbox.id,
    envelope,
    at: now,
  })
  if (gate !== null) {
    const upgrade = upgradeAt(baseUrl, billing)
    return event(stubEvent(content, receivedAt, mailbox, reachedUsage(quota, now), upgrade, now))
  }
  return event(
    quarantine === null
      ? receivedEvent(content, receivedAt, mailbox, threadId, inboundUsage(quota, now), now)
      : quarantinedEvent(content, receivedAt, mailbox, quarantine, now),
  )
}

export const deliveredFields = (
  { mail, mailbox, content, gate, quarantine }: Arriving,
  now: Instant,
): LogFields => ({
  rawId: mail.queued.raw.id,
  messageId: content.id,
  accountId: mailbox.accountId,
  mailboxId: mailbox.id,
  from: mail.queued.envelope.from,
  to: mailbox.fullAddress,
  afterMs: now - mail.queued.envelope.receivedAt,
  ...(gate !== null && { gate }),
  ...(quarantine !== null && { quarantine: quarantine.reasons }),
})

/** Whether nothing but the header of the mail could be read, such as after it stopped the thread of the parser. */
export const isUnread = ({ mail: { files, parsed } }: Arriving): boolean =>
  parsed.defect !== null && parsed.text === null && parsed.html === null && files.length === 0

export const unreadFields = ({ mail, mailbox, content }: Arriving): LogFields => ({
  rawId: mail.queued.raw.id,
  messageId: content.id,
  accountId: mailbox.accountId,
  mailboxId: mailbox.id,
  reason: mail.parsed.defect,
})

export const discardedFields = ({ queued: { raw, envelope } }: DeliverableMail): LogFields => ({
  rawId: raw.id,
  from: envelope.from,
  to: envelope.to,
  reason: "stored already, or no recipient has a mailbox any more",
})

/** Why it was delivered as it was, for LOG_LEVEL=debug. */
export const reasonFields = ({ mail, content, files, gate, threadable }: Arriving): LogFields => ({
  messageId: content.id,
  spf: mail.authentication.spf,
  dkim: mail.authentication.dkim,
  dmarc: mail.authentication.dmarc,
  verifiedDomain: mail.authentication.verifiedDomain,
  trust: content.trust?.level ?? "none",
  trustReasons: content.trust?.reasons.join(" ") ?? "",
  spam: mail.spam?.action ?? "none",
  gate: gate ?? "none",
  automated: content.automated,
  files: files.length,
  filesDropped: mail.dropped ?? "none",
  threadLinks: threadable.links.references.length + threadable.links.inReplyTo.length,
})
