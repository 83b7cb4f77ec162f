/** The states of a draft, and how it changes from one to another (docs/specification/drafts.md). */
import { Either } from "effect"
import { InvalidInput } from "../errors.js"
import { ENDED_DRAFT_KEPT_FOR, SCHEDULE_MAX_AHEAD, SCHEDULED_SEND_DELAYS } from "../limits.js"
import { DAY, HOUR } from "../durations.js"
import type { SendAuthor } from "../threads/takeover.js"
import { type Instant, instantOf } from "../time.js"
import type { DraftError, DraftRecord, HoldReason } from "./Draft.js"

/** The time of a `sendAt`. `InvalidInput` for one that has passed, or is more than 90 days ahead. */
export const scheduledAt = (sendAt: string, now: Instant): Either.Either<Instant, InvalidInput> => {
  const at = instantOf(sendAt)
  if (at > now && at <= now + SCHEDULE_MAX_AHEAD) return Either.right(at)
  const message =
    at <= now ? "must be in the future" : `must be at most ${SCHEDULE_MAX_AHEAD / DAY} days ahead`
  return Either.left(new InvalidInput({ issues: [{ path: "sendAt", message }] }))
}

/**
 * What `approvedDigest` has: the digest of the content and the display name in From. The name belongs to the mailbox, and
 * the sender may change it between the approval and the send.
 */
const approvalOf = (digest: string, fromName: string | null): string =>
  fromName === null ? digest : `${digest} ${fromName}`

/** Whether a person approved what the draft contains now, under the display name `fromName`. */
export const isApproved = ({ approvedDigest, digest }: DraftRecord, fromName: string | null): boolean =>
  approvedDigest === approvalOf(digest, fromName)

/** When a draft is sent. `isDue`: its time has come. `sendAt`: it is scheduled for then; null: it is sent now. */
interface SendTime {
  readonly isDue: boolean
  readonly sendAt: Instant | null
  readonly now: Instant
}

const keepsTime = (approvedTime: Instant | null, { isDue, sendAt, now }: SendTime): boolean =>
  isDue || (sendAt === null ? approvedTime === null || approvedTime <= now : approvedTime === sendAt)

/** The draft without its approval when it is sent before the time that was approved, or scheduled for another. */
export const atItsTime = (draft: DraftRecord, time: SendTime): DraftRecord =>
  keepsTime(draft.sendAt, time) ? draft : { ...draft, approvedDigest: null, personApprovedAt: null }

/** Whether a stored draft is as it was read. */
export const isUnchanged = (stored: DraftRecord, read: DraftRecord): boolean =>
  stored.status === read.status && stored.digest === read.digest && stored.updatedAt === read.updatedAt

/** Back to a draft that nobody waits for: without schedule, review, approval and error. */
export const withdrawn = (draft: DraftRecord): DraftRecord => ({
  ...draft,
  status: "DRAFT",
  approvedDigest: null,
  personApprovedAt: null,
  byPerson: false,
  sendAt: null,
  review: null,
  error: null,
  dueAt: null,
  attempts: 0,
})

/** Sent when `sendAt` comes, or held then by a policy. An approval stays (`atItsTime`). */
export const scheduled = (draft: DraftRecord, sendAt: Instant): DraftRecord => ({
  ...draft,
  status: "SCHEDULED",
  sendAt,
  error: null,
  dueAt: sendAt,
  attempts: 0,
})

/**
 * Waits for a decision. A draft that waits for one already keeps its review. `ttlHours`: after how many hours the review ends
 * without one. `sendAt` stays: an approval before it does not send at once.
 */
export const held = (
  draft: DraftRecord,
  reasons: ReadonlyArray<HoldReason>,
  ttlHours: number,
  now: Instant,
): DraftRecord => {
  if (draft.status === "PENDING_REVIEW" && draft.review !== null) return draft
  const review = { requestedAt: now, expiresAt: now + ttlHours * HOUR, reasons }
  return {
    ...draft,
    status: "PENDING_REVIEW",
    approvedDigest: null,
    personApprovedAt: null,
    review,
    error: null,
    dueAt: review.expiresAt,
    attempts: 0,
  }
}

/**
 * Approved as it is, from a mailbox with this display name: due at once, or at its `sendAt` when that is later. `byPerson`:
 * whether a person approved it, and not a key.
 */
export const approved = (
  draft: DraftRecord,
  fromName: string | null,
  byPerson: boolean,
  now: Instant,
): DraftRecord => ({
  ...scheduled(draft, Math.max(draft.sendAt ?? now, now)),
  approvedDigest: approvalOf(draft.digest, fromName),
  personApprovedAt: byPerson ? now : null,
})

/** What a person had to do with the mail of a draft that is sent now; `byPerson`: whether a person sends it. */
export const authorOf = (draft: DraftRecord, fromName: string | null, byPerson: boolean): SendAuthor => ({
  byPerson,
  approvedAt: isApproved(draft, fromName) ? draft.personApprovedAt : null,
})

const ended = (
  draft: DraftRecord,
  status: "REJECTED" | "FAILED",
  error: DraftError,
  now: Instant,
): DraftRecord => ({
  ...draft,
  status,
  approvedDigest: null,
  personApprovedAt: null,
  error,
  dueAt: now + ENDED_DRAFT_KEPT_FOR,
})

export const rejected = (draft: DraftRecord, reason: string | null, now: Instant): DraftRecord =>
  ended(draft, "REJECTED", { code: "REJECTED", message: reason ?? "The draft was rejected" }, now)

export const expired = (draft: DraftRecord, now: Instant): DraftRecord =>
  ended(draft, "REJECTED", { code: "REVIEW_EXPIRED", message: "Nobody decided in time" }, now)

export const failed = (draft: DraftRecord, error: DraftError, now: Instant): DraftRecord =>
  ended(draft, "FAILED", error, now)

/** Due again later, because the relay is away. Null after the last attempt. */
export const postponed = (draft: DraftRecord, now: Instant): DraftRecord | null => {
  const delay = SCHEDULED_SEND_DELAYS[draft.attempts]
  return delay === undefined ? null : { ...draft, attempts: draft.attempts + 1, dueAt: now + delay }
}

/** Not due before the account resumes sending (`resumed`). */
export const parked = (draft: DraftRecord): DraftRecord => ({ ...draft, dueAt: null })
