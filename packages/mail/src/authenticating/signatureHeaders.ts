/** The results of signatures (RFC 6376 §3.5, RFC 8617 §4.1), and of which mails we verify them. */
import { readHeaderBlock } from "../parsing/headerBlock.js"

/** A plain value: it crosses a thread boundary. */
export interface SignatureResult {
  /** `pass`, `fail`, `neutral`, `policy`, `temperror` or `permerror` (RFC 8601 §2.7.1) */
  readonly result: string
  /** the signing domain (`d=`) */
  readonly domain: string
}

export interface SignatureResults {
  readonly dkim: ReadonlyArray<SignatureResult>
  /** the chain validation status (RFC 8617 §4.4); null without an ARC chain */
  readonly arc: string | null
}

/** Bytes of a header whose signatures are verified; mailauth takes too long for more. */
const HEADER_MAX_BYTES = 64 * 1024

/** Signatures and ARC seals that are verified. Each costs a DNS lookup and a public-key operation. */
const SIGNATURES_MAX = 10

/** The results for an unsigned mail. */
export const unsignedResults: SignatureResults = { dkim: [], arc: null }

/** The results for a mail that is not verifiable. */
export const unverifiedResults: SignatureResults = {
  dkim: [{ result: "permerror", domain: "" }],
  arc: null,
}

/** Lines of a header, and names of fields that one signature lists: mailauth takes 10 s for 20,000 lines, and seconds for 2,000 names. */
const LINES_MAX = 10_000
const NAMES_MAX = 200

const signatureFields: ReadonlySet<string> = new Set(["dkim-signature", "arc-seal", "arc-message-signature"])

const separators = (value: string): number => value.split(":").length - 1

/**
 * Whether the signatures of a mail are verified: not if they are more than we verify, and not if the header has a line that is no
 * field. mailauth reads on behind such a line, where our message has its body: what is signed there is not what it shows.
 */
export const isVerifiable = (raw: Buffer): boolean => {
  const end = raw.subarray(0, HEADER_MAX_BYTES).indexOf("\r\n\r\n")
  if (end === -1 && raw.length > HEADER_MAX_BYTES) return false
  const header = raw.subarray(0, end === -1 ? raw.length : end + 4)
  const { fields, isRegular } = readHeaderBlock(header)
  if (!isRegular || header.toString("latin1").split("\n").length > LINES_MAX) return false
  const signatures = fields.filter(({ name }) => signatureFields.has(name))
  return (
    signatures.filter(({ name }) => name !== "arc-message-signature").length <= SIGNATURES_MAX &&
    signatures.every(({ value }) => separators(value) <= NAMES_MAX)
  )
}
