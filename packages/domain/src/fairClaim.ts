/** Fair sharing of a process's slots among accounts, for work that may wait for a webhook receiver or a name server. */
import type { AccountId } from "./ids.js"

export interface FairClaim {
  /** maximal amount of work to claim */
  readonly limit: number
  /** accounts that get no more slots now */
  readonly except: ReadonlyArray<AccountId>
}

/**
 * The next claim, given the work of each account in flight in `places` slots. An account that holds as many slots as are
 * free gets no more, and one claim takes half of the free slots (dynamic thresholds, as in switch memory). So a single
 * account holds at most half of the slots, n busy accounts hold 1/(n+1) each, and the rest is free for other accounts.
 */
export const fairClaim = (inFlight: ReadonlyMap<AccountId, number>, places: number): FairClaim => {
  const taken = [...inFlight.values()].reduce((sum, count) => sum + count, 0)
  const free = Math.max(0, places - taken)
  return {
    limit: Math.ceil(free / 2),
    except: [...inFlight].filter(([, count]) => count >= free).map(([account]) => account),
  }
}
