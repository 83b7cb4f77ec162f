/** DKIM and ARC of a mail with mailauth (RFC 6376, RFC 8617). */
import { arc } from "mailauth/lib/arc/index.js"
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import type { SignatureFinding, SignatureFindings } from "../authenticating/findings.js"
import type { Ask } from "../authenticating/questions.js"
import { tooMuch } from "../authenticating/glance.js"
import { resolving } from "../authenticating/resolver.js"

type Verified = Awaited<ReturnType<typeof dkimVerify>>["results"][number]

/** Fields that mailauth's types leave out. */
const at = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined

/**
 * What mailauth is more lenient about than the standards. A signature whose hash is not that of the body failed
 * (RFC 6376 §6.1.3). One that does not sign From is none (§5.4, §6.1.1). One that leaves a part of the body to whoever
 * likes to add it (§8.2), or was made with SHA-1 (RFC 8301 §3.1), proves nothing.
 */
const resultOf = (signature: Verified): string => {
  const { status } = signature
  if (status.comment === "body hash did not verify") return "fail"
  if (status.result !== "pass") return status.result
  if (!/(?:^|:)\s*from\s*(?::|$)/i.test(String(at(at(signature, "signingHeaders"), "keys"))))
    return "permerror"
  return Number(at(status, "underSized") ?? 0) > 0 || /sha1$/i.test(String(at(signature, "algo")))
    ? "policy"
    : "pass"
}

/** Nobody who wants to be believed has a longer header, and the library takes too long for it. */
const HEADER_MAX_BYTES = 64 * 1024

/** Signatures that are looked at; nobody signs more often, and each costs a question and a computation. */
const SIGNATURES_MAX = 10

/** Looks at no less than the library takes for the header. */
const isTooMuch = (raw: Buffer): boolean => {
  const end = raw.subarray(0, HEADER_MAX_BYTES).indexOf("\r\n\r\n")
  if (end === -1 && raw.length > HEADER_MAX_BYTES) return true
  const header = raw.toString("latin1", 0, end === -1 ? raw.length : end)
  return [...header.matchAll(/^(?:dkim-signature|arc-seal)[ \t]*:/gim)].length > SIGNATURES_MAX
}

/** As of `receivedAt`. */
export const verifySignatures = async (
  raw: Uint8Array,
  receivedAt: number,
  ask: Ask,
): Promise<SignatureFindings> => {
  const input = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  if (isTooMuch(input)) return tooMuch(input)
  const verified = await dkimVerify(input, { ...resolving(ask), curTime: new Date(receivedAt) })
  // A chain that is broken has an error instead of its links.
  const { arc: links } = verified
  const chain =
    links === undefined
      ? null
      : await arc({ ...links, chain: links.chain === false ? [] : links.chain }, resolving(ask))
  return {
    from: verified.headerFrom,
    // Without any signature there is one result that says so.
    dkim: verified.results
      .filter(({ status }) => status.result !== "none")
      .map((one): SignatureFinding => ({ result: resultOf(one), domain: one.signingDomain.toLowerCase() })),
    arc: chain === null || chain.status.result === "none" ? null : chain.status.result,
  }
}
