/** Scans the header of a mail for signatures (RFC 6376 §3.5, RFC 8617 §4.1), before any of them is verified. */
import { isSigned, readHeaderBlock } from "../parsing/headerBlock.js"
import { readHeaders } from "../parsing/headers.js"

/** A plain value: it crosses a thread boundary. */
export interface SignatureResult {
  /** `pass`, `fail`, `neutral`, `policy`, `temperror` or `permerror` (RFC 8601 §2.7.1) */
  readonly result: string
  /** the signing domain (`d=`) */
  readonly domain: string
}

export interface SignatureResults {
  /** every address in From */
  readonly from: ReadonlyArray<string>
  readonly dkim: ReadonlyArray<SignatureResult>
  /** the chain validation status (RFC 8617 §4.4); null without an ARC chain */
  readonly arc: string | null
}

/** The main thread scans this many bytes; the signature thread reads longer headers. */
const SCAN_MAX_BYTES = 32 * 1024

/** Bytes of a header whose signatures are verified; mailauth takes too long for more. */
const HEADER_MAX_BYTES = 64 * 1024

/** Signatures and ARC seals that are verified. Each costs a DNS lookup and a public-key operation. */
const SIGNATURES_MAX = 10

const scan = (header: Buffer) => {
  const { fields } = readHeaderBlock(header)
  const authors = readHeaders(
    fields.filter(({ name }) => name === "from"),
    null,
  )
  const from = authors.addresses("from").map(({ address }) => address)
  return { fields, unsigned: { from, dkim: [], arc: null } satisfies SignatureResults }
}

/** The results for an unsigned mail. null when the mail is signed, or its header is too long to tell here. */
export const scanSignatureHeaders = (raw: Uint8Array): SignatureResults | null => {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, SCAN_MAX_BYTES))
  const end = start.indexOf("\r\n\r\n")
  if (end === -1 && raw.byteLength > start.byteLength) return null
  const { fields, unsigned } = scan(end === -1 ? start : start.subarray(0, end + 4))
  return isSigned(fields) ? null : unsigned
}

/**
 * Whether the header is longer than `HEADER_MAX_BYTES`, or has more than `SIGNATURES_MAX` signatures. Searches all that
 * mailauth takes for the header.
 */
export const exceedsVerification = (raw: Buffer): boolean => {
  const end = raw.subarray(0, HEADER_MAX_BYTES).indexOf("\r\n\r\n")
  if (end === -1 && raw.length > HEADER_MAX_BYTES) return true
  const header = raw.toString("latin1", 0, end === -1 ? raw.length : end)
  return [...header.matchAll(/^(?:dkim-signature|arc-seal)[ \t]*:/gim)].length > SIGNATURES_MAX
}

/**
 * Every address in From, as the message shows them. mailauth reads From in another way, such as without the members of a
 * group: with its reading, the author that a message shows would not be the one that DMARC proves.
 */
export const authorsIn = (raw: Buffer): ReadonlyArray<string> => scan(raw).unsigned.from

/** The results for a mail that exceeds what we verify: `permerror`. */
export const unverifiedResults = (raw: Buffer): SignatureResults => ({
  ...scan(raw).unsigned,
  dkim: [{ result: "permerror", domain: "" }],
})
