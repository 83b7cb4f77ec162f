/** DKIM and ARC of a mail with mailauth (RFC 6376, RFC 8617). */
import { arc } from "mailauth/lib/arc/index.js"
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import type { SignatureFinding, SignatureFindings } from "../authenticating/findings.js"
import { type Ask, resolverFor } from "../authenticating/resolver.js"

type Verified = Awaited<ReturnType<typeof dkimVerify>>["results"][number]

/**
 * A signature whose hash is not that of the body failed (RFC 6376 §6.1.3), which mailauth calls neutral; one that leaves
 * a part of the body to whoever likes to add it proves nothing (§8.2).
 */
const findingOf = ({ signingDomain, status }: Verified): SignatureFinding => {
  const result =
    status.comment === "body hash did not verify"
      ? "fail"
      : status.result === "pass" && status.underSized === true
        ? "policy"
        : status.result
  return { result, domain: signingDomain.toLowerCase() }
}

export const verifySignatures = async (raw: Uint8Array, ask: Ask): Promise<SignatureFindings> => {
  const resolver = resolverFor(ask)
  const input = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const verified = await dkimVerify(input, { resolver })
  // A chain that is broken has an error instead of its links.
  const { arc: links } = verified
  const chain =
    links === undefined
      ? null
      : await arc({ ...links, chain: links.chain === false ? [] : links.chain }, { resolver })
  return {
    from: verified.headerFrom,
    // Without any signature there is one result that says so.
    dkim: verified.results.filter(({ status }) => status.result !== "none").map(findingOf),
    arc: chain === null || chain.status.result === "none" ? null : chain.status.result,
  }
}
