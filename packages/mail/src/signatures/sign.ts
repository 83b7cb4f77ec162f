/** A DKIM signature on a mail with mailauth (RFC 6376 §5). */
import type { SigningKey } from "@mailroom/engine"
import { dkimSign } from "mailauth/lib/dkim/sign.js"

/** Beside what every signer signs, what says how the mail came about and how to get no more of it (RFC 8058 §4). */
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

/** mailauth takes the names as one text, whatever its types say. */
const headerList: object = { headerList: SIGNED_FIELDS }

/** The field that goes in front of the mail, with its line end. */
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
