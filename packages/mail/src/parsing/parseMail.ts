/**
 * Parses raw bytes to a `ParsedMail`, in this order:
 *
 * 1. `headerBlock.ts` splits header and body; `headers.ts` decodes the fields. mailparser gets only the Content fields:
 *    neither a header of 2 MB nor 25,000 addresses reach it, and a mail with a broken body still has a sender and a subject.
 * 2. `body.ts` reads the body. `structure.ts` finds its parts and repairs them (`partHeader.ts`, `contentTypeField.ts`,
 *    `delimiters.ts`, `appendedText.ts`, `edits.ts`; docs/decisions/0055).
 * 3. `parts.ts` passes the repaired body to mailparser. `encodedFiles.ts` decodes large base64 files before that,
 *    `textDecoding.ts` and `charsets.ts` decode texts, `bodyTexts.ts` joins them, `attachments.ts` and `attachmentType.ts`
 *    name and type files.
 * 4. `readingOf` separates the answer from quotes, and `reportsOf` finds a delivery report.
 */
import { createHash } from "node:crypto"
// Deep imports: a worker thread has a heap of its own, and all of the domain is most of it.
import { THREADING_MAX_IDS } from "@mailroom/domain/limits"
import { keptReferences, keptText } from "@mailroom/domain/messages/headerBounds"
import { type MailLayout, type ParsedMail, unreadableMail } from "@mailroom/domain/messages/ParsedMail"
import { isKeptField } from "@mailroom/domain/submission/keptFields"
import { invitationIn } from "../calendar/invitation.js"
import type { Allocate } from "./encodedFiles.js"
import { type HeaderBlock, isSigned, readHeaderBlock } from "./headerBlock.js"
import { messageIds, readHeaders } from "./headers.js"
import { type MailBody, readBody, unreadBody } from "./body.js"
import { readingOf } from "../reading/readingOf.js"
import { reportsOf } from "../reports/reportOf.js"
import { wellFormed } from "./charsets.js"

/** Trace fields (RFC 5322 §3.6.7), which differ between copies of one mail: not part of its fingerprint. */
const trace = new Set(["received", "return-path", "delivered-to", "x-original-to", "x-received"])

const fingerprintOf = (raw: Buffer, block: HeaderBlock): string => {
  const hash = createHash("sha256")
  let start = 0
  for (const field of block.fields.filter(({ name }) => trace.has(name))) {
    hash.update(raw.subarray(start, field.start))
    start = field.end
  }
  return hash.update(raw.subarray(start)).digest("hex")
}

/** Fields that say how to read the body (RFC 2045 §5, §6), so that each may occur once. */
const ofTheBody = ["content-type", "content-transfer-encoding"]

const layoutOf = (
  { fields, bodyStart }: HeaderBlock,
  authors: MailLayout["authors"],
  senders: MailLayout["senders"],
): MailLayout => ({
  authors,
  senders,
  isSigned: isSigned(fields),
  keptFields: fields.flatMap(({ name, start, end }) => (isKeptField(name) ? [{ start, end }] : [])),
  bodyStart,
  isAmbiguous: ofTheBody.some((wanted) => fields.filter(({ name }) => name === wanted).length > 1),
})

const withBody = (
  raw: Buffer,
  block: HeaderBlock,
  { parts, charset, hasAlternatives }: MailBody,
  calendar: ParsedMail["calendar"],
): ParsedMail => {
  const headers = readHeaders(block.fields, charset)
  const defects = [block.defect, parts.failure].filter((defect) => defect !== null)
  const inReplyTo = messageIds(headers.all("in-reply-to")).slice(0, THREADING_MAX_IDS)
  const references = keptReferences(messageIds(headers.all("references")))
  const subject = keptText(headers.all("subject")[0] ?? "")
  const authors = headers.addresses("from")
  const mail: ParsedMail = {
    messageId: messageIds(headers.all("message-id"))[0] ?? null,
    inReplyTo,
    references,
    from: authors[0] ?? null,
    to: headers.addresses("to"),
    cc: headers.addresses("cc"),
    replyTo: headers.addresses("reply-to"),
    subject,
    text: parts.text,
    html: parts.html,
    headers: headers.map,
    attachments: parts.attachments.map(({ file }) => file),
    ...readingOf({
      text: parts.text,
      html: parts.html,
      subject,
      isReply: inReplyTo.length + references.length > 0,
      author: authors[0]?.name ?? "",
      areAlternatives: hasAlternatives,
    }),
    calendar,
    report: null,
    nullSenderReport: null,
    fingerprint: fingerprintOf(raw, block),
    layout: layoutOf(block, authors, headers.addresses("sender")),
    defect: defects.length === 0 ? null : wellFormed(defects.join("; ")),
  }
  return { ...mail, ...reportsOf(mail) }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : "cannot be parsed")

/** Parses only the header, after the body made a thread crash or hang. Never throws. */
export const parseHeaders = (raw: Uint8Array, defect: string): ParsedMail => {
  try {
    const bytes = asBuffer(raw)
    const block = readHeaderBlock(bytes)
    return withBody(bytes, block, unreadBody(block, defect), null)
  } catch (error) {
    return unreadableMail(`${defect}; ${wellFormed(reasonOf(error))}`)
  }
}

/**
 * Never rejects: leaves out what cannot be read, and `defect` says why. Bytes of files may be in memory from `allocate`.
 */
export const parseMail = async (
  raw: Uint8Array,
  allocate: Allocate = Buffer.allocUnsafe,
): Promise<ParsedMail> => {
  try {
    const bytes = asBuffer(raw)
    const block = readHeaderBlock(bytes)
    const body = await readBody(bytes, block, allocate)
    return withBody(bytes, block, body, await invitationIn(bytes, body.parts.attachments))
  } catch (error) {
    return parseHeaders(raw, wellFormed(reasonOf(error)))
  }
}
