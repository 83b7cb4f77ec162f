/** Counts the bytes that accounts hold in memory: each within its share, and all within a total. */
import type { AccountId } from "@mailroom/domain"

export interface ByteSharesTerms {
  readonly perAccount: number
  readonly total: number
}

export interface ByteShares {
  /** The bytes that the account holds. */
  readonly of: (account: AccountId) => number
  /** What `bytes` more would exceed; null: there is room. What an account, or the process, holds alone may be larger. */
  readonly exceeded: (account: AccountId, bytes: number) => "share" | "total" | null
  /** Adds bytes, or takes them away when negative. */
  readonly add: (account: AccountId, bytes: number) => void
}

export const makeByteShares = ({ perAccount, total }: ByteSharesTerms): ByteShares => {
  const held = new Map<AccountId, number>()
  let all = 0
  const of = (account: AccountId): number => held.get(account) ?? 0
  return {
    of,
    exceeded: (account, bytes) => {
      const own = of(account)
      if (own > 0 && own + bytes > perAccount) return "share"
      return all > 0 && all + bytes > total ? "total" : null
    },
    add: (account, bytes) => {
      all += bytes
      const own = of(account) + bytes
      if (own === 0) held.delete(account)
      else held.set(account, own)
    },
  }
}
