/** What a MIME parser makes of raw bytes. Plain values: they cross a thread boundary. */
import type { EncodedLines } from "../attachments/place.js"
import type { MailReport } from "../reports/Report.js"
import type { HeaderMap, MessageContent } from "./Message.js"

export interface ParsedAddress {
  readonly address: string
  readonly name: string | null
}

export interface ParsedAttachment {
  /** as given, or made up from the type; never empty, never with a path */
  readonly filename: string
  /** without parameters, but `text/calendar` with its method */
  readonly contentType: string
  /** without angle brackets */
  readonly contentId: string | null
  readonly sizeBytes: number
  /** the bytes; of a mail up to `INLINE_MAX_BYTES`, where they are in it, if there they are plain lines of base64 */
  readonly content: Uint8Array | EncodedLines
}

/** The bytes of an attachment that are not left in its mail. */
export const bytesOf = ({ content }: ParsedAttachment): Uint8Array =>
  content instanceof Uint8Array ? content : new Uint8Array()

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
  /** what the person wrote this time: no quoted history, no signature; null without a body */
  readonly extractedText: string | null
  /** one-time codes found in it */
  readonly codes: MessageContent["codes"]
  /** links found in it */
  readonly links: MessageContent["links"]
  /** what it reports about a mail that left, if it is such a report */
  readonly report: MailReport | null
  /**
   * what it reports if its envelope sender is null (RFC 5321 §4.5.5), which the mail itself does not show; null when
   * `report` is set, or when it is no report from any sender
   */
  readonly nullSenderReport: MailReport | null
  /**
   * SHA-256, lower-case hex, of the raw bytes without the trace header fields that change on the way (Received,
   * Return-Path, Delivered-To, X-Original-To, X-Received): the same mail again has the same one. null when unread.
   */
  readonly fingerprint: string | null
  /** every address in From; null when it is signed (DKIM, ARC), or was not read: then more tells who wrote it */
  readonly unsignedAuthors: ReadonlyArray<string> | null
  /** set when the mail was not well formed: what is here is what could be read of it */
  readonly defect: string | null
}

/** What a mail reports that came with this envelope sender; `""` is the null one. */
export const reportFrom = (
  { report, nullSenderReport }: Pick<ParsedMail, "report" | "nullSenderReport">,
  envelopeFrom: string,
): MailReport | null => report ?? (envelopeFrom === "" ? nullSenderReport : null)

/** All of a mail but the bytes of its attachments. */
export type ParsedContent = Omit<ParsedMail, "attachments">

/** A mail of which nothing could be read; its raw bytes are kept all the same. */
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
  report: null,
  nullSenderReport: null,
  fingerprint: null,
  unsignedAuthors: null,
  defect,
})

/** What somebody wrote where that is all of the text: stored and sent on once, not twice. */
export const wholeText = (text: string | null): string | null => text?.trim() ?? null
