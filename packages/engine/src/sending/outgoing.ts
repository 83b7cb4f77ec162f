/** Pure functions from a send request to the message that is recorded and the mail that is composed. */
import {
  type Actor,
  addressIn,
  type AttachmentRecord,
  type DraftRecord,
  type DraftReply,
  type HeaderMap,
  type Instant,
  type MailboxRecord,
  type MessageContent,
  type MessageId,
  namedAddress,
  noLinks,
  type OutgoingCalendar,
  type ReplyLinks,
  type SendBody,
  textOf,
  timestamp,
  viewAttachment,
} from "@mailroom/domain"
import type { MailDraft } from "../ports/MimeComposer.js"
import type { MessageRecord } from "../ports/stores/MessageStore.js"
import type { Submitted } from "../submission/submitted.js"

/** A message to send that passed the checks without the lock. `SendRecorder` checks and stores it. */
export interface Outgoing {
  readonly id: MessageId
  /** Message-ID of its mail, with angle brackets */
  readonly rfcId: string
  readonly mailbox: MailboxRecord
  readonly body: SendBody
  /** the message that it answers, with the links of its mail; null when it names none */
  readonly reply: DraftReply | null
  readonly attachments: ReadonlyArray<AttachmentRecord>
  readonly now: Instant
  /** the message that this one answers; null when it answers none in this mailbox */
  readonly answered: Pick<MessageRecord, "threadId" | "content"> | null
  /** whether a machine wrote the answered message */
  readonly automaticTurn: boolean
  /** the answer to an invitation, which the mail carries beside its text; null for other mail */
  readonly calendar: OutgoingCalendar | null
  /** the mail that a client submitted by SMTP, whose body is sent unchanged; null for a mail that is composed */
  readonly submitted: Submitted | null
  /** recipients that wrote to the mailbox, or that a person approved for it */
  readonly known: ReadonlySet<string>
  /** whether a person sends it, or has scheduled the draft that is due; a key does not */
  readonly byPerson: boolean
  /** the caller; for a draft that is due, the program that sends it */
  readonly sentBy: Actor
  /** the draft that is sent; null for the body of a request */
  readonly draft: DraftRecord | null
  /** whether the draft is sent because its time has come, or it was approved, and no caller sends it */
  readonly isDue: boolean
  /** keep it as a draft until then; null: send it now */
  readonly sendAt: Instant | null
  /** recipients to whom the mailbox has not written before */
  readonly newRecipients: ReadonlyArray<string>
}

/**
 * Whether to declare an automatic reply: an answer to an automatic mail, which no machine should answer (RFC 3834 §2,
 * §5).
 */
export const isAutoReply = ({ reply }: Outgoing): boolean => reply?.automated ?? false

const linksOf = ({ reply }: Outgoing): ReplyLinks => reply?.links ?? noLinks

const autoSubmitted = "auto-replied"

/** The display name in From. */
const senderName = ({ mailbox, submitted }: Outgoing): string | null =>
  submitted === null ? mailbox.displayName : submitted.fromName

/** To and Cc of the mail. Those of a submitted mail may name others than its recipients. */
export const addresseesOf = ({ body, submitted }: Outgoing): Pick<MailDraft, "to" | "cc"> => {
  const { to, cc = [] } = submitted ?? body
  return { to, cc }
}

const replyToOf = ({ body, submitted }: Outgoing): ReadonlyArray<string> =>
  submitted?.replyTo ?? (body.replyTo === undefined ? [] : [body.replyTo])

const normalized = (addresses: ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  (addresses ?? []).map(addressIn)

export const outboundContent = (outgoing: Outgoing): MessageContent => {
  const { mailbox, body, attachments } = outgoing
  const links = linksOf(outgoing)
  return {
    id: outgoing.id,
    mailboxId: mailbox.id,
    direction: "OUTBOUND",
    deliveredTo: null,
    messageId: outgoing.rfcId,
    inReplyTo: links.inReplyTo,
    references: links.references,
    fromAddress: mailbox.fullAddress,
    fromName: senderName(outgoing),
    toAddresses: normalized(body.to),
    ccAddresses: normalized(body.cc),
    bccAddresses: normalized(body.bcc),
    replyTo: body.replyTo === undefined ? null : addressIn(body.replyTo),
    subject: body.subject,
    bodyText: body.bodyText ?? null,
    bodyHtml: body.bodyHtml ?? null,
    // Those who read no HTML read this instead, such as tools of MCP.
    extractedText: (body.bodyText ?? "") === "" ? textOf(body) : null,
    hasAttachments: attachments.length > 0,
    attachmentsDropped: false,
    attachmentsDroppedReason: null,
    automated: isAutoReply(outgoing),
    authentication: null,
    codes: [],
    links: [],
    calendar: null,
    trust: null,
    spam: null,
    createdAt: timestamp(outgoing.now),
    receivedAt: null,
    attachments: attachments.map(viewAttachment),
  }
}

/** The header fields that differ by recipient. */
export interface ForRecipient {
  /** To and Cc: those of the message, or the recipient alone in a bulk mail */
  readonly addressees: Pick<MailDraft, "to" | "cc">
  /** how the recipient unsubscribes; null in a mail without List-Unsubscribe */
  readonly unsubscribe: MailDraft["listUnsubscribe"]
  /** fields in which the mail provider wants the return path */
  readonly headers: Readonly<Record<string, string>>
}

/** What the mail is composed of, or the body that is sent unchanged. */
const bodyOf = (
  { body, calendar, attachments, submitted }: Outgoing,
  bytes: ReadonlyArray<Uint8Array>,
): Pick<MailDraft, "text" | "html" | "calendar" | "attachments" | "submitted"> =>
  submitted === null
    ? {
        text: body.bodyText ?? null,
        html: body.bodyHtml ?? null,
        calendar,
        attachments: attachments.map(({ filename, contentType, contentId }, index) => ({
          filename,
          contentType,
          contentId,
          bytes: bytes[index] ?? new Uint8Array(),
        })),
      }
    : { text: null, html: null, calendar: null, attachments: [], submitted: submitted.form }

export const draftOf = (
  outgoing: Outgoing,
  bytes: ReadonlyArray<Uint8Array>,
  own: ForRecipient,
): MailDraft => ({
  messageId: outgoing.rfcId,
  date: outgoing.now,
  from: { address: outgoing.mailbox.fullAddress, name: senderName(outgoing) },
  ...own.addressees,
  replyTo: replyToOf(outgoing),
  subject: outgoing.body.subject,
  ...bodyOf(outgoing, bytes),
  inReplyTo: linksOf(outgoing).inReplyTo,
  references: linksOf(outgoing).references,
  autoSubmitted: isAutoReply(outgoing) ? autoSubmitted : null,
  listUnsubscribe: own.unsubscribe,
  // A submitted mail has its custom fields among those that it keeps.
  headers: { ...(outgoing.submitted === null && outgoing.body.headers), ...own.headers },
})

/** The header fields of the sent message, as its resource shows them. */
export const headersOf = (outgoing: Outgoing): HeaderMap => {
  const { mailbox, body } = outgoing
  const links = linksOf(outgoing)
  const { to, cc } = addresseesOf(outgoing)
  const replyTo = replyToOf(outgoing)
  const custom = Object.entries(body.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  )
  return {
    from: namedAddress(mailbox.fullAddress, senderName(outgoing)),
    ...(to.length > 0 && { to: to.join(", ") }),
    ...(cc.length > 0 && { cc: cc.join(", ") }),
    ...(replyTo.length > 0 && { "reply-to": replyTo.join(", ") }),
    subject: body.subject,
    date: new Date(outgoing.now).toUTCString(),
    "message-id": outgoing.rfcId,
    ...(links.inReplyTo !== null && { "in-reply-to": links.inReplyTo }),
    ...(links.references.length > 0 && { references: links.references.join(" ") }),
    ...(isAutoReply(outgoing) && { "auto-submitted": autoSubmitted }),
    ...Object.fromEntries(custom),
  }
}
