/** Messages (spec: decisions.message.fields). */
import { Schema } from "effect"
import { described } from "../described.js"
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
 * Outbound: SENDING is stored before the relay replies, and hidden from lists; UNKNOWN means that the service stopped
 * between the relay's reply and its own record: it is shown, and never sent again automatically.
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
  spf: described(Schema.String, "of the envelope sender"),
  dkim: described(Schema.String, "of the best signature"),
  dmarc: described(Schema.String, "of the From header"),
  arc: Schema.optional(Schema.String).annotations({ description: "of the chain of those who passed it on" }),
  verifiedDomain: described(
    Schema.NullOr(Schema.String),
    "the domain of `fromAddress`, when an aligned SPF or DKIM proves it; null when nothing does",
  ),
}).annotations({
  identifier: "SenderAuthentication",
  description: "What SPF, DKIM, DMARC and ARC say of the sender",
})
export type Authentication = typeof Authentication.Type

/** Fields that never change after the message is stored. */
export const MessageContent = Schema.Struct({
  id: described(MessageId, "id of the message"),
  mailboxId: described(MailboxId, "the mailbox it is in"),
  direction: described(Direction, "INBOUND came in, OUTBOUND went out"),
  messageId: described(Schema.String, "RFC 5322 Message-ID, angle brackets included"),
  inReplyTo: described(Schema.NullOr(Schema.String), "Message-ID of the mail that it answers; null for none"),
  references: described(
    Schema.Array(Schema.String),
    "Message-IDs of the conversation before it, oldest first",
  ),
  fromAddress: described(Schema.String, "address of the From header"),
  fromName: described(Schema.NullOr(Schema.String), "display name of the From header; null for none"),
  toAddresses: described(Schema.Array(Schema.String), "addresses of the To header"),
  ccAddresses: described(Schema.Array(Schema.String), "addresses of the Cc header"),
  bccAddresses: described(Schema.Array(Schema.String), "shown to the sender only"),
  replyTo: described(Schema.NullOr(Schema.String), "address of the Reply-To header; null for none"),
  subject: described(Schema.String, "the subject; empty when there is none"),
  bodyText: described(
    Schema.NullOr(Schema.String),
    "of an inbound mail never null: made from the HTML when there is no text, empty without a body",
  ),
  bodyHtml: described(Schema.NullOr(Schema.String), "the HTML part; null when there is none"),
  extractedText: described(
    Schema.NullOr(Schema.String),
    "the text without quotes and signature; null when there is no text",
  ),
  hasAttachments: described(Schema.Boolean, "whether it has files"),
  attachmentsDropped: described(Schema.Boolean, "whether files were left out"),
  attachmentsDroppedReason: described(
    Schema.NullOr(DropReason),
    "why: above 25 MB, beyond the 20th, or both; null when none was",
  ),
  automated: described(Schema.Boolean, "an auto-reply, a list mail or a report; do not answer"),
  authentication: described(
    Schema.NullOr(Authentication),
    "whether the sender is who it says; null of what went out",
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
        url: described(Schema.String, "where it goes"),
        text: described(Schema.String, "the words of the link, or the address again"),
      }),
    ),
    "links found in the bodies",
  ),
  createdAt: described(Timestamp, "when it was stored"),
  receivedAt: described(Schema.NullOr(Timestamp), "when it was accepted; null of what went out"),
  attachments: described(Schema.Array(Attachment), "its files"),
})
export type MessageContent = typeof MessageContent.Type

/** Fields that may change. */
export const MessageState = Schema.Struct({
  threadId: described(ThreadId, "the thread it belongs to"),
  status: described(MessageStatus, "RECEIVED of what came in; else how far it got"),
  overLimit: described(Schema.Boolean, "whether it is above the inbound limit"),
  labels: described(Schema.Array(Schema.String), "labels of your own"),
  readAt: described(Schema.NullOr(Timestamp), "when it was marked read; null while it is unread"),
  sentAt: described(Schema.NullOr(Timestamp), "when the relay took it; null before, and of what came in"),
})
export type MessageState = typeof MessageState.Type

/** A message in a list: without headers, with long bodies cut. */
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

/** A complete message. */
export const Message = Schema.Struct({
  ...MessageContent.fields,
  ...MessageState.fields,
  headers: described(
    HeaderMap,
    "every header field as it came, decoded, by its name; a list when it repeats",
  ),
}).annotations({ identifier: "Message", description: "A message, whole" })
export type Message = typeof Message.Type

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

/** The first `max` UTF-16 units, without splitting a surrogate pair. */
export const truncated = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** The same for a body, which may be null. */
export const cutText = (text: string | null, max: number): string | null =>
  text === null ? null : truncated(text, max)
