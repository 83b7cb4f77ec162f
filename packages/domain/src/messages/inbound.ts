/** Converts an inbound mail into a message. */
import type { Attachment, KeptAttachments } from "../attachments/Attachment.js"
import type { MailboxId, MessageId } from "../ids.js"
import { normalizeAddress } from "../mailboxes/address.js"
import type { Linked } from "../threads/threading.js"
import { type Instant, timestamp } from "../time.js"
import type { Spam } from "../trust/Spam.js"
import type { Trust } from "../trust/Trust.js"
import type { TrustContent } from "../trust/trustOf.js"
import { isAutomated } from "./automated.js"
import { type MessageContent, type SenderResults, shownResults } from "./Message.js"
import type { ParsedAttachment, ParsedContent, ParsedMail } from "./ParsedMail.js"

export interface Arrival {
  readonly id: MessageId
  readonly mailboxId: MailboxId
  readonly parsed: ParsedContent
  /** MAIL FROM; empty for the null return path */
  readonly envelopeFrom: string
  /** RCPT TO, as the sender wrote it */
  readonly deliveredTo: string
  /** the Message-ID to show when the mail has no own */
  readonly fallbackMessageId: string
  readonly receivedAt: Instant
  readonly createdAt: Instant
  readonly attachments: ReadonlyArray<Attachment>
  readonly dropped: KeptAttachments<ParsedAttachment>["dropped"]
  readonly authentication: SenderResults
  readonly trust: Trust | null
  readonly spam: Spam | null
}

/** The ids that tie a parsed mail to other messages. */
export const linksOf = (parsed: ParsedContent): Linked => ({
  messageId: parsed.messageId,
  inReplyTo: parsed.inReplyTo,
  references: parsed.references,
})

/** The author's address: that of From, else of the envelope; empty without both. */
export const authorAddress = ({ from }: Pick<ParsedContent, "from">, envelopeFrom: string): string =>
  from?.address ?? envelopeFrom

const addresses = (list: ParsedMail["to"]): ReadonlyArray<string> => list.map(({ address }) => address)

/** What the rule of trust reads of a mail with this return path. */
export const trustContentOf = (parsed: ParsedContent, envelopeFrom: string): TrustContent => ({
  fromAddress: authorAddress(parsed, envelopeFrom),
  fromName: parsed.from?.name ?? null,
  replyTo: addresses(parsed.replyTo),
  headers: parsed.headers,
  contentReasons: parsed.contentReasons,
})

export const inboundContent = (arrival: Arrival): MessageContent => {
  const { parsed } = arrival
  return {
    id: arrival.id,
    mailboxId: arrival.mailboxId,
    direction: "INBOUND",
    deliveredTo: arrival.deliveredTo,
    messageId: parsed.messageId ?? arrival.fallbackMessageId,
    inReplyTo: parsed.inReplyTo[0] ?? null,
    references: parsed.references,
    fromAddress: authorAddress(parsed, arrival.envelopeFrom),
    fromName: parsed.from?.name ?? null,
    toAddresses: addresses(parsed.to),
    ccAddresses: addresses(parsed.cc),
    bccAddresses: [],
    replyTo: parsed.replyTo[0]?.address ?? null,
    subject: parsed.subject,
    bodyText: parsed.text ?? parsed.textOfHtml ?? "",
    bodyHtml: parsed.html,
    extractedText: parsed.extractedText,
    hasAttachments: arrival.attachments.length > 0,
    attachmentsDropped: arrival.dropped !== null,
    attachmentsDroppedReason: arrival.dropped,
    automated: isAutomated(parsed.headers, arrival.envelopeFrom),
    authentication: shownResults(arrival.authentication),
    codes: parsed.codes,
    links: parsed.links,
    calendar: parsed.calendar,
    trust: arrival.trust,
    spam: arrival.spam,
    createdAt: timestamp(arrival.createdAt),
    receivedAt: timestamp(arrival.receivedAt),
    attachments: arrival.attachments,
  }
}

/** All addresses of a message, normalized, each once: the participants of its thread. */
export const participantsOf = (
  content: Pick<MessageContent, "fromAddress" | "toAddresses" | "ccAddresses">,
): ReadonlyArray<string> => [
  ...new Set(
    [content.fromAddress, ...content.toAddresses, ...content.ccAddresses]
      .map(normalizeAddress)
      .filter((address) => address !== ""),
  ),
]
