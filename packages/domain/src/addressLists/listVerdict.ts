/** What the lists of an account and a mailbox say about an address (spec: senders.lists.specific). */
import { LIST_WILDCARD_LABELS_MAX } from "../limits.js"
import { domainOf, normalizeAddress, withoutTag } from "../mailboxes/address.js"
import { plainAddressOf } from "../mailboxes/plainAddress.js"
import type { ListKind } from "./AddressList.js"

/** An entry as the verdict needs it. `owner`: whose list it is on. */
export interface ListedEntry {
  readonly owner: "mailbox" | "account"
  readonly kind: ListKind
  readonly entry: string
}

/** `none`: no entry matches. */
export type ListVerdict = ListKind | "none"

/** An envelope sender may write the address in another way than an entry does. */
const comparedAddress = (address: string): string => normalizeAddress(plainAddressOf(address))

/**
 * The entries that match an address, the most specific first: the address, then without its tag, its domain, then the parent
 * domains as wildcards, the longest first. None for text that is no address.
 */
export const entriesFor = (address: string): ReadonlyArray<string> => {
  const normalized = comparedAddress(address)
  if (!normalized.includes("@")) return []
  const domain = domainOf(normalized)
  const [, ...above] = domain.split(".")
  // The last labels alone: a domain of thousands has as many parents, each as long.
  const last = above.slice(-LIST_WILDCARD_LABELS_MAX)
  return [
    ...new Set([normalized, withoutTag(normalized)]),
    `@${domain}`,
    ...last.map((_, index) => `@*.${last.slice(index).join(".")}`),
  ]
}

/**
 * The verdict on an address. The most specific entry decides: one of the mailbox before one of the account, then an address
 * before a domain before a wildcard, then the longer wildcard. Of two entries of the same rank `block` decides. An address
 * with a tag is blocked by an entry without it, or anybody could write around a block; it is not allowed by one.
 */
export const listVerdict = (entries: ReadonlyArray<ListedEntry>, address: string): ListVerdict => {
  if (entries.length === 0) return "none"
  const matching = entriesFor(address)
  const normalized = comparedAddress(address)
  const isUntagged = (text: string) => text !== normalized && text === withoutTag(normalized)
  for (const owner of ["mailbox", "account"] as const)
    for (const text of matching) {
      const found = entries.filter(
        ({ owner: of, entry, kind }) =>
          of === owner && entry === text && (kind === "block" || !isUntagged(text)),
      )
      if (found.length > 0) return found.some(({ kind }) => kind === "block") ? "block" : "allow"
    }
  return "none"
}

/**
 * The verdict on the sender of a received mail. The From address and the envelope sender are judged each by itself, and one
 * that is blocked blocks the mail. An allow entry counts only for a From address whose domain is proven: anybody can write
 * an allowed address into a From header. `envelopeFrom` is empty for the null return path, which nothing blocks.
 */
export const senderVerdict = (
  entries: ReadonlyArray<ListedEntry>,
  sender: { readonly from: string; readonly isProven: boolean; readonly envelopeFrom: string },
): ListVerdict => {
  const counted = sender.isProven ? entries : entries.filter(({ kind }) => kind === "block")
  const verdict = listVerdict(counted, sender.from)
  return listVerdict(entries, sender.envelopeFrom) === "block" ? "block" : verdict
}
