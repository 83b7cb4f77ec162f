/** The result of parsing a mail. Plain values, because they cross a thread boundary. */
import type { EncodedLines } from "../attachments/place.js"
import type { Calendar } from "../calendar/Calendar.js"
import type { MailReport } from "../reports/Report.js"
import type { ContentReason } from "../trust/trustOf.js"
import type { HeaderMap, MessageContent } from "./Message.js"

export interface ParsedAddress {
  readonly address: string
  readonly name: string | null
}

export interface ParsedAttachment {
  /** as given, or made from the type; never empty, never with a path */
  readonly filename: string
  /** without parameters, but `text/calendar` with its method */
  readonly contentType: string
  /** without angle brackets */
  readonly contentId: string | null
  readonly sizeBytes: number
  /** the bytes, or their range of base64 lines in the mail */
  readonly content: Uint8Array | EncodedLines
}

/** The bytes of an attachment that is not stored in its mail. */
export const bytesOf = ({ content }: ParsedAttachment): Uint8Array =>
  content instanceof Uint8Array ? content : new Uint8Array()

/**
 * What the service needs of the header to evaluate the sender, and to send a mail on with its body unchanged
 * (docs/decisions/0073).
 */
export interface MailLayout {
  /** every address in From, and in Sender */
  readonly authors: ReadonlyArray<ParsedAddress>
  readonly senders: ReadonlyArray<ParsedAddress>
  /** whether there is a DKIM signature or an ARC seal to verify */
  readonly isSigned: boolean
  /** the lines of the fields that a submitted mail keeps (`isKeptField`), in their order: byte offsets, `end` after the line end */
  readonly keptFields: ReadonlyArray<{ readonly start: number; readonly end: number }>
  /** offset of the body, bytes */
  readonly bodyStart: number
  /** whether a field occurs twice that says how to read the body, so that two readers may read two different mails */
  readonly isAmbiguous: boolean
}

export interface ParsedMail {
  /** with angle brackets */
  readonly messageId: string | null
  readonly inReplyTo: ReadonlyArray<string>
  readonly references: ReadonlyArray<string>
  readonly from: ParsedAddress | null
  readonly to: ReadonlyArray<ParsedAddress>
  readonly cc: ReadonlyArray<ParsedAddress>
  readonly replyTo: ReadonlyArray<ParsedAddress>
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  /** the text of `html`, quotes and signature included, when there is no `text`; null otherwise */
  readonly textOfHtml: string | null
  readonly headers: HeaderMap
  readonly attachments: ReadonlyArray<ParsedAttachment>
  /** the new text of the author, without quoted history and signature; null without a body */
  readonly extractedText: string | null
  /** one-time codes found in it */
  readonly codes: MessageContent["codes"]
  /** links found in it */
  readonly links: MessageContent["links"]
  /** what the mail hides in its text */
  readonly contentReasons: ReadonlyArray<ContentReason>
  /** the event of its iCalendar part; null without one that can be read */
  readonly calendar: Calendar | null
  /** the report about a sent mail, if the mail is one */
  readonly report: MailReport | null
  /**
   * the report if the envelope sender is null (RFC 5321 §4.5.5), which the parser does not know; null when `report` is
   * set, or when the mail is never a report
   */
  readonly nullSenderReport: MailReport | null
  /**
   * SHA-256, lower-case hex, of the raw bytes without the trace header fields that change on the way (Received,
   * Return-Path, Delivered-To, X-Original-To, X-Received): the same mail again has the same one. null when unread.
   */
  readonly fingerprint: string | null
  /** null when the mail could not be parsed */
  readonly layout: MailLayout | null
  /** set when the mail is malformed: the other fields are what could be parsed */
  readonly defect: string | null
}

/** The report in a mail with this envelope sender; `""` is the null sender. */
export const reportFrom = (
  { report, nullSenderReport }: Pick<ParsedMail, "report" | "nullSenderReport">,
  envelopeFrom: string,
): MailReport | null => report ?? (envelopeFrom === "" ? nullSenderReport : null)

/** A parsed mail without the bytes of its attachments. */
export type ParsedContent = Omit<ParsedMail, "attachments">

/** A mail that could not be parsed; its raw bytes are kept. */
export const unreadableMail = (defect: string): ParsedMail => ({
  messageId: null,
  inReplyTo: [],
  references: [],
  from: null,
  to: [],
  cc: [],
  replyTo: [],
  subject: "",
  text: null,
  html: null,
  textOfHtml: null,
  headers: {},
  attachments: [],
  extractedText: null,
  codes: [],
  links: [],
  contentReasons: [],
  calendar: null,
  report: null,
  nullSenderReport: null,
  fingerprint: null,
  layout: null,
  defect,
})

/** The extracted text of a mail whose whole text is the author's; equal text is stored and sent once. */
export const wholeText = (text: string | null): string | null => text?.trim() ?? null
