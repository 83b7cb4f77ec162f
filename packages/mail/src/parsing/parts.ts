/** The body of a mail: texts and attachments, through mailparser. */
import type { EncodedLines, ParsedAttachment } from "@mailroom/domain"
import { safeFilename } from "@mailroom/domain/attachments/filename"
import { type AttachmentStream, MailParser, type MessageText } from "mailparser"
import { detectExtension } from "nodemailer/lib/mime-funcs"
import { Transform, type TransformCallback } from "node:stream"
import { calendarMethod } from "./calendar.js"
import { repaired, wellFormed } from "./charsets.js"
import { contentTypeOf } from "./contentTypes.js"
import { type Allocate, beginsWithBoundary, type FileBytes, liftFiles } from "./encodedFiles.js"
import { plainName, unescaped } from "./names.js"
import { decodeText } from "./textDecoding.js"

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

/** The bytes of a text, at their end as UTF-8. */
class TextDecoding extends Transform {
  private readonly chunks: Array<Buffer> = []

  constructor(private readonly charset: string) {
    super()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.chunks.push(chunk)
    done()
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(decodeText(Buffer.concat(this.chunks), this.charset)))
  }
}

/** mailparser, with our decoders for text in place of its own. */
class BodyParser extends MailParser {
  /** mailparser calls this for the decoders of all charsets but ASCII and UTF-8. */
  getDecoder() {
    return { decodeStream: (charset: string) => new TextDecoding(charset) }
  }
}

/** Without the angle brackets and what stands around them, as a `cid:` URL says it once decoded (RFC 2392). */
const contentIdOf = ({ cid = "" }: AttachmentStream): string | null => {
  const id = cid.replace(/[<>].*$/, "").trim()
  return wellFormed(unescaped(id) ?? id) || null
}

/** The part's Content-Type as it was declared: the library has ideas of its own about one that says nothing. */
const declaredType = ({ headers }: AttachmentStream) => {
  const field = headers.get("content-type")
  return typeof field === "object" && "params" in field
    ? { type: field.value.toLowerCase(), method: field.params["method"] }
    : { type: "", method: undefined }
}

/** The last step of the place that a web page has the part from (RFC 2557). */
const nameInLocation = ({ headers }: AttachmentStream): string | null => {
  const field = headers.get("content-location")
  if (typeof field !== "string") return null
  const path = field.replace(/[?#].*$/, "").replace(/\s+/g, "")
  return /[^/:]+\.[a-z0-9]{1,8}$/i.exec(path)?.[0] ?? null
}

/** `charset` is what a name in raw 8-bit bytes is most likely written in. */
const filenameOf = (part: AttachmentStream, charset: string | null): string | null =>
  part.filename === undefined || part.filename.trim() === ""
    ? nameInLocation(part)
    : plainName(repaired(part.filename, charset))

const described = async (
  part: AttachmentStream,
  { bytes, lines }: FileBytes,
  ordinal: number,
  charset: string | null,
): Promise<ParsedAttachment> => {
  const filename = filenameOf(part, charset)
  const declared = declaredType(part)
  const type = await contentTypeOf(declared.type, filename, bytes)
  const method = type === "text/calendar" ? calendarMethod(declared.method, bytes) : null
  const fallback = method === null ? `attachment-${ordinal}.${detectExtension(type)}` : "invite.ics"
  return {
    filename: wellFormed(safeFilename(filename, fallback)),
    contentType: method === null ? type : `${type}; method=${method}`,
    contentId: contentIdOf(part),
    sizeBytes: bytes.length,
    content: lines ?? bytes,
  }
}

const bodyText = (text: unknown): string | null =>
  typeof text === "string" && text !== "" ? wellFormed(text) : null

const asRead = (bytes: Buffer): FileBytes => ({ bytes, lines: null })

/** Never fails: on an error, what was read until then, with the failure. */
const readOnce = (
  header: Buffer,
  body: Buffer,
  charset: string | null,
  fileOf: (content: Buffer) => FileBytes = asRead,
): Promise<Parts> =>
  new Promise((resolve) => {
    const parser = new BodyParser(options)
    const attachments: Array<Promise<ParsedAttachment>> = []
    let texts: MessageText = { type: "text" }
    const finish = async (failure: string | null) =>
      resolve({
        text: bodyText(texts.text),
        html: bodyText(texts.html),
        attachments: await Promise.all(attachments),
        failure,
      })
    parser.on("data", (part: AttachmentStream | MessageText) => {
      if (part.type === "text") {
        texts = part
        return
      }
      const chunks: Array<Buffer> = []
      part.content.on("data", (chunk: Buffer) => chunks.push(chunk))
      part.content.on("end", () => {
        attachments.push(described(part, fileOf(Buffer.concat(chunks)), attachments.length + 1, charset))
        part.release()
      })
    })
    parser.on("error", (error: Error) => void finish(error.message))
    parser.on("end", () => void finish(null))
    parser.write(header)
    parser.end(body)
  })

/** Where the `count`th line that could be a boundary starts, or the end. */
const boundaryLine = (body: Buffer, count: number): number => {
  let at = 0
  for (let seen = beginsWithBoundary(body) ? 1 : 0; seen < count; seen++) {
    const next = body.indexOf("\n--", at)
    if (next === -1) return body.length
    at = next + 3
  }
  return at - 2
}

export interface BodyToRead {
  /** the Content fields of the mail, each with its line end */
  readonly fields: string
  readonly body: Buffer
  /** the charset that file names in raw 8-bit bytes are most likely written in */
  readonly charset: string | null
  /** where lines of `body` are in the mail that is kept; null when files are not left there */
  readonly placeOf: (lines: EncodedLines) => EncodedLines | null
}

/**
 * A mail that mailparser gives up on (its limits: 1,000 parts, 1 MB of header in a part) is read again up to some
 * hundred parts, then up to its first part.
 */
export const readParts = async (
  { fields, body, charset, placeOf }: BodyToRead,
  allocate: Allocate,
): Promise<Parts> => {
  const header = Buffer.from(`${fields}\r\n`, "latin1")
  const lifted = liftFiles(body, allocate)
  const rest = await readOnce(header, lifted.body, charset, (content) => {
    const { bytes, lines } = lifted.fileOf(content)
    return { bytes, lines: lines === null ? null : placeOf(lines) }
  })
  if (rest.failure === null && lifted.areAllFound()) return rest
  const whole = lifted.body === body ? rest : await readOnce(header, body, charset)
  if (whole.failure === null) return whole
  for (const parts of [500, 2]) {
    const beginning = await readOnce(header, body.subarray(0, boundaryLine(body, parts)), charset)
    if (beginning.failure === null) return { ...beginning, failure: whole.failure }
  }
  return whole
}
