/** What an attachment is: its name, type and Content-ID, as its part declares them and its bytes show. */
import type { ParsedAttachment } from "@mailroom/domain"
import { safeFilename } from "@mailroom/domain/attachments/filename"
import { keptText } from "@mailroom/domain/messages/headerBounds"
import type { AttachmentStream } from "mailparser"
import { detectExtension } from "nodemailer/lib/mime-funcs"
import { decodeBytes, redecoded, wellFormed } from "./charsets.js"
import { contentTypeOf } from "./attachmentType.js"
import type { FileBytes } from "./encodedFiles.js"

/** Percent-decoded; null when the bytes are not UTF-8. */
const percentDecoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** `charset'language'text` (RFC 2231 §4) in a parameter without the asterisk that announces it. */
const extended = /^([a-z0-9-]+)'[a-z-]*'((?:[^%]|%[0-9a-f]{2})*)$/i

/** A file name decoded from RFC 2231 or percent encoding. A name with other percent signs stays as it is. */
const decodedName = (name: string): string => {
  const [, charset, encoded] = extended.exec(name) ?? []
  if (charset !== undefined && encoded !== undefined) {
    const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    return decodeBytes(Buffer.from(bytes, "latin1"), charset)
  }
  return /%[89a-f][0-9a-f]/i.test(name) ? (percentDecoded(name) ?? name) : name
}

const isMethod = (text: string): boolean => /^[A-Z][A-Z-]{1,30}$/.test(text)

/**
 * The method of an invitation, such as REQUEST, REPLY or CANCEL: the parameter of the part (RFC 6047 §2.4), else the
 * property of the calendar (RFC 5546 §1.4); null without one.
 */
const calendarMethod = (declared: string | undefined, bytes: Uint8Array): string | null => {
  const method = (declared ?? "").trim().toUpperCase()
  if (isMethod(method)) return method
  const head = Buffer.from(bytes.subarray(0, 2048)).toString("latin1")
  const written = /^METHOD:([A-Za-z-]+)\s*$/m.exec(head)?.[1]?.toUpperCase() ?? ""
  return isMethod(written) ? written : null
}

/** The Content-ID without angle brackets, as in a percent-decoded `cid:` URL (RFC 2392). */
const contentIdOf = ({ cid = "" }: AttachmentStream): string | null => {
  const id = cid.replace(/[<>].*$/, "").trim()
  return keptText(wellFormed(percentDecoded(id) ?? id)) || null
}

/** The declared Content-Type, which mailparser's own `contentType` replaces when it is generic. */
const declaredType = ({ headers }: AttachmentStream) => {
  const field = headers.get("content-type")
  return typeof field === "object" && "params" in field
    ? { type: field.value.toLowerCase(), method: field.params["method"], charset: field.params["charset"] }
    : { type: "", method: undefined, charset: undefined }
}

/** The file name in Content-Location, the URL of a part of a web page (RFC 2557). */
const nameInLocation = ({ headers }: AttachmentStream): string | null => {
  const field = headers.get("content-location")
  if (typeof field !== "string") return null
  const path = field.replace(/[?#].*$/, "").replace(/\s+/g, "")
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf(":")) + 1)
  // Not with `[^/:]+` before it, which looks at the rest of the name from each of its characters.
  return /.\.[a-z0-9]{1,8}$/i.test(name) ? name : null
}

/** `charset` is the likely charset of a name in raw 8-bit bytes. */
const filenameOf = (part: AttachmentStream, charset: string | null): string | null =>
  part.filename === undefined || part.filename.trim() === ""
    ? nameInLocation(part)
    : decodedName(redecoded(part.filename, charset))

export interface ReadAttachment {
  readonly file: ParsedAttachment
  /** the charset that its part declares */
  readonly charset: string | null
}

/** `ordinal` names an attachment without a file name, `charset` is the likely charset of names in raw 8-bit bytes. */
export const readAttachment = async (
  part: AttachmentStream,
  { bytes, sizeBytes, lines }: FileBytes,
  ordinal: number,
  charset: string | null,
): Promise<ReadAttachment> => {
  const filename = filenameOf(part, charset)
  const declared = declaredType(part)
  const type = await contentTypeOf(declared.type, filename, bytes)
  const method = type === "text/calendar" ? calendarMethod(declared.method, bytes) : null
  const fallback = method === null ? `attachment-${ordinal}.${detectExtension(type)}` : "invite.ics"
  return {
    file: {
      filename: wellFormed(safeFilename(filename, fallback)),
      contentType: method === null ? type : `${type}; method=${method}`,
      contentId: contentIdOf(part),
      sizeBytes,
      content: lines ?? bytes,
    },
    charset: declared.charset ?? null,
  }
}
