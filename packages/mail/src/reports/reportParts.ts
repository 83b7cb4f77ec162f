/**
 * The parts of a report that programs read: its fields (RFC 3464 §2.1, RFC 5965 §3), the addresses in them, and the mail
 * that it returns. Lenient, in linear time.
 */
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { bytesOf, type ParsedAttachment } from "@mailroom/domain/messages/ParsedMail"
import { decodeUndeclared, wellFormed } from "../parsing/charsets.js"
import { type HeaderBlock, readHeaderBlock } from "../parsing/headerBlock.js"

/** Bytes that are read of a part: room for hundreds of recipients, each with a long diagnostic. */
const PART_MAX_BYTES = 256 * 1024

const VALUE_MAX_LENGTH = 4096

export interface ReportField {
  /** lower-case */
  readonly name: string
  /** unfolded, trimmed */
  readonly value: string
  /** whether it follows an empty line */
  readonly startsGroup: boolean
}

export const partText = (bytes: Uint8Array): string =>
  wellFormed(decodeUndeclared(bytes.subarray(0, PART_MAX_BYTES)))

const fieldLine = /^([!-9;-~]{1,80})[ \t]*:(.*)$/

/** Skips lines that are no fields. */
export const readReportFields = (text: string): ReadonlyArray<ReportField> => {
  const fields: Array<{ name: string; value: string; startsGroup: boolean }> = []
  let startsGroup = true
  for (const line of text.split(/\r\n|\r|\n/)) {
    const field = fields.at(-1)
    const [, name, value = ""] = fieldLine.exec(line.slice(0, VALUE_MAX_LENGTH)) ?? []
    if (line.trim() === "") startsGroup = true
    else if (/^[ \t]/.test(line)) {
      const folded = `${field?.value ?? ""} ${line.slice(0, VALUE_MAX_LENGTH).trim()}`
      if (field !== undefined && !startsGroup) field.value = folded.slice(0, VALUE_MAX_LENGTH)
    } else if (name !== undefined) {
      fields.push({ name: name.toLowerCase(), value: value.trim(), startsGroup })
      startsGroup = false
    }
  }
  return fields
}

/** Recipients that are read of one report. */
export const RECIPIENTS_MAX = 100

/** Narrower than RFC 5321 §4.1.2, for use within text: no space, no quoted string, a domain with a dot. */
export const ADDRESS =
  '[^\\s<>()\\[\\]",:;@]{1,64}@[a-z0-9\\u0080-\\uffff][a-z0-9.\\u0080-\\uffff-]{0,250}\\.[a-z0-9\\u0080-\\uffff-]{2,63}'

const whole = new RegExp(`^${ADDRESS}$`, "i")
const bracketed = new RegExp(`<(?:mailto:)?(${ADDRESS})>`, "i")

/** The reporter redacted the address (RFC 6590 §2). */
const redacted = /^(?:redacted|removed|hidden|undisclosed|x{3,})@|@redacted\b/

/** The address in a value, bare or in brackets, in lower case; null for other values and redacted addresses. */
export const addressIn = (value: string): string | null => {
  const text = value.slice(0, 1000).trim()
  const found = bracketed.exec(text)?.[1] ?? (whole.test(text) ? text : null)
  const address = found?.toLowerCase() ?? null
  return address === null || redacted.test(address) ? null : address
}

const plain = /^[!-~]+$/

/**
 * Decodes xtext (RFC 3461 §4): `+` and two hex digits stand for a character. A `+` without them shows that the server does
 * not use xtext: then the address is returned as it is.
 */
const decodedXtext = (address: string): string => {
  if (!address.includes("+") || /\+(?![0-9A-F]{2})/.test(address)) return address
  const decoded = address.replace(/\+([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return plain.test(decoded) ? decoded : address
}

/** Decodes `\x{E9}` for a character beyond ASCII (RFC 6533 §3). */
const decodedUnicode = (address: string): string =>
  address.replace(/\\x\{([0-9a-f]{1,6})\}/gi, (all, hex: string) => {
    const point = Number.parseInt(hex, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : all
  })

/**
 * The addresses that `rfc822; ada@example.org` (RFC 3464 §2.3.1) may mean. With xtext there are two: `+41` may be an encoded
 * `A` or the tag of an address, and only the message that we sent tells which.
 */
export const typedAddresses = (value: string): ReadonlyArray<string> => {
  const [, type = "rfc822", address = ""] = /^\s*(?:([a-z0-9-]{1,30})\s*;)?\s*(.*)$/is.exec(value) ?? []
  if (/^x-?(?:400|unix|local)|^(?:local|x400|system)$/i.test(type) && !address.includes("@")) return []
  const forms = [decodedXtext(decodedUnicode(address)), decodedUnicode(address)]
  return [...new Set(forms.map(addressIn).filter((form) => form !== null))]
}

const HEADER_MAX_BYTES = 64 * 1024

export interface EnclosedMail {
  /** as in its Return-Path, without angle brackets; null without one */
  readonly returnPath: string | null
  /** the addresses of To, lower-case */
  readonly to: ReadonlyArray<string>
  /** the reader who complained, in complaints of Outlook.com (JMRP); null elsewhere */
  readonly outlookReader: string | null
}

const enclosedType = /^(?:message\/(?:rfc822|global|global-headers|rfc822-headers)|text\/rfc822-headers?)$/

const addresses = new RegExp(ADDRESS, "gi")

const returnPathIn = (value: string): string | null => {
  const path = /^\s*<?([^<>\s]{1,320})>?/.exec(value)?.[1] ?? ""
  return path.includes("@") ? path : null
}

const readHeader = ({ fields }: HeaderBlock): EnclosedMail => {
  const first = (name: string): string => fields.find((field) => field.name === name)?.value ?? ""
  const to = first("to").slice(0, 4096).match(addresses) ?? []
  return {
    returnPath: returnPathIn(first("return-path")),
    to: [...new Set(to.map(addressIn).filter((address) => address !== null))],
    outlookReader: addressIn(first("x-hmxmroriginalrecipient")),
  }
}

export const readEnclosed = (bytes: Uint8Array): EnclosedMail => {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEADER_MAX_BYTES))
  const start = header.findIndex((byte) => byte !== 0x0d && byte !== 0x0a)
  return readHeader(readHeaderBlock(header.subarray(Math.max(0, start))))
}

/** The recipient of a mail to a single one, for a report that names none. Of several, To does not tell which. */
export const onlyRecipient = (enclosed: EnclosedMail | null): ReadonlyArray<string> =>
  enclosed?.to.length === 1 ? enclosed.to : []

/** The first part that is a mail or the header of one; null without one. */
export const enclosedMail = (attachments: ReadonlyArray<ParsedAttachment>): EnclosedMail | null => {
  const part = attachments.find(({ contentType }) => enclosedType.test(contentType))
  return part === undefined ? null : readEnclosed(bytesOf(part))
}
