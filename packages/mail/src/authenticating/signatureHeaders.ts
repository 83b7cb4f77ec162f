/** The results of signatures (RFC 6376 §3.5, RFC 8617 §4.1), and which mails have more than we verify. */

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

/** The results for a mail that exceeds what we verify. */
export const unverifiedResults: SignatureResults = {
  dkim: [{ result: "permerror", domain: "" }],
  arc: null,
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
