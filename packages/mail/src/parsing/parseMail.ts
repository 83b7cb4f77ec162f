/** Raw bytes to a `ParsedMail`. A mail with a broken body still has a sender and a subject. */
import { createHash } from "node:crypto"
// Deep imports: a worker thread has a heap of its own, and all of the domain is most of it.
import { type ParsedMail, unreadableMail } from "@mailroom/domain/messages/ParsedMail"
import { type HeaderBlock, readHeaderBlock } from "./headerBlock.js"
import { messageIds, readHeaders } from "./headers.js"
import { fieldOf } from "./multipart.js"
import { readStructured } from "./parameters.js"
import { noParts, type Parts, readParts } from "./parts.js"
import { wellFormed } from "./charsets.js"

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
  const headers = readHeaders(
    block.fields,
    readStructured(fieldOf(block.fields, "content-type")).parameter("charset"),
  )
  const defects = [block.defect, parts.failure].filter((defect) => defect !== null)
  return {
    messageId: messageIds(headers.all("message-id"))[0] ?? null,
    inReplyTo: messageIds(headers.all("in-reply-to")),
    references: messageIds(headers.all("references")),
    from: headers.addresses("from")[0] ?? null,
    to: headers.addresses("to"),
    cc: headers.addresses("cc"),
    replyTo: headers.addresses("reply-to"),
    subject: headers.all("subject")[0] ?? "",
    text: parts.text,
    html: parts.html,
    headers: headers.map,
    attachments: parts.attachments,
    fingerprint: fingerprintOf(raw, block),
    defect: defects.length === 0 ? null : wellFormed(defects.join("; ")),
  }
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

/** Never rejects: what cannot be read is left out, and `defect` says why. */
export const parseMail = async (raw: Uint8Array): Promise<ParsedMail> => {
  try {
    const bytes = asBuffer(raw)
    const block = readHeaderBlock(bytes)
    return withParts(bytes, block, await readParts(bytes, block))
  } catch (error) {
    return parseHeaders(raw, wellFormed(reasonOf(error)))
  }
}
