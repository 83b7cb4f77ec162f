/**
 * How the bytes of a text become text. mailparser hands a decoder nothing but the name of a charset, and does without a
 * decoder for ASCII and UTF-8; so what else must be known is put in front of that name.
 */
import { isAscii } from "node:buffer"
import { decodeBytes, isAsciiLabel, isUtf8Label } from "./charsets.js"
import type { ContentType } from "./contentTypeField.js"
import { unflowed } from "./flowed.js"

const UNDECLARED = "undeclared"
const FLOWED = "flowed:"
const FLOWED_DELSP = "flowed-delsp:"

const flowOf = ({ type, format, delSp }: ContentType): string => {
  if (type !== "text/plain" || format !== "flowed") return ""
  return delSp === "yes" ? FLOWED_DELSP : FLOWED
}

/** Whether what is encoded is ASCII, as far as one can tell without decoding it. */
const isSurelyAscii = (encoding: string, bytes: Buffer): boolean => {
  if (/^base64/i.test(encoding)) return false
  return isAscii(bytes) && !(/^quoted/i.test(encoding) && /=[89A-F]/i.test(bytes.toString("latin1")))
}

/** The charset under which a text is to be given to `decodeText`; null when mailparser decodes it right by itself. */
export const decodingOf = (type: ContentType, encoding: string, bytes: Buffer): string | null => {
  if (type.type !== "text/plain" && type.type !== "text/html") return null
  const flow = flowOf(type)
  const charset = type.charset === null || isAsciiLabel(type.charset) ? UNDECLARED : type.charset
  if (flow !== "") return flow + charset
  return charset === UNDECLARED && !isSurelyAscii(encoding, bytes) ? charset : null
}

const lenientUtf8 = new TextDecoder()

/** Text that is declared as UTF-8 is UTF-8, even if a part of it is broken. */
const decoded = (bytes: Uint8Array, charset: string): string =>
  isUtf8Label(charset) ? lenientUtf8.decode(bytes) : decodeBytes(bytes, charset)

/** The text that bytes are under a charset of `decodingOf`, or any other. */
export const decodeText = (bytes: Uint8Array, charset: string): string => {
  for (const flow of [FLOWED, FLOWED_DELSP])
    if (charset.startsWith(flow))
      return unflowed(decoded(bytes, charset.slice(flow.length)), flow === FLOWED_DELSP)
  return decoded(bytes, charset)
}
