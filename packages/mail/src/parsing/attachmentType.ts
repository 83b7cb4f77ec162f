/**
 * The content type of an attachment: the declared type, with three exceptions.
 *
 * - A missing, malformed or generic type (application/octet-stream) is replaced by the type that the first bytes show,
 *   else by that of the file name's extension.
 * - A text type is replaced when the bytes are clearly another kind of file (a PNG sent as text/plain).
 * - A type with a signature (image/jpeg) is replaced when the bytes have the signature of another type.
 *
 * The replacement is never a type that a browser runs (HTML, SVG, XML, scripts). The bytes do not change.
 */
import { detectMimeType } from "nodemailer/lib/mime-funcs"

/** Types that say nothing about the content. */
const isGeneric =
  /^(?:application\/(?:octet-?stream|x-octet-stream|binary|unknown|x-unknown|download|x-download|force-download|x-force-download|save-as)|binary\/octet-stream|unknown\/unknown|\*\/\*|file\/unknown)$/

/** Types that a browser runs, or shows with their scripts. */
const isActive = (type: string): boolean =>
  /^(?:text\/(?:html|xml|xsl|javascript|ecmascript|vbscript|x-.*script)|image\/svg\+xml|.*\/.*xml|application\/(?:javascript|x-javascript|ecmascript|x-shockwave-flash|hta|x-httpd-php|java-archive)|multipart\/.*|message\/.*)$/.test(
    type,
  )

/** Types with an unmistakable signature in their first bytes, and other names for these types. */
const signed = new Map([
  ["application/pdf", "application/pdf"],
  ["application/x-pdf", "application/pdf"],
  ["image/png", "image/png"],
  ["image/apng", "image/png"],
  ["image/x-png", "image/png"],
  ["image/jpeg", "image/jpeg"],
  ["image/jpg", "image/jpeg"],
  ["image/pjpeg", "image/jpeg"],
  ["image/gif", "image/gif"],
  ["image/webp", "image/webp"],
  ["image/heic", "image/heic"],
  ["image/heif", "image/heic"],
])

/** Further types whose signature no text begins with. */
const binary =
  /^(?:application\/(?:zip|gzip|x-gzip|x-cfb|x-7z-compressed|x-rar-compressed|x-bzip2|x-xz|vnd\..*)|audio\/mpeg|(?:audio|video)\/(?:mp4|x-m4a|ogg|webm|x-matroska|quicktime|wav|vnd\..*)|image\/(?:tiff|avif))$/

/** Container formats of many types: the file name's extension tells which. */
const containers = new Set([
  "application/zip",
  "application/x-cfb",
  "application/gzip",
  "application/xml",
  "text/xml",
  "video/mp4",
  "application/ogg",
])

/** Enough for every signature, and for the first entries of a ZIP archive, which say what kind it is. */
const LOOKED_AT_BYTES = 256 * 1024

/** By signature. The library is loaded with the first file, in the parser thread. */
const typeOfBytes = async (bytes: Uint8Array): Promise<string | null> => {
  const { fileTypeFromBuffer } = await import("file-type")
  try {
    return (await fileTypeFromBuffer(bytes.subarray(0, LOOKED_AT_BYTES)))?.mime ?? null
  } catch {
    // The library throws at the end of a truncated file.
    return null
  }
}

const typeOfName = (filename: string | null): string | null => {
  const type = filename === null || !/\.[^.]+$/.test(filename) ? null : detectMimeType(filename)
  return type === null || isGeneric.test(type) || isActive(type) ? null : type
}

const isZip = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from("PK\x03\x04"))

const detectedType = async (filename: string | null, bytes: Uint8Array): Promise<string | null> => {
  const shown = (await typeOfBytes(bytes)) ?? (isZip(bytes) ? "application/zip" : null)
  const named = typeOfName(filename)
  if (shown === null) return named
  if (containers.has(shown) && named !== null && !signed.has(named)) return named
  return isActive(shown) ? null : shown
}

/** RFC 6838 §4.2 */
const wellFormedType = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/

/** `declared` is in lower case without parameters, as is the result; empty when nothing was declared. */
export const contentTypeOf = async (
  declared: string,
  filename: string | null,
  bytes: Uint8Array,
): Promise<string> => {
  const isType = wellFormedType.test(declared)
  if (!isType || isGeneric.test(declared))
    return (await detectedType(filename, bytes)) ?? "application/octet-stream"
  const signature = signed.get(declared)
  if (signature === undefined && (!declared.startsWith("text/") || declared === "text/rtf")) return declared
  const shown = await typeOfBytes(bytes)
  if (shown === null) return declared
  const isOther = signed.has(shown)
    ? signed.get(shown) !== signature
    : signature === undefined && binary.test(shown)
  return isOther ? ((await detectedType(filename, bytes)) ?? declared) : declared
}
