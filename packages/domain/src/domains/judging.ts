/**
 * Whether what DNS answered is what a custom domain needs (decisions §2; docs/decisions/0015). Judged as those who get
 * the domain's mail will judge it: a record that they would ignore or fail on is not VALID.
 */
import type { DomainRecord, RecordState, RecordStates } from "./Domain.js"
import { mxHost, spfHost } from "./dnsRecords.js"

export interface MxRecord {
  readonly exchange: string
  /** the lowest is tried first */
  readonly priority: number
}

/** What DNS has at the names of a domain; nothing, where it has none. A TXT record is its strings put together. */
export interface DnsAnswers {
  /** at the domain itself */
  readonly mx: ReadonlyArray<MxRecord>
  /** TXT at the domain itself */
  readonly spf: ReadonlyArray<string>
  /** TXT at the selector */
  readonly dkim: ReadonlyArray<string>
  /** TXT at the selector of the key that will sign, if there is one */
  readonly nextDkim: ReadonlyArray<string>
  /** TXT at `_dmarc` */
  readonly dmarc: ReadonlyArray<string>
}

/** Names are compared without case and without the dot of the root. */
const sameName = (one: string, other: string): boolean =>
  one.replace(/\.$/, "").toLowerCase() === other.replace(/\.$/, "").toLowerCase()

/** Ours has to be better than every other, for senders begin with the best and choose freely among equals (RFC 5321 §5.1). */
const judgeMx = (records: ReadonlyArray<MxRecord>, platformDomain: string): RecordState => {
  if (records.length === 0) return "MISSING"
  const isOurs = ({ exchange }: MxRecord) => sameName(exchange, mxHost(platformDomain))
  const best = (some: ReadonlyArray<MxRecord>) => Math.min(...some.map(({ priority }) => priority))
  const others = records.filter((record) => !isOurs(record))
  return best(records.filter(isOurs)) < best(others) ? "VALID" : "INVALID"
}

/** The mechanisms there are, and modifiers, which may be unknown (RFC 7208 §4.6.1, §5, §6). */
const spfTerm =
  /^(?:[+?~-]?(?:all|(?:include|exists|ip4|ip6):\S+|(?:a|mx|ptr)(?:[:/]\S+)?)|[a-z][a-z0-9._-]*=\S*)$/i

const judgeSpf = (records: ReadonlyArray<string>, platformDomain: string): RecordState => {
  const [record, ...more] = records.filter((text) => /^v=spf1(?: |$)/i.test(text))
  if (record === undefined) return "MISSING"
  // Two records, or a term that SPF does not know: an error for everybody who looks (RFC 7208 §4.5, §4.6).
  if (more.length > 0) return "INVALID"
  const terms = record.split(/ +/).filter((term) => term !== "")
  if (!terms.slice(1).every((term) => spfTerm.test(term))) return "INVALID"
  // What stands behind `all` is never reached (RFC 7208 §5.1).
  const all = terms.findIndex((term) => /^[+?~-]?all$/i.test(term))
  const included = terms.findIndex((term) => {
    const [, name] = /^\+?include:(.+)$/i.exec(term) ?? []
    return name !== undefined && sameName(name, spfHost(platformDomain))
  })
  return included !== -1 && (all === -1 || included < all) ? "VALID" : "INVALID"
}

/** `a=1; b=2` as its tags; null when one comes twice or has no value (RFC 6376 §3.2). */
const tagsOf = (text: string): ReadonlyMap<string, string> | null => {
  const tags = new Map<string, string>()
  for (const part of text.split(";")) {
    if (part.trim() === "") continue
    const at = part.indexOf("=")
    const name = part.slice(0, Math.max(0, at)).trim()
    if (name === "" || tags.has(name)) return null
    tags.set(name, part.slice(at + 1).trim())
  }
  return tags
}

/** One key record with our key. With several at one name nobody can say which counts (RFC 6376 §3.6.2.2). */
export const judgeDkim = (records: ReadonlyArray<string>, publicKey: string): RecordState => {
  const [record, ...more] = records.filter((text) => /(?:^|;)\s*p\s*=/.test(text))
  if (record === undefined) return "MISSING"
  const tags = more.length > 0 ? null : tagsOf(record)
  const isOurs =
    tags !== null &&
    (tags.get("v") ?? "DKIM1") === "DKIM1" &&
    (tags.get("k") ?? "rsa") === "rsa" &&
    tags.get("p")?.replace(/\s/g, "") === publicKey
  return isOurs ? "VALID" : "INVALID"
}

/** Any policy will do. What does not begin with the version is no policy (RFC 7489 §6.3, §6.6.3). */
const judgeDmarc = (records: ReadonlyArray<string>): RecordState => {
  const [record, ...more] = records.filter((text) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text))
  if (record === undefined) return "MISSING"
  const policy = more.length > 0 ? undefined : tagsOf(record)?.get("p")
  return /^(?:none|quarantine|reject)$/i.test(policy ?? "") ? "VALID" : "INVALID"
}

export const judgeRecords = (
  domain: Pick<DomainRecord, "dkimPublicKey">,
  answers: DnsAnswers,
  platformDomain: string,
): RecordStates => ({
  mxState: judgeMx(answers.mx, platformDomain),
  spfState: judgeSpf(answers.spf, platformDomain),
  dkimState: judgeDkim(answers.dkim, domain.dkimPublicKey),
  dmarcState: judgeDmarc(answers.dmarc),
})

/** Whether the key that will sign is where everybody finds it. */
export const isNextKeyFound = (
  { nextDkimPublicKey }: Pick<DomainRecord, "nextDkimPublicKey">,
  { nextDkim }: DnsAnswers,
): boolean => nextDkimPublicKey !== null && judgeDkim(nextDkim, nextDkimPublicKey) === "VALID"
