/**
 * Evaluates the DNS records of a custom domain (spec: decisions.domain.records; docs/decisions/0015) as receivers of its
 * mail do: a record that they would ignore or reject is not VALID.
 */
import type { DomainRecord, RecordState, RecordStates } from "./Domain.js"
import { mxHost, spfHost } from "./dnsRecords.js"

export interface MxRecord {
  readonly exchange: string
  /** the lowest value is tried first */
  readonly priority: number
}

/** The DNS records at the names of a domain; empty where there are none. Strings of a TXT record are joined. */
export interface DnsAnswers {
  /** at the domain itself */
  readonly mx: ReadonlyArray<MxRecord>
  /** TXT at the domain itself */
  readonly spf: ReadonlyArray<string>
  /** TXT at the selector */
  readonly dkim: ReadonlyArray<string>
  /** TXT at the selector of the next key, if there is one */
  readonly nextDkim: ReadonlyArray<string>
  /** TXT at `_dmarc` */
  readonly dmarc: ReadonlyArray<string>
}

/** Names are compared in lower case and without a trailing dot. */
const sameName = (one: string, other: string): boolean =>
  one.replace(/\.$/, "").toLowerCase() === other.replace(/\.$/, "").toLowerCase()

/** Our MX must have the lowest preference value: senders try it first, and choose freely among equals (RFC 5321 §5.1). */
const judgeMx = (records: ReadonlyArray<MxRecord>, platformDomain: string): RecordState => {
  if (records.length === 0) return "MISSING"
  const isOurs = ({ exchange }: MxRecord) => sameName(exchange, mxHost(platformDomain))
  const best = (some: ReadonlyArray<MxRecord>) => Math.min(...some.map(({ priority }) => priority))
  const others = records.filter((record) => !isOurs(record))
  return best(records.filter(isOurs)) < best(others) ? "VALID" : "INVALID"
}

/** The known mechanisms, and modifiers, which may be unknown (RFC 7208 §4.6.1, §5, §6). */
const spfTerm =
  /^(?:[+?~-]?(?:all|(?:include|exists|ip4|ip6):\S+|(?:a|mx|ptr)(?:[:/]\S+)?)|[a-z][a-z0-9._-]*=\S*)$/i

const judgeSpf = (records: ReadonlyArray<string>, platformDomain: string): RecordState => {
  const [record, ...more] = records.filter((text) => /^v=spf1(?: |$)/i.test(text))
  if (record === undefined) return "MISSING"
  // Two records or an unknown term are a permanent error for receivers (RFC 7208 §4.5, §4.6).
  if (more.length > 0) return "INVALID"
  const terms = record.split(/ +/).filter((term) => term !== "")
  if (!terms.slice(1).every((term) => spfTerm.test(term))) return "INVALID"
  // Terms after `all` are never evaluated (RFC 7208 §5.1).
  const all = terms.findIndex((term) => /^[+?~-]?all$/i.test(term))
  const included = terms.findIndex((term) => {
    const [, name] = /^\+?include:(.+)$/i.exec(term) ?? []
    return name !== undefined && sameName(name, spfHost(platformDomain))
  })
  return included !== -1 && (all === -1 || included < all) ? "VALID" : "INVALID"
}

/** `a=1; b=2` as tags; null when a tag is repeated or has no value (RFC 6376 §3.2). */
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

/** Exactly one key record, with our key. The result of several records at one name is undefined (RFC 6376 §3.6.2.2). */
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

/** Accepts any policy. A record must begin with the version (RFC 7489 §6.3, §6.6.3). */
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

/** Whether the record of the next key is published. */
export const isNextKeyFound = (
  { nextDkimPublicKey }: Pick<DomainRecord, "nextDkimPublicKey">,
  { nextDkim }: DnsAnswers,
): boolean => nextDkimPublicKey !== null && judgeDkim(nextDkim, nextDkimPublicKey) === "VALID"
