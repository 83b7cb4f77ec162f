/**
 * Raw bytes to a `ParsedMail`. Headers are read here, because a mail with a broken body still has a sender and a
 * subject; mailparser reads the body, and of the header sees only the Content fields. So neither a header of 2 MB
 * nor 25,000 addresses ever reach it.
 */
import { createHash } from "node:crypto"
// Deep imports: a worker thread has a heap of its own, and all of the domain is most of it.
import { INLINE_MAX_BYTES } from "@mailroom/domain/limits"
import type { EncodedLines } from "@mailroom/domain"
import { type ParsedMail, unreadableMail } from "@mailroom/domain/messages/ParsedMail"
import type { Allocate } from "./encodedFiles.js"
import { type HeaderBlock, isSigned, readHeaderBlock } from "./headerBlock.js"
import { messageIds, readHeaders } from "./headers.js"
import { noParts, type Parts, readParts } from "./parts.js"
import { readingOf } from "../reading/readingOf.js"
import { reportsOf } from "../reports/reportOf.js"
import { wellFormed } from "./charsets.js"

/** Reads a parameter of a Content-Type, with or without quotes (RFC 2045 §5.1, RFC 2231). */
const parameter = (name: string): ((value: string) => string | null) => {
  const pattern = new RegExp(`;\\s*${name}(?:\\*\\d*)*\\s*=\\s*"?([^";\\s]+)`, "i")
  return (value) => pattern.exec(value)?.[1] ?? null
}
const charsetIn = parameter("charset")
const boundaryIn = parameter("boundary")

const last = (block: HeaderBlock, name: string): string =>
  block.fields.findLast((field) => field.name === name)?.value ?? ""

/** Fields that change on a mail's way, and so do not tell two mails apart. */
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

const withParts = (raw: Buffer, block: HeaderBlock, parts: Parts): ParsedMail => {
  const headers = readHeaders(block.fields, charsetIn(last(block, "content-type")))
  const defects = [block.defect, parts.failure].filter((defect) => defect !== null)
  const inReplyTo = messageIds(headers.all("in-reply-to"))
  const references = messageIds(headers.all("references"))
  const subject = headers.all("subject")[0] ?? ""
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
    attachments: parts.attachments,
    ...readingOf({
      text: parts.text,
      html: parts.html,
      subject,
      isReply: inReplyTo.length + references.length > 0,
    }),
    report: null,
    nullSenderReport: null,
    fingerprint: fingerprintOf(raw, block),
    unsignedAuthors: isSigned(block.fields) ? null : authors.map(({ address }) => address),
    defect: defects.length === 0 ? null : wellFormed(defects.join("; ")),
  }
  return { ...mail, ...reportsOf(mail) }
}

const contentFields = (block: HeaderBlock): string =>
  block.fields
    .filter((field) => field.name.startsWith("content-"))
    .map((field) => `${field.name}: ${field.value}\r\n`)
    .join("")

const isEmpty = (parts: Parts): boolean =>
  parts.text === null && parts.html === null && parts.attachments.length === 0

/** Boundary lines may be padded with spaces (RFC 2046 §5.1.1), which mailparser does not know. */
const withoutPadding = (body: Buffer): Buffer =>
  Buffer.from(
    body.toString("latin1").replace(/^--[^\r\n]*/gm, (line) => line.trimEnd()),
    "latin1",
  )

const bodyOf = async (raw: Buffer, block: HeaderBlock, allocate: Allocate): Promise<Parts> => {
  const body = raw.subarray(block.bodyStart)
  const read = (fields: string, content = body) => {
    const isKept = content === body && raw.length <= INLINE_MAX_BYTES
    const placeOf = ({ start, end }: EncodedLines) =>
      isKept ? { start: start + block.bodyStart, end: end + block.bodyStart } : null
    return readParts(Buffer.from(`${fields}\r\n`, "latin1"), content, placeOf, allocate)
  }
  const type = last(block, "content-type")
  const fields = contentFields(block)
  if (!/^multipart\//i.test(type)) return read(fields)
  const hasBoundary = boundaryIn(type) !== null
  const parts = hasBoundary ? await read(fields) : noParts
  if (!isEmpty(parts) || body.toString("latin1").trim() === "") return parts
  const unpadded = hasBoundary ? await read(fields, withoutPadding(body)) : noParts
  if (!isEmpty(unpadded)) return unpadded
  const text = await read("")
  return { ...text, failure: parts.failure ?? "multipart without parts" }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : "cannot be parsed")

/** The header alone, for a mail whose body is not to be touched again. Never throws. */
export const parseHeaders = (raw: Uint8Array, defect: string): ParsedMail => {
  try {
    const bytes = asBuffer(raw)
    return withParts(bytes, readHeaderBlock(bytes), { ...noParts, failure: defect })
  } catch (error) {
    return unreadableMail(`${defect}; ${wellFormed(reasonOf(error))}`)
  }
}

/**
 * Never rejects: what cannot be read is left out, and `defect` says why. The bytes of its files may be in memory that
 * `allocate` gave.
 */
export const parseMail = async (
  raw: Uint8Array,
  allocate: Allocate = Buffer.allocUnsafe,
): Promise<ParsedMail> => {
  try {
    const bytes = asBuffer(raw)
    const block = readHeaderBlock(bytes)
    return withParts(bytes, block, await bodyOf(bytes, block, allocate))
  } catch (error) {
    return parseHeaders(raw, wellFormed(reasonOf(error)))
  }
}
