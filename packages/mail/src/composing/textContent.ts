/** A text or HTML as nodemailer's composer takes it: with CRLF line ends, and without NUL. */
import { streamInSteps } from "../steps.js"

/** UTF-16 units of a text that are encoded in one step. */
const STEP_LENGTH = 64 * 1024

/**
 * Bytes for each UTF-16 unit above which base64 is shorter than quoted-printable, which writes three bytes for each byte
 * beyond ASCII.
 */
const BYTES_PER_UNIT_MAX = 1.1

const clean = (text: string): string => text.replace(/\r\n?|\n/g, "\r\n").replace(/\0/g, "")

/** Two UTF-16 units that are one line end or one character. */
const pair = /^(?:\r\n|[\uD800-\uDBFF][\uDC00-\uDFFF])$/

function* inSteps(text: string): Generator<Uint8Array> {
  let end = 0
  for (let start = 0; start < text.length; start = end) {
    end = start + STEP_LENGTH
    if (pair.test(text.slice(end - 1, end + 1))) end += 1
    yield Buffer.from(clean(text.slice(start, end)))
  }
}

/**
 * A text of more than one step is a stream, with the encoding that is the shorter one: nodemailer would look at each
 * character of a string twice, and encode it in one go.
 */
export const textContent = (text: string) => {
  if (text.length <= STEP_LENGTH) return clean(text)
  const isMostlyAscii = Buffer.byteLength(text) <= BYTES_PER_UNIT_MAX * text.length
  return {
    content: streamInSteps(inSteps(text)),
    contentTransferEncoding: isMostlyAscii ? "quoted-printable" : "base64",
  }
}
