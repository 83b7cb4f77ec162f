/** The name that a checkout has at the payment provider (docs/decisions/0018). */
import type { Vault } from "../ports/Crypto.js"

type Signatures = Pick<typeof Vault.Service, "sign" | "verify">

const PURPOSE = "checkout"

/** Grants nothing, and shows that it is a checkout of ours, also when that went with its account. */
export const checkoutName = (vault: Signatures, tokenHash: string): string =>
  `${tokenHash}-${vault.sign(PURPOSE, tokenHash)}`

/** Which checkout has the name; null when it is none of ours. */
export const checkoutNamed = (vault: Signatures, name: string): string | null => {
  const [tokenHash = "", ...signature] = name.split("-")
  return vault.verify(PURPOSE, tokenHash, signature.join("-")) ? tokenHash : null
}
