/** SPF and DMARC with mailauth. Loaded when a mail comes in, not with the server. */
import { domainOf, normalizeAddress } from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"
import { dmarc } from "mailauth/lib/dmarc/index.js"
import { spf } from "mailauth/lib/spf/index.js"
import { getAlignment } from "mailauth/lib/tools.js"
import type { DmarcFinding, SignatureFinding, SpfFinding } from "./findings.js"
import { type Ask, resolverFor } from "./resolver.js"

/** RFC 7208 */
export const checkSpf = async ({ from, remoteAddress, helo }: Envelope, ask: Ask): Promise<SpfFinding> => {
  const { domain, status } = await spf({
    sender: normalizeAddress(from),
    ip: remoteAddress,
    helo,
    mta: "mailroom",
    resolver: resolverFor(ask),
  })
  return { result: status.result, domain }
}

/** Relaxed: the same organisational domain (RFC 7489 §3.1). */
const isRelaxed = (domain: string, others: ReadonlyArray<string>): boolean =>
  getAlignment(domain, [...others]) !== false

/**
 * RFC 7489, for the one domain in From. mailauth does not hold a policy to the strict alignment that it asks for, so that
 * is looked at here.
 */
export const checkDmarc = async (
  from: string,
  spfFinding: SpfFinding,
  dkim: ReadonlyArray<SignatureFinding>,
  ask: Ask,
): Promise<DmarcFinding> => {
  const domain = domainOf(normalizeAddress(from))
  const spfDomains = spfFinding.result === "pass" ? [spfFinding.domain] : []
  const dkimDomains = dkim.filter(({ result }) => result === "pass").map((one) => one.domain)
  const found = await dmarc({
    headerFrom: domain,
    spfDomains,
    dkimDomains: dkimDomains.map((signer) => ({ domain: signer })),
    resolver: resolverFor(ask),
  })
  const isAligned = (domains: ReadonlyArray<string>, strict: boolean): boolean =>
    strict ? domains.some((other) => other.toLowerCase() === domain) : isRelaxed(domain, domains)
  if (found === false) return { result: "permerror", isAligned: false }
  const aligned =
    isAligned(spfDomains, found.alignment?.spf.strict ?? false) ||
    isAligned(dkimDomains, found.alignment?.dkim.strict ?? false)
  const { result } = found.status
  return { result: result === "pass" && !aligned ? "fail" : result, isAligned: aligned }
}
