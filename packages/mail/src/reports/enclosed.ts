/** The mail that a report is about, as far as the report encloses it: a part of its own, or a copy in its text. */
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { bytesOf, type ParsedAttachment } from "@mailroom/domain/messages/ParsedMail"
import { type HeaderBlock, readHeaderBlock } from "../parsing/headerBlock.js"
import { ADDRESS, addressIn } from "./addresses.js"

const HEADER_MAX_BYTES = 64 * 1024

export interface EnclosedMail {
  /** as found, without angle brackets; null when it has none */
  readonly returnPath: string | null
  /** the addresses of To, lower-case */
  readonly to: ReadonlyArray<string>
  /** whom Outlook.com's reader is, as its complaints tell (JMRP); null elsewhere */
  readonly outlookReader: string | null
}

const type = /^(?:message\/(?:rfc822|global|global-headers|rfc822-headers)|text\/rfc822-headers?)$/

const addresses = new RegExp(ADDRESS, "gi")

const returnPathIn = (value: string): string | null => {
  const path = /^\s*<?([^<>\s]{1,320})>?/.exec(value)?.[1] ?? ""
  return path.includes("@") ? path : null
}

const described = ({ fields }: HeaderBlock): EnclosedMail => {
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
  return described(readHeaderBlock(header.subarray(Math.max(0, start))))
}

/** Where a report names nobody: the recipient of a mail to one only. Of several, To does not tell which one it is. */
export const onlyRecipient = (enclosed: EnclosedMail | null): ReadonlyArray<string> =>
  enclosed?.to.length === 1 ? enclosed.to : []

/** The first part that is a mail or its header; null when there is none. */
export const enclosedMail = (attachments: ReadonlyArray<ParsedAttachment>): EnclosedMail | null => {
  const part = attachments.find(({ contentType }) => type.test(contentType))
  return part === undefined ? null : readEnclosed(bytesOf(part))
}
