/** The text parts of a mail, text and HTML, as input for nodemailer's composer. */
import { streamInSteps } from "../steps.js"

/** UTF-16 units of a text that are encoded in one step. */
const STEP_LENGTH = 64 * 1024

/**
 * UTF-8 bytes per UTF-16 unit above which base64 is shorter than quoted-printable, which needs three bytes for each byte
 * beyond ASCII.
 */
const BYTES_PER_UNIT_MAX = 1.1

/** With CRLF line ends, without NUL. */
const clean = (text: string): string => text.replace(/\r\n?|\n/g, "\r\n").replace(/\0/g, "")

/** Two UTF-16 units that must stay together: CRLF, or a surrogate pair. */
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
 * A text longer than one step becomes a stream, with the shorter of the two encodings: nodemailer would scan each
 * character of a string twice, and encode all of it at once.
 */
export const textContent = (text: string) => {
  if (text.length <= STEP_LENGTH) return clean(text)
  const isMostlyAscii = Buffer.byteLength(text) <= BYTES_PER_UNIT_MAX * text.length
  return {
    content: streamInSteps(inSteps(text)),
    contentTransferEncoding: isMostlyAscii ? "quoted-printable" : "base64",
  }
}
