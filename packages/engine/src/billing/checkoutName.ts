/** The name that a checkout has at the payment provider, and the token in its link (docs/decisions/0018). */
import type { CheckoutRecord } from "@mailroom/domain"
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

const LINK_PURPOSE = "checkout link"

/**
 * The token in the link of a checkout. It is signed instead of drawn, so that the link of an open checkout can be handed
 * out again although only its hash is stored. `reference`: what the account paid under before, so that a checkout from
 * before a purchase is not handed out after it.
 */
export const checkoutToken = (
  vault: Signatures & Pick<typeof Vault.Service, "digest">,
  checkout: Pick<CheckoutRecord, "accountId" | "plan" | "period" | "expiresAt"> & {
    readonly reference: string | null
  },
): string => {
  const { accountId, plan, period, expiresAt, reference } = checkout
  const terms = JSON.stringify([accountId, plan, period, expiresAt, reference])
  // 64 hex digits, as every token in a link.
  return vault.digest(vault.sign(LINK_PURPOSE, terms))
}
