/** What the tracks of a process claim next: less of the backlog while other tenants have mail (docs/decisions/0046). */
import { type BatchLimits, type Instant, SECOND } from "@mailroom/domain"
import type { ClaimTerms } from "../ports/stores/RawMailStore.js"
import type { ActiveBatches } from "./activeBatches.js"
import { BACKLOG, BESIDE_OTHERS, PROMPT, SLOW, type Track } from "./tracks.js"

export interface TrackClaimTerms {
  /**
   * The lane and limits of a track's next batch, and the tenants whose mail it leaves in the queue. `PROMPT` leaves the mail of
   * tenants with an active batch of `BACKLOG`: it would wait until that batch is written, and delay the rest of its own
   * batch. `SLOW` takes one mail of a tenant at a time. `BACKLOG` leaves none.
   */
  readonly next: (track: Track, now: Instant) => Pick<ClaimTerms, "lane" | "limits" | "except">
  /** Whether `PROMPT` claimed mail of other tenants than those of the last batch of `BACKLOG` within a second. */
  readonly hasOthers: (now: Instant) => boolean
  /** Records the tenants of a batch that a track claimed, and the number of its mails. */
  readonly record: (track: Track, tenants: ReadonlyArray<string>, mails: number, now: Instant) => void
}

export const makeTrackClaimTerms = (active: ActiveBatches): TrackClaimTerms => {
  /** The tenants of the last batch of `BACKLOG`. */
  let backlogTenants: ReadonlySet<string> = new Set()
  /** When `PROMPT` last claimed mail of a tenant outside `backlogTenants`. */
  let othersSeenAt: Instant = 0
  /** The mails of that claim. */
  let othersSeen = 0

  const hasOthers = (now: Instant): boolean => now - othersSeenAt < SECOND
  const besideOthers = (): BatchLimits => ({
    ...BESIDE_OTHERS,
    mails: Math.max(BESIDE_OTHERS.mails, othersSeen),
  })

  return {
    hasOthers,
    next: (track, now) => {
      const { lane, limits } = track
      if (track === BACKLOG) return { lane, limits: hasOthers(now) ? besideOthers() : limits, except: [] }
      return { lane, limits, except: active.excludeTenantsOf(track === PROMPT ? BACKLOG : SLOW) }
    },
    record: (track, tenants, mails, now) => {
      if (track === BACKLOG && tenants.length > 0) backlogTenants = new Set(tenants)
      if (track === PROMPT && tenants.some((tenant) => !backlogTenants.has(tenant))) {
        othersSeenAt = now
        othersSeen = mails
      }
    },
  }
}
