/** The headers of downloads: the file name in the answer, and the range in the request. */
import type { ByteRange } from "@mailroom/engine"

/** `Content-Disposition: attachment` with a file name in any script (RFC 6266, RFC 8187). */
export const attachmentDisposition = (filename: string): string => {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_")
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/**
 * The range of bytes that a `Range` header asks for, of a file of `size` bytes (RFC 9110 §14). Null, which means the whole
 * file, without a header, for several ranges and for a header that is malformed.
 */
export const parseRange = (header: string | undefined, size: number): ByteRange | "unsatisfiable" | null => {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "")
  if (match === null) return null
  const [, first = "", last = ""] = match
  if (first === "" && last === "") return null
  // `bytes=-n` asks for the last n bytes.
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== "" && last !== "" && Number(last) < start) return null
  return start >= size || (first === "" && Number(last) === 0) ? "unsatisfiable" : { start, end }
}
