/** The body of a mail: texts and attachments, through mailparser. */
import type { ParsedAttachment } from "@mailroom/domain"
import { safeFilename } from "@mailroom/domain/attachments/filename"
import { type AttachmentStream, MailParser, type MessageText } from "mailparser"
import { detectExtension } from "nodemailer/lib/mime-funcs"
import { repaired, wellFormed } from "./charsets.js"

export interface Parts {
  readonly text: string | null
  readonly html: string | null
  readonly attachments: ReadonlyArray<ParsedAttachment>
  /** why reading stopped before the end */
  readonly failure: string | null
}

export const noParts: Parts = { text: null, html: null, attachments: [], failure: null }

/**
 * No conversion between HTML and text: it takes minutes on hostile HTML, and nobody asked for it. Delivery reports
 * and forwarded mails stay whole, as attachments.
 */
const options = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
  keepDeliveryStatus: true,
  ignoreEmbedded: true,
}

const contentTypeOf = (part: AttachmentStream): string => {
  const type = part.contentType?.toLowerCase() ?? ""
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type) ? type : "application/octet-stream"
}

const described = (part: AttachmentStream, bytes: Uint8Array, ordinal: number): ParsedAttachment => {
  const contentType = contentTypeOf(part)
  const filename = part.filename === undefined ? null : repaired(part.filename)
  const contentId = wellFormed(part.cid ?? "")
  return {
    filename: wellFormed(safeFilename(filename, `attachment-${ordinal}.${detectExtension(contentType)}`)),
    contentType,
    contentId: contentId === "" ? null : contentId,
    bytes,
  }
}

const bodyText = (text: unknown): string | null =>
  typeof text === "string" && text !== "" ? wellFormed(text) : null

/** Never fails: on an error, what was read until then, with the failure. */
const readOnce = (mail: Buffer): Promise<Parts> =>
  new Promise((resolve) => {
    const parser = new MailParser(options)
    const attachments: Array<ParsedAttachment> = []
    let texts: MessageText = { type: "text" }
    const finish = (failure: string | null) =>
      resolve({ text: bodyText(texts.text), html: bodyText(texts.html), attachments, failure })
    parser.on("data", (part: AttachmentStream | MessageText) => {
      if (part.type === "text") {
        texts = part
        return
      }
      const chunks: Array<Buffer> = []
      part.content.on("data", (chunk: Buffer) => chunks.push(chunk))
      part.content.on("end", () => {
        attachments.push(described(part, Buffer.concat(chunks), attachments.length + 1))
        part.release()
      })
    })
    parser.on("error", (error: Error) => finish(error.message))
    parser.on("end", () => finish(null))
    parser.end(mail)
  })

/** Where the `count`th line that could be a boundary starts, or the end. */
const boundaryLine = (mail: Buffer, count: number): number => {
  let at = 0
  for (let seen = 0; seen < count; seen++) {
    const next = mail.indexOf("\n--", at)
    if (next === -1) return mail.length
    at = next + 3
  }
  return at - 2
}

/**
 * A mail that mailparser gives up on (its limits: 1,000 parts, 1 MB of header in a part) is read again up to some
 * hundred parts, then up to its first part.
 */
export const readParts = async (mail: Buffer): Promise<Parts> => {
  const whole = await readOnce(mail)
  if (whole.failure === null) return whole
  for (const parts of [500, 2]) {
    const beginning = await readOnce(mail.subarray(0, boundaryLine(mail, parts)))
    if (beginning.failure === null) return { ...beginning, failure: whole.failure }
  }
  return whole
}
