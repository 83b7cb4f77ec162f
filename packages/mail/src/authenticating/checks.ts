/** SPF and DMARC with mailauth. Loaded when a mail comes in, not with the server. */
import { domainOf, normalizeAddress } from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"
import { dmarc } from "mailauth/lib/dmarc/index.js"
import { spf } from "mailauth/lib/spf/index.js"
import { getAlignment } from "mailauth/lib/tools.js"
import type { DmarcFinding, SignatureFinding, SpfFinding } from "./findings.js"
import type { Ask } from "./questions.js"
import { isHostName } from "./hostName.js"
import { resolving } from "./resolver.js"

/** RFC 7208 */
export const checkSpf = async ({ from, remoteAddress, helo }: Envelope, ask: Ask): Promise<SpfFinding> => {
  const sender = normalizeAddress(from)
  // Nobody to ask: a greeting that is no name, a mail that never was on a network.
  const asked = sender === "" ? helo : domainOf(sender)
  if (!isHostName(asked) || remoteAddress === "") return { result: "none", domain: asked }
  const { domain, status } = await spf({
    sender,
    ip: remoteAddress,
    helo,
    mta: "mailroom",
    ...resolving(ask),
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
  if (!isHostName(domain)) return { result: "none", isAligned: false }
  const spfDomains = spfFinding.result === "pass" ? [spfFinding.domain] : []
  const dkimDomains = dkim.filter(({ result }) => result === "pass").map((one) => one.domain)
  const found = await dmarc({
    headerFrom: domain,
    spfDomains,
    dkimDomains: dkimDomains.map((signer) => ({ domain: signer })),
    ...resolving(ask),
  })
  const isAligned = (domains: ReadonlyArray<string>, strict: boolean): boolean =>
    strict ? domains.some((other) => other.toLowerCase() === domain) : isRelaxed(domain, domains)
  if (found === false) return { result: "permerror", isAligned: false }
  const { result } = found.status
  // A policy that nobody tells might be a strict one.
  const unknown = result === "temperror"
  const aligned =
    isAligned(spfDomains, unknown || (found.alignment?.spf.strict ?? false)) ||
    isAligned(dkimDomains, unknown || (found.alignment?.dkim.strict ?? false))
  const mayPass = [spfFinding, ...dkim].some((finding) => finding.result === "temperror")
  if (result !== "pass" && result !== "fail") return { result, isAligned: aligned }
  return { result: aligned ? "pass" : mayPass ? "temperror" : "fail", isAligned: aligned }
}
