/**
 * The order of the inbound queue among tenants: start-time fair queueing. Each mail gets a turn, a point in time. A
 * tenant that sends within its share gets the present; every mail beyond the share moves its turns into the future,
 * so that a tenant's flood waits behind the mail of all others and never ahead of it.
 */
import { normalizeAddress } from "../mailboxes/address.js"
import { SECOND } from "../durations.js"
import type { Instant } from "../time.js"

/** Milliseconds of turn that one mail costs, whatever its size: a tenant's share is 50 mails a second. */
const COST_OF_A_MAIL = 20
/** Bytes that cost one millisecond of turn: a tenant's share is 10 MB a second. */
const BYTES_A_MILLISECOND = 10 * 1024
/** Milliseconds that a turn may lie in the future: the longest that mail of others overtakes a tenant's flood. */
const TURN_AHEAD_MAX = 30 * SECOND
/** Milliseconds by which a mail whose parsing took too long moves back: other tenants' slow mail comes first. */
export const SLOW_MAIL_PENALTY = 10 * SECOND

/**
 * Work (bytes, times recipients) above which a mail is delivered in the slow lane: it may take as long as hundreds of
 * others.
 */
export const LARGE_MAIL_BYTES = 1024 * 1024

/** Which workers deliver a mail: `fast` in batches, `slow` one at a time, beside them. */
export type Lane = "fast" | "slow"

export const laneOf = (workBytes: number): Lane => (workBytes > LARGE_MAIL_BYTES ? "slow" : "fast")

/** The tenant of a mail in the queue: the domain of its first recipient, which belongs to one account. */
export const tenantOf = (recipients: ReadonlyArray<string>): string => {
  const [first = ""] = recipients
  return normalizeAddress(first.slice(first.lastIndexOf("@") + 1))
}

/** A tenant's next turn, and the earliest time of the turn after it. */
export interface Turn {
  readonly at: Instant
  readonly nextFrom: Instant
}

/** Milliseconds of turn that a mail costs its tenant. */
const costOf = (workBytes: number): number => COST_OF_A_MAIL + Math.floor(workBytes / BYTES_A_MILLISECOND)

/** `from` is `nextFrom` of the tenant's last turn; 0 before the first. */
export const nextTurn = (from: Instant, now: Instant, workBytes: number): Turn => {
  const at = Math.min(now + TURN_AHEAD_MAX, Math.max(now, from))
  return { at, nextFrom: at + costOf(workBytes) }
}

/**
 * Merges the mail of tenants: takes one mail at a time, from the tenant whose mails so far cost least, and of equals from the
 * tenant that comes first in `entries`. So all first mails come first. The mail of a tenant keeps its order.
 */
export const mergeTenants = <E extends { readonly tenant: string; readonly workBytes: number }>(
  entries: ReadonlyArray<E>,
): ReadonlyArray<E> => {
  const costs = new Map<string, number>()
  return entries
    .map((entry) => {
      const before = costs.get(entry.tenant) ?? 0
      costs.set(entry.tenant, before + costOf(entry.workBytes))
      return { entry, before }
    })
    .sort((one, other) => one.before - other.before)
    .map(({ entry }) => entry)
}
