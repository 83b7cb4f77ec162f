/** What mailauth finds out, as values that cross a thread boundary (RFC 8601 §2.7). */

export interface SignatureFinding {
  /** `pass`, `fail`, `neutral`, `policy`, `temperror`, `permerror` */
  readonly result: string
  /** `d=` */
  readonly domain: string
}

export interface SignatureFindings {
  /** every address in From */
  readonly from: ReadonlyArray<string>
  readonly dkim: ReadonlyArray<SignatureFinding>
  /** null without an ARC chain */
  readonly arc: string | null
}

export interface SpfFinding {
  readonly result: string
  /** of the return path, or of the greeting */
  readonly domain: string
}

export interface DmarcFinding {
  readonly result: string
  /** whether SPF or DKIM passed for a domain that is aligned with From's, as its policy asks, or relaxed without one */
  readonly isAligned: boolean
}
