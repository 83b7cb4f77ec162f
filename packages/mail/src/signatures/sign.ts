/** Makes DKIM signatures with mailauth (RFC 6376 §5). */
import type { SigningKey } from "@mailroom/engine"
import { dkimSign } from "mailauth/lib/dkim/sign.js"

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
