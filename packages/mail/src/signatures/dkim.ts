/** Makes DKIM signatures (RFC 6376 §5), and verifies them and ARC chains (§6, RFC 8617 §5.2), with mailauth. */
import type { SigningKey } from "@mailroom/engine"
import { arc } from "mailauth/lib/arc/index.js"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import { type Lookup, resolverOption } from "../authenticating/resolver.js"
import {
  isVerifiable,
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
  if (!isVerifiable(input)) return unverifiedResults
  const verified = await dkimVerify(input, { ...resolverOption(lookup), curTime: new Date(receivedAt) })
  // `chain` is false when the ARC sets are malformed.
  const { arc: links } = verified
  const chain =
    links === undefined
      ? null
      : await arc({ ...links, chain: links.chain === false ? [] : links.chain }, resolverOption(lookup))
  return {
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

/** The fields that RFC 6376 §5.4.1 recommends, Auto-Submitted, and what one-click unsubscribing needs (RFC 8058 §4). */
const SIGNED_FIELDS = [
  "From",
  "Sender",
  "Reply-To",
  "To",
  "Cc",
  "Subject",
  "Date",
  "Message-ID",
  "In-Reply-To",
  "References",
  "MIME-Version",
  "Content-Type",
  "Content-Transfer-Encoding",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "Auto-Submitted",
].join(":")

/** mailauth takes the names as one string; its types say otherwise. */
const headerList: object = { headerList: SIGNED_FIELDS }

/** The DKIM-Signature field, with its line end. */
export const signatureField = async (
  raw: Uint8Array,
  { domain, selector, privateKey }: SigningKey,
  signedAt: number,
): Promise<string> => {
  const key = { signingDomain: domain, selector, privateKey }
  const { signatures, errors } = await dkimSign(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), {
    ...key,
    signatureData: [key],
    canonicalization: "relaxed/relaxed",
    algorithm: "rsa-sha256",
    signTime: new Date(signedAt),
    ...headerList,
  })
  const [failure] = errors ?? []
  if (failure !== undefined) throw new Error("the mail cannot be signed", { cause: failure })
  return signatures
}
