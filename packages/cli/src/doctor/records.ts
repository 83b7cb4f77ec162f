/** Judges the TXT records of a mail domain: SPF, DKIM, DMARC, MTA-STS, TLS-RPT. */
import { ok, problem, type Verdict, warning } from "./Finding.js"

/** The records of a name that begin as the record of a protocol does; RFCs allow one. */
const ofVersion = (records: ReadonlyArray<string>, version: RegExp) =>
  records.filter((record) => version.test(record))

/** The value of a tag in `v=DMARC1; p=none` and its like. */
const tag = (record: string, name: string): string | undefined =>
  record
    .split(";")
    .map((part) => part.split("="))
    .find(([key]) => key?.trim().toLowerCase() === name)
    ?.slice(1)
    .join("=")
    .trim()

/** Terms of SPF that cost a lookup; RFC 7208 §4.6.4 allows ten, those of includes counted too. */
const LOOKUPS = /^[+?~-]?(?:include:|a(?:$|[:/])|mx(?:$|[:/])|ptr|exists:|redirect=)/i
const MOST_LOOKUPS = 10

/** RFC 7208. */
export const judgeSpf = (records: ReadonlyArray<string>): Verdict => {
  const [record, another] = ofVersion(records, /^v=spf1(?:\s|$)/i)
  if (record === undefined)
    return problem("There is no SPF record.", "Publish a TXT record: v=spf1, the hosts that send, and ~all.")
  if (another !== undefined)
    return problem("There are several SPF records, which count as none.", "Merge them into one TXT record.")
  const terms = record.split(/\s+/).slice(1)
  const lookups = terms.filter((term) => LOOKUPS.test(term)).length
  if (lookups > MOST_LOOKUPS)
    return problem(
      `The SPF record needs ${lookups} lookups; ten are allowed.`,
      "Remove includes that send no mail.",
    )
  const end = terms.findLast((term) => /^(?:[+?~-]?all|redirect=.*)$/i.test(term))
  if (end === undefined) return warning(`${record} has no end.`, "End it with ~all or -all.")
  return /^\+?all$/i.test(end)
    ? problem(`${record} lets everybody send.`, "End it with ~all or -all.")
    : ok(record)
}

/** RFC 6376 §3.6.1. */
export const judgeDkim = (records: ReadonlyArray<string>): Verdict => {
  const record = records.find((text) => tag(text, "p") !== undefined)
  if (record === undefined)
    return problem("There is no DKIM key.", "Publish the TXT record that mailroom domains show prints.")
  return tag(record, "p") === ""
    ? problem("The DKIM key is revoked: its p= is empty.", "Publish the record of a valid key.")
    : ok("The DKIM key is published.")
}

/** RFC 7489 §6.3. */
export const judgeDmarc = (records: ReadonlyArray<string>): Verdict => {
  const [record, another] = ofVersion(records, /^v=DMARC1\s*(?:;|$)/i)
  if (record === undefined)
    return warning("There is no DMARC record.", "Publish a TXT record: v=DMARC1; p=none; rua=mailto:you@…")
  if (another !== undefined)
    return problem("There are several DMARC records, which count as none.", "Keep one of them.")
  const policy = tag(record, "p")?.toLowerCase()
  if (policy === "quarantine" || policy === "reject") return ok(record)
  return policy === "none"
    ? warning(
        `${record} only watches: others can use your domain.`,
        "When reports show no mail of yours failing, change p to quarantine.",
      )
    : problem(`${record} has no valid policy.`, "Add p=none, p=quarantine or p=reject.")
}

/** RFC 8461 §3. `policy`: the text of the policy file; null if it cannot be fetched. */
export const judgeMtaSts = (
  records: ReadonlyArray<string>,
  policy: string | null,
  hosts: ReadonlyArray<string>,
): Verdict => {
  const [record] = ofVersion(records, /^v=STSv1\s*;/)
  if (record === undefined)
    return warning(
      "There is no MTA-STS policy: mail to you may be sent without TLS.",
      "Publish _mta-sts and the policy file (RFC 8461).",
    )
  if (policy === null)
    return problem(
      "There is an MTA-STS record, but its policy file cannot be fetched.",
      "Serve https://mta-sts.{domain}/.well-known/mta-sts.txt.",
    )
  const lines = policy.split(/\r?\n/).map((line) => line.split(":").map((part) => part.trim()))
  const valuesOf = (name: string) =>
    lines.filter(([key]) => key === name).map(([, value = ""]) => value.toLowerCase())
  const patterns = valuesOf("mx")
  const isListed = (host: string) =>
    patterns.some((pattern) =>
      pattern.startsWith("*.") ? host.replace(/^[^.]+/, "*") === pattern : host === pattern,
    )
  const missing = hosts.find((host) => !isListed(host.toLowerCase()))
  if (missing !== undefined)
    return problem(
      `The MTA-STS policy does not list ${missing}.`,
      `Add the line mx: ${missing}, and change the id in _mta-sts.`,
    )
  const [mode = ""] = valuesOf("mode")
  return mode === "enforce"
    ? ok("MTA-STS is enforced.")
    : warning(`MTA-STS is in mode ${mode}.`, "When TLS reports show no failures, change the mode to enforce.")
}

/** RFC 8460 §3. */
export const judgeTlsReporting = (records: ReadonlyArray<string>): Verdict => {
  const [record] = ofVersion(records, /^v=TLSRPTv1\s*;/)
  if (record === undefined)
    return warning(
      "Nobody gets reports about TLS failures.",
      "Publish _smtp._tls: v=TLSRPTv1; rua=mailto:you@…",
    )
  return tag(record, "rua") === undefined
    ? problem(`${record} names nobody.`, "Add rua=mailto:…")
    : ok(record)
}

const DAY = 86_400_000
/** Days before its end in which a certificate should have been renewed. */
const RENEWAL_DAYS = 14

/** `reason`: why the certificate is not trusted; null if it is. Times in milliseconds since the epoch. */
export const judgeCertificate = (reason: string | null, validTo: number, now: number): Verdict => {
  const days = Math.floor((validTo - now) / DAY)
  if (days < 0) return problem("The certificate has expired.", "Renew it.")
  if (reason !== null)
    return problem(
      `The certificate is not trusted: ${reason}.`,
      "Use one for this name, of a public authority, with its whole chain.",
    )
  return days < RENEWAL_DAYS
    ? warning(`The certificate ends in ${days} days.`, "Check that its renewal works.")
    : ok(`The certificate is valid for ${days} days.`)
}

/** Seconds by which clocks may differ: signatures of webhooks and links end. */
const MOST_SKEW = 60

/** Times in milliseconds since the epoch; a header Date has seconds. */
export const judgeClock = (theirs: number, ours: number): Verdict => {
  const skew = Math.round((theirs - ours) / 1000)
  return Math.abs(skew) <= MOST_SKEW
    ? ok("The clocks agree.")
    : problem(
        `The clock of the service is ${Math.abs(skew)} s ${skew > 0 ? "ahead of" : "behind"} yours.`,
        "Run NTP on both machines.",
      )
}
