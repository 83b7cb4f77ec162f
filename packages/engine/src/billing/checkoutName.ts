/** A checkout's name at the payment provider, and the token of its link (docs/decisions/0018). */
import type { CheckoutRecord } from "@mailroom/domain"
import type { Vault } from "../ports/Crypto.js"

type Signatures = Pick<typeof Vault.Service, "sign" | "verify">

const PURPOSE = "checkout"

/**
 * Proves that the checkout is one of this service, even after the checkout was deleted with its account. Grants no
 * access.
 */
export const checkoutName = (vault: Signatures, tokenHash: string): string =>
  `${tokenHash}-${vault.sign(PURPOSE, tokenHash)}`

/** The token hash of the checkout with this name; null when the name is not signed by this service. */
export const checkoutNamed = (vault: Signatures, name: string): string | null => {
  const [tokenHash = "", ...signature] = name.split("-")
  return vault.verify(PURPOSE, tokenHash, signature.join("-")) ? tokenHash : null
}

const LINK_PURPOSE = "checkout link"

/**
 * The token in the link of a checkout. It is computed from the terms instead of random, so that the link of an open
 * checkout can be returned again although only its hash is stored. `reference`: the account's previous subscription, so
 * that a checkout created before a purchase is not returned after it.
 */
export const checkoutToken = (
  vault: Signatures & Pick<typeof Vault.Service, "digest">,
  checkout: Pick<CheckoutRecord, "accountId" | "plan" | "period" | "expiresAt"> & {
    readonly reference: string | null
  },
): string => {
  const { accountId, plan, period, expiresAt, reference } = checkout
  const terms = JSON.stringify([accountId, plan, period, expiresAt, reference])
  // 64 hex digits, like every other token in a link.
  return vault.digest(vault.sign(LINK_PURPOSE, terms))
}
