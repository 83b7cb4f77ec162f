/** Reads the texts and attachments of a body with mailparser. */
import type { EncodedLines } from "@mailroom/domain"
import { type AttachmentStream, MailParser, type MessageText } from "mailparser"
import { Transform, type TransformCallback } from "node:stream"
import { type ReadAttachment, readAttachment } from "./attachments.js"
import { type BodyPart, bodyTexts } from "./bodyTexts.js"
import { wellFormed } from "./charsets.js"
import { type Allocate, asRead, beginsWithBoundary, type FileBytes, liftFiles } from "./encodedFiles.js"
import { decodeText } from "./textDecoding.js"

export interface Parts {
  readonly text: string | null
  readonly html: string | null
  readonly attachments: ReadonlyArray<ReadAttachment>
  /** why reading stopped before the end */
  readonly failure: string | null
}

export const noParts: Parts = { text: null, html: null, attachments: [], failure: null }

/**
 * No conversion between HTML and text by mailparser: it takes minutes on hostile HTML (`bodyTexts.ts` converts). Delivery
 * reports and forwarded mails stay whole, as attachments.
 */
const options = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
  keepDeliveryStatus: true,
  ignoreEmbedded: true,
}

/** Decodes a whole text to UTF-8. */
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

/** mailparser with our text decoders, and with the texts of its parts. */
class BodyParser extends MailParser {
  /** mailparser's tree of the parts; false before the first one */
  declare private readonly tree: BodyPart | false

  /** mailparser calls this for the decoders of all charsets but ASCII and UTF-8. */
  getDecoder() {
    return { decodeStream: (charset: string) => new TextDecoding(charset) }
  }

  /** mailparser calls this at the end of the mail, and emits the result. */
  getTextContent(): MessageText {
    return { type: "text", ...(this.tree !== false && bodyTexts(this.tree)) }
  }
}

const bodyText = (text: unknown): string | null =>
  typeof text === "string" && text !== "" ? wellFormed(text) : null

/** Never fails: after an error, it returns the parts read so far and `failure`. */
const readOnce = (
  header: Buffer,
  body: Buffer,
  charset: string | null,
  fileOf: (content: Buffer) => FileBytes = asRead,
): Promise<Parts> =>
  new Promise((resolve) => {
    const parser = new BodyParser(options)
    const attachments: Array<Promise<ReadAttachment>> = []
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
        attachments.push(readAttachment(part, fileOf(Buffer.concat(chunks)), attachments.length + 1, charset))
        part.release()
      })
    })
    parser.on("error", (error: Error) => void finish(error.message))
    parser.on("end", () => void finish(null))
    parser.write(header)
    parser.end(body)
  })

/** The offset of the `count`th line that may be a boundary, or the end of the body. */
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
  /** the likely charset of file names in raw 8-bit bytes */
  readonly charset: string | null
  /** where lines of `body` are in the stored mail; null when they are not one piece of it */
  readonly placeOf: (lines: EncodedLines) => EncodedLines | null
}

/**
 * When mailparser stops at one of its limits (1,000 parts, 1 MB of header in a part), reads the mail again up to its
 * 500th part, then up to its first part.
 */
export const readParts = async (
  { fields, body, charset, placeOf }: BodyToRead,
  allocate: Allocate,
): Promise<Parts> => {
  const header = Buffer.from(`${fields}\r\n`, "latin1")
  const lifted = liftFiles(body, allocate)
  const rest = await readOnce(header, lifted.body, charset, (content) => {
    const file = lifted.fileOf(content)
    if (file.lines === null) return file
    const lines = placeOf(file.lines)
    return lines === null ? asRead(lifted.wholeOf(file.lines)) : { ...file, lines }
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
