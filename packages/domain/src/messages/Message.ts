/** Messages (spec: decisions.message.fields). */
import { Schema, Struct } from "effect"
import { described } from "../described.js"
import { Attachment } from "../attachments/Attachment.js"
import { Calendar } from "../calendar/Calendar.js"
import { MessageClaim } from "../claims/messageClaim.js"
import { MailboxId, MessageId, ThreadId } from "../ids.js"
import { LABELS_MAX, LIST_BODY_MAX_LENGTH } from "../limits.js"
import { Quarantine } from "../quarantine/Quarantine.js"
import { Timestamp } from "../time.js"
import { Spam } from "../trust/Spam.js"
import { Trust } from "../trust/Trust.js"
import { truncated } from "../unicode.js"
import { domainOf, normalizeAddress } from "../mailboxes/address.js"
import { atMostCharacters, oneLine } from "./oneLine.js"

export const Direction = Schema.Literal("INBOUND", "OUTBOUND").annotations({
  identifier: "Direction",
  description: "INBOUND for received, OUTBOUND for sent",
})
export type Direction = typeof Direction.Type

/**
 * Outbound: SENDING is stored before the relay replies, and hidden from lists; UNKNOWN means that the relay's reply was
 * lost, or that the service stopped between the reply and its own record: it is shown, and never sent again automatically. No message becomes FAILED:
 * a send that the relay refused is removed.
 */
export const MessageStatus = Schema.Literal(
  "RECEIVED",
  "SENDING",
  "SENT",
  "UNKNOWN",
  "DELIVERED",
  "BOUNCED",
  "COMPLAINED",
  "FAILED",
).annotations({
  identifier: "MessageStatus",
  description: "Inbound: RECEIVED. Outbound: the progress of the delivery",
})
export type MessageStatus = typeof MessageStatus.Type

export const DropReason = Schema.Literal("size", "count", "both")
export type DropReason = typeof DropReason.Type

/** Header fields as they came, decoded: one string, or a list when a field repeats. */
export const HeaderMap = Schema.Record({
  key: Schema.String,
  value: Schema.Union(Schema.String, Schema.Array(Schema.String)),
})
export type HeaderMap = typeof HeaderMap.Type

/** The results of RFC 8601 §2.7: `pass`, `fail`, `softfail`, `neutral`, `none`, `policy`, `temperror`, `permerror`. */
export const Authentication = Schema.Struct({
  spf: described(Schema.String, "SPF result for the envelope sender"),
  dkim: described(Schema.String, "DKIM result of the best signature"),
  dmarc: described(Schema.String, "DMARC result for the From header"),
  arc: Schema.optional(Schema.String).annotations({ description: "ARC result for the chain of forwarders" }),
  verifiedDomain: described(
    Schema.NullOr(Schema.String),
    "domain of `fromAddress` if an aligned SPF or DKIM result proves it; else null",
  ),
}).annotations({
  identifier: "SenderAuthentication",
  description: "Results of SPF, DKIM, DMARC and ARC for the sender",
})
export type Authentication = typeof Authentication.Type

/**
 * Whether SPF or DKIM proves the domain of the author's address. A proof of another domain counts for nothing, whatever
 * made the author's address differ from the one that was checked.
 */
export const isProvenAuthor = (
  { verifiedDomain }: Pick<Authentication, "verifiedDomain">,
  author: string,
): boolean => verifiedDomain !== null && verifiedDomain === domainOf(normalizeAddress(author))

/** The results with what messages do not show. */
export interface SenderResults extends Authentication {
  /** when DMARC fails: what the domain asks for such mail, `none`, `quarantine` or `reject` (RFC 7489 §6.3) */
  readonly dmarcPolicy?: string
}

/** The results as messages show them. */
export const shownResults = (results: SenderResults): Authentication =>
  results.dmarcPolicy === undefined ? results : Struct.omit(results, "dmarcPolicy")

/** Fields that never change after the message is stored. */
export const MessageContent = Schema.Struct({
  id: described(MessageId, "id of the message"),
  mailboxId: described(MailboxId, "the mailbox it is in"),
  direction: described(Direction, "INBOUND for received, OUTBOUND for sent"),
  deliveredTo: described(
    Schema.NullOr(Schema.String),
    "the envelope recipient, with its +tag; null for sent messages and for those of earlier versions",
  ),
  messageId: described(Schema.String, "RFC 5322 Message-ID, angle brackets included"),
  inReplyTo: described(Schema.NullOr(Schema.String), "Message-ID of the answered mail; null for none"),
  references: described(Schema.Array(Schema.String), "Message-IDs of the References header, oldest first"),
  fromAddress: described(Schema.String, "address of the From header"),
  fromName: described(Schema.NullOr(Schema.String), "display name of the From header; null for none"),
  toAddresses: described(Schema.Array(Schema.String), "addresses of the To header"),
  ccAddresses: described(Schema.Array(Schema.String), "addresses of the Cc header"),
  bccAddresses: described(
    Schema.Array(Schema.String),
    "blind copies of a sent message; empty for received ones",
  ),
  replyTo: described(Schema.NullOr(Schema.String), "address of the Reply-To header; null for none"),
  subject: described(Schema.String, "the subject; empty when there is none"),
  bodyText: described(
    Schema.NullOr(Schema.String),
    "the text part. For inbound mail never null: HTML without a text alternative counts with its text; empty without a body",
  ),
  bodyHtml: described(Schema.NullOr(Schema.String), "the HTML part; null when there is none"),
  extractedText: described(
    Schema.NullOr(Schema.String),
    "new text of the author, without quotes and signature; of a sent message without a text part the text of its HTML, of its first 512 kB; null without text",
  ),
  hasAttachments: described(Schema.Boolean, "whether it has attachments"),
  attachmentsDropped: described(Schema.Boolean, "whether attachments were dropped"),
  attachmentsDroppedReason: described(
    Schema.NullOr(DropReason),
    "why attachments were dropped: too large, too many, or both; null when none was",
  ),
  automated: described(Schema.Boolean, "true for an auto-reply, a list mail or a report: do not reply to it"),
  authentication: described(
    Schema.NullOr(Authentication),
    "whether the sender's domain is proven; null for sent and imported messages",
  ),
  codes: described(
    Schema.Array(
      Schema.Struct({
        code: described(Schema.String, "the code"),
        context: described(Schema.String, "the text around it"),
      }),
    ),
    "one-time codes found in the text",
  ),
  links: described(
    Schema.Array(
      Schema.Struct({
        url: described(Schema.String, "target of the link"),
        text: described(Schema.String, "text of the link, or the target"),
      }),
    ),
    "links found in the bodies",
  ),
  calendar: described(Schema.NullOr(Calendar), "the invitation in a received mail; null without one"),
  trust: described(
    Schema.NullOr(Trust),
    "where it comes from, and whether it hides something; null for sent messages and for those of earlier versions",
  ),
  spam: described(
    Schema.NullOr(Spam),
    "result of the operator's spam filter; null for sent messages and without a result",
  ),
  createdAt: described(Timestamp, "time of storage; of an imported message, when it was received or sent"),
  receivedAt: described(
    Schema.NullOr(Timestamp),
    "when the service, or for an imported message the server before it, accepted it; null for sent messages",
  ),
  attachments: described(Schema.Array(Attachment), "the attachments"),
})
export type MessageContent = typeof MessageContent.Type

/** Fields that may change. */
export const MessageState = Schema.Struct({
  threadId: described(ThreadId, "the thread it belongs to"),
  status: described(MessageStatus, "RECEIVED for inbound messages; else the progress of the delivery"),
  overLimit: described(Schema.Boolean, "whether it is gated, above the inbound limit"),
  labels: described(Schema.Array(Schema.String), "labels set by clients"),
  readAt: described(Schema.NullOr(Timestamp), "when it was marked as read; null while unread"),
  sentAt: described(
    Schema.NullOr(Timestamp),
    "when the relay accepted it, or when an imported message was sent; null before that, and for inbound messages",
  ),
  claim: described(Schema.NullOr(MessageClaim), "who works on it, and until when; null while it is free"),
  quarantined: described(Schema.NullOr(Quarantine), "since when it is quarantined, and why; null: it is not"),
})
export type MessageState = typeof MessageState.Type

/** A message in a list: without headers, with long bodies cut. */
export const MessageListItem = Schema.Struct({
  ...MessageContent.fields,
  ...MessageState.fields,
  truncated: Schema.optional(Schema.Boolean).annotations({
    description: "true when a body is cut at 64 kB; a single read returns it whole",
  }),
}).annotations({
  identifier: "MessageListItem",
  description: "A message in a list: without headers, bodies cut at 64 kB",
})
export type MessageListItem = typeof MessageListItem.Type

/** A complete message. */
export const Message = Schema.Struct({
  ...MessageContent.fields,
  ...MessageState.fields,
  headers: described(HeaderMap, "header fields by name, decoded; a list when a field repeats"),
}).annotations({ identifier: "Message", description: "A complete message" })
export type Message = typeof Message.Type

/** A label of a message: 1 to 64 characters on one line. */
export const Label = Schema.String.pipe(Schema.minLength(1), atMostCharacters(64), oneLine)

/** The labels of a message, at most 20. */
export const Labels = Schema.Array(Label).pipe(Schema.maxItems(LABELS_MAX))

const flagChanges = {
  addLabels: Schema.optional(Labels.annotations({ description: "labels to add; the others stay" })),
  removeLabels: Schema.optional(Labels.annotations({ description: "labels to remove; the others stay" })),
  read: Schema.optional(Schema.Boolean).annotations({ description: "true marks as read, false as unread" }),
}

/** The body of a PATCH of a message; absent fields do not change. */
export const MessagePatch = Schema.Struct({
  labels: Schema.optional(
    Labels.annotations({ description: "the new labels, which replace all earlier ones" }),
  ),
  ...flagChanges,
})
  .annotations({ description: "Changes of a message; absent fields do not change" })
  .pipe(
    Schema.filter(({ labels, addLabels, removeLabels }) =>
      labels !== undefined && (addLabels !== undefined || removeLabels !== undefined)
        ? { path: ["labels"], message: "replaces all labels: not together with addLabels or removeLabels" }
        : true,
    ),
  )
  .annotations({ identifier: "MessagePatch" })

/** The body of a PATCH of a thread; absent fields do not change. */
export const ThreadPatch = Schema.Struct(flagChanges).annotations({
  identifier: "ThreadPatch",
  description: "Changes of all visible messages of a thread; absent fields do not change",
})
export type ThreadPatch = typeof ThreadPatch.Type
export type MessagePatch = typeof MessagePatch.Type

/** The content for a list, and whether a body was cut (spec: decisions.message.truncated). */
export const cutForList = (
  content: MessageContent,
): { readonly content: MessageContent; readonly truncated: boolean } => {
  const { bodyText, bodyHtml, extractedText } = content
  if ([bodyText, bodyHtml, extractedText].every((body) => (body ?? "").length <= LIST_BODY_MAX_LENGTH))
    return { content, truncated: false }
  return {
    content: {
      ...content,
      bodyText: cutText(bodyText, LIST_BODY_MAX_LENGTH),
      bodyHtml: cutText(bodyHtml, LIST_BODY_MAX_LENGTH),
      extractedText: cutText(extractedText, LIST_BODY_MAX_LENGTH),
    },
    truncated: true,
  }
}

/** The first `max` UTF-16 units of a body, without splitting a surrogate pair. */
export const cutText = (text: string | null, max: number): string | null =>
  text === null ? null : truncated(text, max)
