/** How accounts share the places of a process for work that may wait for somebody else: a receiver, a name server. */
import type { AccountId } from "./ids.js"

export interface FairClaim {
  /** how much work to claim at most */
  readonly limit: number
  /** accounts whose work is not claimed now */
  readonly except: ReadonlyArray<AccountId>
}

/**
 * What to claim when so much work of each account is in flight in `places` places. An account that holds as many places as
 * are free gets no more, and one claim takes half of the free places (dynamic thresholds, as switches share their memory).
 * So an account that is alone may hold half of the places, n accounts that flood come to hold an n+1-th part each, and the
 * last part is free for an account that had no work until now.
 */
export const fairClaim = (inFlight: ReadonlyMap<AccountId, number>, places: number): FairClaim => {
  const taken = [...inFlight.values()].reduce((sum, count) => sum + count, 0)
  const free = Math.max(0, places - taken)
  return {
    limit: Math.ceil(free / 2),
    except: [...inFlight].filter(([, count]) => count >= free).map(([account]) => account),
  }
}
