/** SPF and DMARC with mailauth, a large library: loaded with the first mail from outside, not with the server. */
import { domainOf, normalizeAddress } from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"
import { dmarc } from "mailauth/lib/dmarc/index.js"
import { spf } from "mailauth/lib/spf/index.js"
import { getAlignment } from "mailauth/lib/tools.js"
import type { DmarcResult, SpfResult } from "./authenticationResults.js"
import { isHostName, type Lookup, resolverOption } from "./resolver.js"
import type { SignatureResult } from "./signatureHeaders.js"

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

const unaligned = (result: string): DmarcResult => ({ result, verifiedDomain: null, failurePolicy: null })

const checkAuthor = async (
  author: string,
  spfResult: SpfResult,
  dkim: ReadonlyArray<SignatureResult>,
  lookup: Lookup,
): Promise<DmarcResult> => {
  const domain = domainOf(normalizeAddress(author))
  if (!isHostName(domain)) return unaligned("none")
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
  if (found === false) return unaligned("permerror")
  const { result } = found.status
  // A policy that cannot be looked up now may ask for strict alignment.
  const isUnknown = result === "temperror"
  const aligned =
    isAligned(spfDomains, isUnknown || (found.alignment?.spf.strict ?? false)) ||
    isAligned(dkimDomains, isUnknown || (found.alignment?.dkim.strict ?? false))
  const mayPass = [spfResult, ...dkim].some((method) => method.result === "temperror")
  const isDecided = result === "pass" || result === "fail"
  if (aligned) return { result: isDecided ? "pass" : result, verifiedDomain: domain, failurePolicy: null }
  if (!isDecided || mayPass) return unaligned(isDecided ? "temperror" : result)
  // mailauth gives `false` for a tag without a value, whatever its types say.
  const { policy }: { readonly policy?: unknown } = found
  return { ...unaligned("fail"), failurePolicy: typeof policy === "string" ? policy.toLowerCase() : "none" }
}

/** RFC 7489, for all addresses in From. Several are a `permerror`: §6.6.1 leaves them to us. */
export const checkDmarc = async (
  [author, ...others]: ReadonlyArray<string>,
  spfResult: SpfResult,
  dkim: ReadonlyArray<SignatureResult>,
  lookup: Lookup,
): Promise<DmarcResult> => {
  if (author === undefined) return unaligned("none")
  if (others.length > 0) return unaligned("permerror")
  return checkAuthor(author, spfResult, dkim, lookup)
}
