/** The results of SPF, DKIM, ARC and DMARC (RFC 8601 §2.7), their sum as `authentication`, and a cache of that. */
import type { SenderResults } from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"
import { Effect } from "effect"
import type { SignatureResult, SignatureResults } from "./signatureHeaders.js"

export interface SpfResult {
  /** RFC 8601 §2.7.2 */
  readonly result: string
  /** the domain of MAIL FROM, or of the greeting when MAIL FROM is empty (RFC 7208 §2.4) */
  readonly domain: string
}

export interface DmarcResult {
  /** RFC 7489 §11.2 */
  readonly result: string
  /** the domain in From when SPF or DKIM passed for a domain that is aligned with it, relaxed without a policy; else null */
  readonly verifiedDomain: string | null
  /** what the domain asks for mail that fails, in lower case; null when it does not fail */
  readonly failurePolicy: string | null
}

/** null: no result within the time limit. */
export interface MethodResults {
  readonly spf: SpfResult | null
  readonly signatures: SignatureResults | null
  readonly dmarc: DmarcResult | null
}

export const noResults: MethodResults = { spf: null, signatures: null, dmarc: null }

/** From best to worst: the best of several signatures counts (RFC 6376 §6.1). */
const DKIM_RANKING = ["pass", "temperror", "fail", "policy", "neutral", "permerror"]

const rankOf = ({ result }: SignatureResult): number => {
  const rank = DKIM_RANKING.indexOf(result)
  return rank === -1 ? DKIM_RANKING.length : rank
}

const bestOf = (signatures: ReadonlyArray<SignatureResult>): string =>
  [...signatures].sort((one, other) => rankOf(one) - rankOf(other))[0]?.result ?? "none"

/** A method without a result counts as `temperror`. */
export const toAuthentication = ({ spf, signatures, dmarc }: MethodResults): SenderResults => ({
  spf: spf?.result ?? "temperror",
  dkim: signatures === null ? "temperror" : bestOf(signatures.dkim),
  dmarc: dmarc?.result ?? "temperror",
  ...(typeof dmarc?.failurePolicy === "string" && { dmarcPolicy: dmarc.failurePolicy }),
  ...(signatures !== null && signatures.arc !== null && { arc: signatures.arc }),
  verifiedDomain: dmarc?.verifiedDomain ?? null,
})

/** Milliseconds that cached results hold, on top of the time that their DNS answers hold. */
const RESULTS_TTL = 60_000

const RESULTS_MAX = 1_000

/** Results with a longer key (characters) are not cached: strangers choose the keys. */
const KEY_MAX_LENGTH = 1_000

/**
 * Results of recent unsigned mail, the oldest evicted first. The results of an unsigned mail depend on its envelope
 * and From only, and the next mail often has the same: a shop writes to many, a server hands over its backlog.
 */
export interface ResultCache {
  /** `authors` are all addresses in From. */
  readonly find: (envelope: Envelope, authors: ReadonlyArray<string>) => SenderResults | null
  /** Does not keep a `temperror`, which the next try may turn into a result. */
  readonly keep: (envelope: Envelope, authors: ReadonlyArray<string>, results: SenderResults) => void
}

const keyOf = ({ from, remoteAddress, helo }: Envelope, authors: ReadonlyArray<string>): string =>
  JSON.stringify([from, remoteAddress, helo, ...authors])

// Not Effect's `Cache`: `SenderAuthentication.known` returns results without an effect.
export const makeResultCache: Effect.Effect<ResultCache> = Effect.map(Effect.clock, (clock) => {
  /** oldest first */
  const entries = new Map<string, { readonly results: SenderResults; readonly expiresAt: number }>()
  return {
    find: (envelope, authors) => {
      const key = keyOf(envelope, authors)
      const entry = entries.get(key)
      if (entry === undefined) return null
      if (entry.expiresAt > clock.unsafeCurrentTimeMillis()) return entry.results
      entries.delete(key)
      return null
    },
    keep: (envelope, authors, results) => {
      const key = keyOf(envelope, authors)
      if (results.spf === "temperror" || results.dmarc === "temperror" || key.length > KEY_MAX_LENGTH) return
      entries.delete(key)
      entries.set(key, { results, expiresAt: clock.unsafeCurrentTimeMillis() + RESULTS_TTL })
      const [oldest] = entries.keys()
      if (entries.size > RESULTS_MAX && oldest !== undefined) entries.delete(oldest)
    },
  }
})
