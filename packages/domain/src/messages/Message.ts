/** Messages (spec, Message; decisions §2). */
import { Schema } from "effect"
import { Attachment } from "../attachments/Attachment.js"
import { MailboxId, MessageId, ThreadId } from "../ids.js"
import { LIST_BODY_MAX_LENGTH } from "../limits.js"
import { Timestamp } from "../time.js"

export const Direction = Schema.Literal("INBOUND", "OUTBOUND").annotations({
  identifier: "Direction",
  description: "INBOUND came in, OUTBOUND went out",
})
export type Direction = typeof Direction.Type

/**
 * Outbound: SENDING is recorded before the relay answers and hidden from lists; UNKNOWN means that the service
 * stopped between the relay's answer and its own bookkeeping: shown, never sent again by itself.
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
).annotations({ identifier: "MessageStatus", description: "Inbound: RECEIVED. Outbound: how far it got" })
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
  spf: Schema.String,
  dkim: Schema.String.annotations({ description: "of the best signature" }),
  dmarc: Schema.String,
  arc: Schema.optional(Schema.String).annotations({ description: "of the chain of those who passed it on" }),
  verifiedDomain: Schema.NullOr(Schema.String).annotations({
    description: "the domain of `fromAddress`, when an aligned SPF or DKIM proves it; null when nothing does",
  }),
}).annotations({
  identifier: "SenderAuthentication",
  description: "What SPF, DKIM, DMARC and ARC say of the sender",
})
export type Authentication = typeof Authentication.Type

/** What never changes after the message is stored. */
export const MessageContent = Schema.Struct({
  id: MessageId,
  mailboxId: MailboxId,
  direction: Direction,
  messageId: Schema.String.annotations({ description: "RFC 5322 Message-ID, angle brackets included" }),
  inReplyTo: Schema.NullOr(Schema.String),
  references: Schema.Array(Schema.String),
  fromAddress: Schema.String,
  fromName: Schema.NullOr(Schema.String),
  toAddresses: Schema.Array(Schema.String),
  ccAddresses: Schema.Array(Schema.String),
  bccAddresses: Schema.Array(Schema.String).annotations({ description: "shown to the sender only" }),
  replyTo: Schema.NullOr(Schema.String),
  subject: Schema.String,
  bodyText: Schema.NullOr(Schema.String).annotations({
    description:
      "of an inbound mail never null: made from the HTML when there is no text, empty without a body",
  }),
  bodyHtml: Schema.NullOr(Schema.String),
  extractedText: Schema.NullOr(Schema.String),
  hasAttachments: Schema.Boolean,
  attachmentsDropped: Schema.Boolean,
  attachmentsDroppedReason: Schema.NullOr(DropReason),
  automated: Schema.Boolean.annotations({
    description: "an auto-reply, a list mail or a report; do not answer",
  }),
  authentication: Schema.NullOr(Authentication),
  codes: Schema.Array(Schema.Struct({ code: Schema.String, context: Schema.String })),
  links: Schema.Array(Schema.Struct({ url: Schema.String, text: Schema.String })),
  createdAt: Timestamp,
  receivedAt: Schema.NullOr(Timestamp),
  attachments: Schema.Array(Attachment),
})
export type MessageContent = typeof MessageContent.Type

/** What may change later. */
export const MessageState = Schema.Struct({
  threadId: ThreadId,
  status: MessageStatus,
  overLimit: Schema.Boolean,
  labels: Schema.Array(Schema.String),
  readAt: Schema.NullOr(Timestamp),
  sentAt: Schema.NullOr(Timestamp),
})
export type MessageState = typeof MessageState.Type

/** A row of a list: everything but the headers, long bodies cut. */
export const MessageListItem = Schema.Struct({
  ...MessageContent.fields,
  ...MessageState.fields,
  truncated: Schema.optional(Schema.Boolean).annotations({
    description: "true when a body was cut at 64 kB; the single read has it whole",
  }),
}).annotations({
  identifier: "MessageListItem",
  description: "A message as lists show it: without headers, bodies cut at 64 kB",
})
export type MessageListItem = typeof MessageListItem.Type

/** One message, whole. */
export const Message = Schema.Struct({
  ...MessageContent.fields,
  ...MessageState.fields,
  headers: HeaderMap,
}).annotations({ identifier: "Message", description: "A message, whole" })
export type Message = typeof Message.Type

/** The content as a list shows it, and whether anything had to be cut (decisions §2). */
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

/** The first `max` UTF-16 units, never half a surrogate pair. */
export const truncated = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** The same of a body, which may not be there. */
export const cutText = (text: string | null, max: number): string | null =>
  text === null ? null : truncated(text, max)
