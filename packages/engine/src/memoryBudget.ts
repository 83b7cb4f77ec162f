/** Bounds the bytes that a use case has in memory at the same time, and shares them among accounts. */
import type { AccountId, Overloaded } from "@mailroom/domain"
import type { Effect } from "effect"
import { makeFairSemaphore } from "./workers/fairSemaphore.js"

/** Runs an effect that has `sizeBytes` in memory, at most the total. */
export type DuringBudget = <A, E, R>(
  account: AccountId,
  sizeBytes: number,
  work: Effect.Effect<A, E, R>,
) => Effect.Effect<A, E | Overloaded, R>

/** Calls that may wait, in all and of one account. Each waits with its bytes in the blob store, or few in memory. */
const WAITING = { waitingMax: 1024, waitingPerGroup: 256, retryAfter: 10 }

/**
 * Makes a budget of `totalBytes`, counted in parts of `partBytes`. Work waits until its bytes are free. The accounts that wait
 * take turns, and one account holds half, unless it is for a single mail. Fails with `Overloaded` when too many calls wait.
 */
export const makeMemoryBudget = (totalBytes: number, partBytes: number): DuringBudget => {
  const permits = totalBytes / partBytes
  const withParts = makeFairSemaphore({ permits, perGroup: permits / 2, ...WAITING })
  return (account, sizeBytes, work) => withParts(account, work, Math.max(1, Math.ceil(sizeBytes / partBytes)))
}
