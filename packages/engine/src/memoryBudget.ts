/** Bounds the bytes that a use case has in memory at the same time, and shares them among accounts. */
import type { AccountId, Overloaded } from "@mailroom/domain"
import type { Effect } from "effect"
import { makeFairSemaphore } from "./workers/fairSemaphore.js"

export interface MemoryBudgetTerms {
  readonly totalBytes: number
  /** what one account holds, unless it is a single mail */
  readonly accountBytes: number
  /** what is counted: a size is rounded up to such parts */
  readonly partBytes: number
}

/** Runs an effect that has `sizeBytes` in memory, at most the total. */
export type DuringBudget = <A, E, R>(
  account: AccountId,
  sizeBytes: number,
  work: Effect.Effect<A, E, R>,
) => Effect.Effect<A, E | Overloaded, R>

/** Calls that may wait, in all and of one account. Each waits with its bytes in the blob store, or few in memory. */
const WAITING = { waitingMax: 1024, waitingPerGroup: 256, retryAfter: 10 }

/** Work waits until its bytes are free; the accounts that wait take turns. Fails with `Overloaded` when too many calls wait. */
export const makeMemoryBudget = ({
  totalBytes,
  accountBytes,
  partBytes,
}: MemoryBudgetTerms): DuringBudget => {
  const withParts = makeFairSemaphore({
    permits: totalBytes / partBytes,
    perGroup: accountBytes / partBytes,
    ...WAITING,
  })
  return (account, sizeBytes, work) => withParts(account, work, Math.max(1, Math.ceil(sizeBytes / partBytes)))
}
