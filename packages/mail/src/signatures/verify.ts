/** Verifies DKIM signatures and ARC chains with mailauth (RFC 6376 §6, RFC 8617 §5.2). */
import { arc } from "mailauth/lib/arc/index.js"
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import { type Lookup, resolverOption } from "../authenticating/resolver.js"
import {
  exceedsVerification,
  type SignatureResult,
  type SignatureResults,
  unverifiedResults,
} from "../authenticating/signatureHeaders.js"

type Verified = Awaited<ReturnType<typeof dkimVerify>>["results"][number]

/** A property that mailauth's types leave out. */
const at = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined

/**
 * The result by the standards, which are stricter than mailauth. A wrong body hash is `fail` (RFC 6376 §6.1.3); a
 * signature that does not cover From is `permerror` (§5.4, §6.1.1). `policy`: one that leaves the end of the body unsigned
 * (`l=`, §8.2) or uses SHA-1 (RFC 8301 §3.1).
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

/** Keys and signatures count as of `receivedAt` (milliseconds): a signature may have expired since. */
export const verifySignatures = async (
  raw: Uint8Array,
  receivedAt: number,
  lookup: Lookup,
): Promise<SignatureResults> => {
  const input = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  if (exceedsVerification(input)) return unverifiedResults(input)
  const verified = await dkimVerify(input, { ...resolverOption(lookup), curTime: new Date(receivedAt) })
  // `chain` is false when the ARC sets are malformed.
  const { arc: links } = verified
  const chain =
    links === undefined
      ? null
      : await arc({ ...links, chain: links.chain === false ? [] : links.chain }, resolverOption(lookup))
  return {
    from: verified.headerFrom,
    // mailauth gives an unsigned mail one result, `none`.
    dkim: verified.results
      .filter(({ status }) => status.result !== "none")
      .map((signature): SignatureResult => ({
        result: resultOf(signature),
        domain: signature.signingDomain.toLowerCase(),
      })),
    arc: chain === null || chain.status.result === "none" ? null : chain.status.result,
  }
}
