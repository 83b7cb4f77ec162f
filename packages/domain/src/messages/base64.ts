/** Bytes that are base64 in JSON (RFC 4648 §4). */
import { Either, ParseResult, Schema } from "effect"

/**
 * The bytes of a text of base64 with padding, in which line ends do not count; null when it is none. Node decodes 25 MB in
 * 30 ms, which in JavaScript takes 150 ms, and skips what is not base64: then the bytes are fewer than the text is long for.
 */
const bytesOf = (text: string): Uint8Array | null => {
  const joined = text.includes("\n") || text.includes("\r") ? text.replaceAll(/[\r\n]/g, "") : text
  // Node takes the alphabet for URLs, and letters beyond ASCII for those with the same last byte.
  if (joined.includes("-") || joined.includes("_") || Buffer.byteLength(joined) !== joined.length) return null
  const padding = joined.endsWith("==") ? 2 : joined.endsWith("=") ? 1 : 0
  const bytes = Buffer.from(joined, "base64")
  return bytes.length === (joined.length / 4) * 3 - padding ? bytes : null
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
