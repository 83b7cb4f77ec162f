/** From what was found to what is said of the sender (RFC 8601 §2.7; decisions §2, `authentication`). */
import { type Authentication, domainOf, normalizeAddress } from "@mailroom/domain"
import type { DmarcFinding, SignatureFinding, SignatureFindings, SpfFinding } from "./findings.js"

/** null where nothing was found out in time. */
export interface Found {
  readonly spf: SpfFinding | null
  readonly signatures: SignatureFindings | null
  readonly dmarc: DmarcFinding | null
}

export const nothing: Found = { spf: null, signatures: null, dmarc: null }

/** Of several signatures the best counts (RFC 6376 §6.1). */
const ORDER = ["pass", "temperror", "fail", "policy", "neutral", "permerror"]

const rankOf = ({ result }: SignatureFinding): number => {
  const rank = ORDER.indexOf(result)
  return rank === -1 ? ORDER.length : rank
}

const bestOf = (signatures: ReadonlyArray<SignatureFinding>): string =>
  [...signatures].sort((one, other) => rankOf(one) - rankOf(other))[0]?.result ?? "none"

export const conclude = ({ spf, signatures, dmarc }: Found): Authentication => {
  const [author] = signatures?.from ?? []
  return {
    spf: spf?.result ?? "temperror",
    dkim: signatures === null ? "temperror" : bestOf(signatures.dkim),
    dmarc: dmarc?.result ?? "temperror",
    ...(signatures !== null && signatures.arc !== null && { arc: signatures.arc }),
    verifiedDomain:
      dmarc?.isAligned === true && author !== undefined ? domainOf(normalizeAddress(author)) : null,
  }
}
