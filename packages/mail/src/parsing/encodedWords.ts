/** Encoded words in headers, `=?charset?B|Q?…?=` (RFC 2047, with the language of RFC 2231 ignored). */
import { decodeBytes } from "./charsets.js"

const word = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=/gi

const payload = (encoding: string, text: string): Buffer =>
  encoding.toLowerCase() === "b"
    ? Buffer.from(text, "base64")
    : Buffer.from(
        text
          .replace(/_/g, " ")
          .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      )

/** Each word in a charset with escape sequences is complete, and two escapes in a row decode to a replacement. */
const isStateful = (charset: string): boolean => charset.startsWith("iso-2022")

/**
 * Replaces the encoded words of a header value by what they say; everything else stays. Space between two encoded
 * words is dropped, and neighbours of one charset are decoded together, because senders split characters.
 */
export const decodeWords = (value: string): string => {
  if (!value.includes("=?")) return value
  const out: Array<string> = []
  let pending: { readonly charset: string; readonly bytes: Array<Buffer> } | null = null
  const flush = () => {
    if (pending !== null) out.push(decodeBytes(Buffer.concat(pending.bytes), pending.charset))
    pending = null
  }
  let end = 0
  for (const match of value.matchAll(word)) {
    const [whole, charset = "", encoding = "", text = ""] = match
    const between = value.slice(end, match.index)
    if (pending === null || between.trim() !== "") {
      flush()
      out.push(between)
    }
    const label = charset.toLowerCase()
    if (pending !== null && (pending.charset !== label || isStateful(label))) flush()
    pending ??= { charset: label, bytes: [] }
    pending.bytes.push(payload(encoding, text))
    end = match.index + whole.length
  }
  flush()
  out.push(value.slice(end))
  return out.join("")
}
