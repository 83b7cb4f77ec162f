/** A checkout's name at the payment provider, and the token of its link (docs/decisions/0018). */
import { AccountId, type CheckoutRecord } from "@mailroom/domain"
import type { Vault } from "../ports/Crypto.js"

type Signatures = Pick<typeof Vault.Service, "sign" | "verify">

const PURPOSE = "checkout"

export interface NamedCheckout {
  readonly tokenHash: string
  /** null in a name that an earlier version gave */
  readonly accountId: AccountId | null
}

/**
 * Proves that the checkout is one of this service and of this account, even after the checkout was deleted with its
 * account, or when a restored database does not have it. Grants no access. Stripe takes 200 letters, digits, `-` and `_`.
 */
export const checkoutName = (
  vault: Signatures,
  { tokenHash, accountId }: Pick<CheckoutRecord, "tokenHash" | "accountId">,
): string => {
  const signed = `${tokenHash}_${accountId}`
  return `${signed}-${vault.sign(PURPOSE, signed)}`
}

const NAME = /^(([0-9a-f]{64})(?:_([0-9a-f-]{36}))?)-(.+)$/

/** The checkout with this name; null when the name is not signed by this service. */
export const checkoutNamed = (vault: Signatures, name: string): NamedCheckout | null => {
  const [, signed = "", tokenHash = "", accountId, signature = ""] = NAME.exec(name) ?? []
  if (!vault.verify(PURPOSE, signed, signature)) return null
  return { tokenHash, accountId: accountId === undefined ? null : AccountId.make(accountId) }
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
