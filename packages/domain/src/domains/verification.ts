/** The states of a custom domain and what changes them (docs/decisions/0015). */
import {
  DOMAIN_CHECK_INTERVAL,
  DOMAIN_CHECK_JITTER,
  DOMAIN_FAILS_AFTER,
  DOMAIN_RECHECK_INTERVAL,
  DOMAIN_RECHECKS_FOR,
} from "../limits.js"
import type { Instant } from "../time.js"
import type { DomainRecord, RecordStates } from "./Domain.js"

export interface Check {
  readonly now: Instant
  /** states of the records; `unavailable` when a name server did not answer, which changes nothing */
  readonly found: RecordStates | "unavailable"
  /** whether the record of the next key was found */
  readonly nextKeyFound: boolean
  /** whether another account has the domain VERIFIED */
  readonly taken: boolean
  /** uniform in [0, 1) */
  readonly jitter: number
}

/** DMARC is recommended, not required. */
const isRight = ({ mxState, spfState, dkimState }: RecordStates): boolean =>
  mxState === "VALID" && spfState === "VALID" && dkimState === "VALID"

const hasChanged = (before: DomainRecord, after: DomainRecord): boolean =>
  before.status !== after.status ||
  before.dkimSelector !== after.dkimSelector ||
  before.mxState !== after.mxState ||
  before.spfState !== after.spfState ||
  before.dkimState !== after.dkimState ||
  before.dmarcState !== after.dmarcState

/** The domain after its next key takes over signing, once the record is published. */
const rotated = (domain: DomainRecord): DomainRecord =>
  domain.nextDkimSelector === null || domain.nextDkimPublicKey === null || domain.nextSealedDkimKey === null
    ? domain
    : {
        ...domain,
        dkimSelector: domain.nextDkimSelector,
        dkimPublicKey: domain.nextDkimPublicKey,
        sealedDkimKey: domain.nextSealedDkimKey,
        nextDkimSelector: null,
        nextDkimPublicKey: null,
        nextSealedDkimKey: null,
      }

const judged = (
  before: DomainRecord,
  states: RecordStates,
  { now, taken, nextKeyFound }: Check,
): DomainRecord => {
  const domain = nextKeyFound ? rotated(before) : before
  const found: RecordStates = nextKeyFound ? { ...states, dkimState: "VALID" } : states
  if (isRight(found) && !taken) return { ...domain, ...found, status: "VERIFIED", wrongSince: null }
  const wrongSince = domain.wrongSince ?? now
  const isOver = now - wrongSince >= DOMAIN_FAILS_AFTER
  return { ...domain, ...found, wrongSince, status: isOver ? "FAILED" : domain.status }
}

/** The interval minus up to a tenth, so that domains that are due together spread out. */
const spread = (interval: number, jitter: number): number =>
  Math.round(interval * (1 - DOMAIN_CHECK_JITTER * jitter))

/** Time of the next check; null when the domain has FAILED for so long that only its owner starts checks. */
export const nextCheckAt = (
  { status, wrongSince }: Pick<DomainRecord, "status" | "wrongSince">,
  jitter: number,
  now: Instant,
): Instant | null => {
  if (status !== "FAILED" || wrongSince === null) return now + spread(DOMAIN_CHECK_INTERVAL, jitter)
  const at = now + spread(DOMAIN_RECHECK_INTERVAL, jitter)
  return at <= wrongSince + DOMAIN_FAILS_AFTER + DOMAIN_RECHECKS_FOR ? at : null
}

/**
 * The domain after a check. VERIFIED as soon as all required records are correct; FAILED when no check found
 * them correct for 72 hours, counted from creation or from the first check that found them wrong.
 */
export const afterCheck = (domain: DomainRecord, check: Check): DomainRecord => {
  const { found, jitter, now } = check
  const after = found === "unavailable" ? domain : judged(domain, found, check)
  return {
    ...after,
    nextCheckAt: nextCheckAt(after, jitter, now),
    updatedAt: hasChanged(domain, after) ? now : domain.updatedAt,
  }
}
