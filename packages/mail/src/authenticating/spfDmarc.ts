/** SPF and DMARC with mailauth, a large library: loaded with the first mail from outside, not with the server. */
import { domainOf, normalizeAddress } from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"
import { dmarc } from "mailauth/lib/dmarc/index.js"
import { spf } from "mailauth/lib/spf/index.js"
import { getAlignment } from "mailauth/lib/tools.js"
import type { DmarcResult, SpfResult } from "./authenticationResults.js"
import { isHostName, type Lookup, resolverOption } from "./resolver.js"
import type { SignatureResult, SignatureResults } from "./signatureHeaders.js"

/** RFC 7208 */
export const checkSpf = async (
  { from, remoteAddress, helo }: Envelope,
  lookup: Lookup,
): Promise<SpfResult> => {
  const sender = normalizeAddress(from)
  const identity = sender === "" ? helo : domainOf(sender)
  // No record to look up for a greeting that is no domain name, and no client for a mail from inside the service.
  if (!isHostName(identity) || remoteAddress === "") return { result: "none", domain: identity }
  const { domain, status } = await spf({
    sender,
    ip: remoteAddress,
    helo,
    mta: "mailroom",
    ...resolverOption(lookup),
  })
  return { result: status.result, domain }
}

/** Relaxed alignment: the same organizational domain (RFC 7489 §3.1). */
const isRelaxedAligned = (domain: string, others: ReadonlyArray<string>): boolean =>
  getAlignment(domain, [...others]) !== false

const checkAuthor = async (
  author: string,
  spfResult: SpfResult,
  dkim: ReadonlyArray<SignatureResult>,
  lookup: Lookup,
): Promise<DmarcResult> => {
  const domain = domainOf(normalizeAddress(author))
  if (!isHostName(domain)) return { result: "none", isAligned: false, failurePolicy: null }
  const spfDomains = spfResult.result === "pass" ? [spfResult.domain] : []
  const dkimDomains = dkim.filter(({ result }) => result === "pass").map((signature) => signature.domain)
  const found = await dmarc({
    headerFrom: domain,
    spfDomains,
    dkimDomains: dkimDomains.map((signer) => ({ domain: signer })),
    ...resolverOption(lookup),
  })
  // mailauth reads strict alignment from the policy (`adkim`, `aspf`), but does not apply it.
  const isAligned = (domains: ReadonlyArray<string>, strict: boolean): boolean =>
    strict ? domains.some((other) => other.toLowerCase() === domain) : isRelaxedAligned(domain, domains)
  if (found === false) return { result: "permerror", isAligned: false, failurePolicy: null }
  const { result } = found.status
  // A policy that cannot be looked up now may ask for strict alignment.
  const isUnknown = result === "temperror"
  const aligned =
    isAligned(spfDomains, isUnknown || (found.alignment?.spf.strict ?? false)) ||
    isAligned(dkimDomains, isUnknown || (found.alignment?.dkim.strict ?? false))
  const mayPass = [spfResult, ...dkim].some((method) => method.result === "temperror")
  if (result !== "pass" && result !== "fail") return { result, isAligned: aligned, failurePolicy: null }
  if (aligned || mayPass)
    return { result: aligned ? "pass" : "temperror", isAligned: aligned, failurePolicy: null }
  return { result: "fail", isAligned: false, failurePolicy: found.policy?.toLowerCase() ?? "none" }
}

/** RFC 7489. Several addresses in From are a `permerror`: §6.6.1 leaves them to us. */
export const checkDmarc = async (
  spfResult: SpfResult,
  { from, dkim }: SignatureResults,
  lookup: Lookup,
): Promise<DmarcResult> => {
  const [author, ...others] = from
  if (author === undefined) return { result: "none", isAligned: false, failurePolicy: null }
  if (others.length > 0) return { result: "permerror", isAligned: false, failurePolicy: null }
  return checkAuthor(author, spfResult, dkim, lookup)
}
