/**
 * Segments of the search index: the messages of an account in the order of time, some 4,000 in each. A search reads the
 * newest segment first and stops when its page is full, so a frequent word costs the same in any amount of mail
 * (docs/decisions/0061).
 */
import type { Instant } from "../time.js"

/** Messages of a segment. Late messages may make a segment longer. */
export const SEGMENT_MESSAGES = 4096
/** Messages above a place in a full segment that are indexed again, so that the segment ends there (`cutsFor`). */
export const SEGMENT_CUT_MAX = 500

/** The messages created from `startsAt` up to the start of the next segment. */
export interface SearchSegment {
  /** created at or before its oldest message, and after every message of the segment before it */
  readonly startsAt: Instant
  readonly newestAt: Instant
  /** messages that were ever added */
  readonly messages: number
}

/** A segment after messages were added. `existing`: null for a new one. */
export interface FilledSegment<S extends SearchSegment> extends SearchSegment {
  readonly existing: S | null
}

interface Filling<S extends SearchSegment> {
  readonly existing: S | null
  startsAt: Instant
  newestAt: Instant
  messages: number
}

/** The segment in which a time is, or after which it comes; null: before all. */
const segmentBelow = <S extends SearchSegment>(existing: ReadonlyArray<S>, at: Instant): S | null =>
  existing.findLast(({ startsAt }) => startsAt <= at) ?? null

/** The segments after which messages of these times come, or null for before all, and the earliest of these times. */
export const gapsOf = <S extends SearchSegment>(
  existing: ReadonlyArray<S>,
  times: ReadonlyArray<Instant>,
): ReadonlyMap<S | null, Instant> => {
  const gaps = new Map<S | null, Instant>()
  for (const at of times) {
    const below = segmentBelow(existing, at)
    if (below === null || at > below.newestAt) gaps.set(below, Math.min(at, gaps.get(below) ?? at))
  }
  return gaps
}

/**
 * The full segments in which messages of these times are, and the earliest of these times. Where few messages of the segment
 * are newer, as when an archive is imported from its beginning after some mail has come, these leave the segment and are
 * indexed again: it would take in the whole archive.
 */
export const cutsFor = <S extends SearchSegment>(
  existing: ReadonlyArray<S>,
  times: ReadonlyArray<Instant>,
): ReadonlyMap<S, Instant> => {
  const cuts = new Map<S, Instant>()
  for (const at of times) {
    const below = segmentBelow(existing, at)
    if (below !== null && at < below.newestAt && below.messages >= SEGMENT_MESSAGES)
      cuts.set(below, Math.min(at, cuts.get(below) ?? at))
  }
  return cuts
}

/**
 * Chooses the segment of each new message of an account by its time of creation. `existing` are all segments of the account,
 * in the order of their start. Returns the segments that changed or are new, and for each time the index of its segment
 * among them.
 *
 * Mail that is newer than all other fills the newest segment, and begins another when that is full. The indexer takes the
 * newest mail first, so older mail often follows: it fills the segment above it downwards, and begins another when that is full.
 * `descending`: the segments after which such mail is waiting, older than these times; null: before all. Without it mail between
 * two segments fills the lower one upwards, as an archive that is imported from its beginning does.
 */
export const placeInSegments = <S extends SearchSegment>(
  existing: ReadonlyArray<S>,
  times: ReadonlyArray<Instant>,
  descending: ReadonlySet<S | null> = new Set(),
): { readonly changed: ReadonlyArray<FilledSegment<S>>; readonly places: ReadonlyArray<number> } => {
  const segments: Array<Filling<S>> = existing.map((segment) => ({
    existing: segment,
    startsAt: segment.startsAt,
    newestAt: segment.newestAt,
    messages: segment.messages,
  }))
  const begin = (at: Instant): Filling<S> => ({ existing: null, startsAt: at, newestAt: at, messages: 0 })

  const segmentFor = (at: Instant): Filling<S> => {
    const index = segments.findLastIndex(({ startsAt }) => startsAt <= at)
    const below = segments[index]
    const above = segments[index + 1]
    if (below !== undefined && at <= below.newestAt) return below
    const canGrow = (segment: Filling<S> | undefined, isWanted: (segment: Filling<S>) => boolean) =>
      segment !== undefined && segment.messages < SEGMENT_MESSAGES && isWanted(segment) ? segment : undefined
    const isNew = (segment: Filling<S>) => segment.existing === null
    // A segment that is extended downwards may have to be cut.
    const isShort = (segment: Filling<S>) => below === undefined && segment.messages <= SEGMENT_CUT_MAX
    const next = descending.has(segmentBelow(existing, at))
      ? (canGrow(above, () => true) ?? canGrow(below, isNew))
      : (canGrow(below, () => true) ?? canGrow(above, (segment) => isNew(segment) || isShort(segment)))
    if (next !== undefined) return next
    const made = begin(at)
    segments.splice(index + 1, 0, made)
    return made
  }

  const newestBefore = segments.at(-1)?.newestAt ?? Infinity
  const order = times.map((at, index) => ({ at, index }))
  // Away from the messages that are there: new mail upwards, other mail downwards.
  const placing = [
    ...order.filter(({ at }) => at > newestBefore).sort((a, b) => a.at - b.at),
    ...order.filter(({ at }) => at <= newestBefore).sort((a, b) => b.at - a.at),
  ]
  const chosen = new Map<number, Filling<S>>()
  for (const { at, index } of placing) {
    const segment = segmentFor(at)
    segment.startsAt = Math.min(segment.startsAt, at)
    segment.newestAt = Math.max(segment.newestAt, at)
    segment.messages += 1
    chosen.set(index, segment)
  }
  const changed = [...new Set(chosen.values())]
  const positions = new Map(changed.map((segment, index) => [segment, index]))
  return {
    changed,
    places: times.map((_, index) => {
      const segment = chosen.get(index)
      return segment === undefined ? 0 : (positions.get(segment) ?? 0)
    }),
  }
}
