/**
 * What type a file is of. What its sender declares is kept, with three exceptions:
 *
 * - Nothing, nonsense or a label that says nothing (application/octet-stream) gives way to the type that the bytes
 *   show, and where they show none to that of the name's extension.
 * - Text whose bytes are plainly a file of another kind (a PNG sent as text/plain) is of that kind.
 * - A declared type that has a signature (image/jpeg) gives way to another one whose signature the bytes bear.
 *
 * Nothing that a browser would run (HTML, SVG, XML, scripts) is ever found where something harmless was declared.
 * Only the label changes, never the bytes.
 */
import { detectMimeType } from "nodemailer/lib/mime-funcs"

/** What says only that there are bytes. */
const saysNothing =
  /^(?:application\/(?:octet-?stream|x-octet-stream|binary|unknown|x-unknown|download|x-download|force-download|x-force-download|save-as)|binary\/octet-stream|unknown\/unknown|\*\/\*|file\/unknown)$/

/** What a browser shows with its scripts, or runs. */
const isActive = (type: string): boolean =>
  /^(?:text\/(?:html|xml|xsl|javascript|ecmascript|vbscript|x-.*script)|image\/svg\+xml|.*\/.*xml|application\/(?:javascript|x-javascript|ecmascript|x-shockwave-flash|hta|x-httpd-php|java-archive)|multipart\/.*|message\/.*)$/.test(
    type,
  )

/** Types whose first bytes are unmistakable, and other names for them. */
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

/** What no text begins with, besides the types above. */
const binary =
  /^(?:application\/(?:zip|gzip|x-gzip|x-cfb|x-7z-compressed|x-rar-compressed|x-bzip2|x-xz|vnd\..*)|audio\/mpeg|(?:audio|video)\/(?:mp4|x-m4a|ogg|webm|x-matroska|quicktime|wav|vnd\..*)|image\/(?:tiff|avif))$/

/** What a file of many kinds looks like: the extension tells which. */
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

/** By its bytes; loaded when the first file comes, in the thread that parses. */
const typeOfBytes = async (bytes: Uint8Array): Promise<string | null> => {
  const { fileTypeFromBuffer } = await import("file-type")
  try {
    return (await fileTypeFromBuffer(bytes.subarray(0, LOOKED_AT_BYTES)))?.mime ?? null
  } catch {
    // It reads on where a file was cut.
    return null
  }
}

const typeOfName = (filename: string | null): string | null => {
  const type = filename === null || !/\.[^.]+$/.test(filename) ? null : detectMimeType(filename)
  return type === null || saysNothing.test(type) || isActive(type) ? null : type
}

const isZip = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from("PK\x03\x04"))

const found = async (filename: string | null, bytes: Uint8Array): Promise<string | null> => {
  const shown = (await typeOfBytes(bytes)) ?? (isZip(bytes) ? "application/zip" : null)
  const named = typeOfName(filename)
  if (shown === null) return named
  if (containers.has(shown) && named !== null && !signed.has(named)) return named
  return isActive(shown) ? null : shown
}

/** The type of a file that is declared as `declared`, which is empty when nothing was. Without parameters. */
export const contentTypeOf = async (
  declared: string,
  filename: string | null,
  bytes: Uint8Array,
): Promise<string> => {
  const isType = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(declared)
  if (!isType || saysNothing.test(declared))
    return (await found(filename, bytes)) ?? "application/octet-stream"
  const signature = signed.get(declared)
  if (signature === undefined && (!declared.startsWith("text/") || declared === "text/rtf")) return declared
  const shown = await typeOfBytes(bytes)
  if (shown === null) return declared
  const isOther = signed.has(shown)
    ? signed.get(shown) !== signature
    : signature === undefined && binary.test(shown)
  return isOther ? ((await found(filename, bytes)) ?? declared) : declared
}
