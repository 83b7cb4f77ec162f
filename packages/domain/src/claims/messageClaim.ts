/**
 * Claims: the right of one worker to work on a message until a time (docs/specification/sharing.md). A claim is held by its
 * token. A lease that ends frees the message without any work of the service: the rules below compare it with the clock.
 */
import { Either, Schema } from "effect"
import { Actor } from "../audit/Actor.js"
import { described } from "../described.js"
import { ClaimLost, MessageClaimed } from "../errors.js"
import { SECOND } from "../durations.js"
import { Instant, Timestamp, timestamp } from "../time.js"

/** Length of a lease in seconds: at least, at most, and by default. */
export const CLAIM_LEASE_MIN = 1
export const CLAIM_LEASE_MAX = 3600
export const CLAIM_LEASE_DEFAULT = 60

/** The claim of a message, as messages show it. */
export const MessageClaim = Schema.Struct({
  state: described(
    Schema.Literal("CLAIMED", "COMPLETED"),
    "CLAIMED while a worker holds it, COMPLETED when its work is done",
  ),
  expiresAt: described(
    Schema.NullOr(Timestamp),
    "when the lease ends and the message is free again; null when it is COMPLETED",
  ),
  claimedBy: described(
    Schema.NullOr(Actor),
    "the worker that claimed it; null for imported mail, and for claims of earlier versions",
  ),
}).annotations({ identifier: "MessageClaim", description: "Who works on a message, and until when" })
export type MessageClaim = typeof MessageClaim.Type

/** A condition of a list: received messages that nobody has claimed, that a worker holds, or whose work is done. */
export const ClaimCondition = Schema.Literal("free", "claimed", "completed").annotations({
  identifier: "ClaimCondition",
  description: "free for messages that nobody has claimed, claimed, or completed",
})
export type ClaimCondition = typeof ClaimCondition.Type

/** A stored claim. RELEASED: the holder gave it up; its token still repeats the release. */
export const ClaimRecord = Schema.Struct({
  state: Schema.Literal("CLAIMED", "RELEASED", "COMPLETED"),
  /** proves the token without containing it */
  tokenHash: Schema.String,
  expiresAt: Instant,
  /** length of the lease in seconds, which a renewal repeats */
  leaseSeconds: Schema.Int,
  /** null: imported mail, or a claim of an earlier version */
  claimedBy: Schema.NullOr(Actor),
})
export type ClaimRecord = typeof ClaimRecord.Type

/** A claim as messages show it: null for a message that is free. */
export const viewClaim = (
  claim: Pick<ClaimRecord, "state" | "expiresAt" | "claimedBy"> | null,
  now: Instant,
): MessageClaim | null => {
  if (claim === null || claim.state === "RELEASED") return null
  const { state, expiresAt, claimedBy } = claim
  if (state === "COMPLETED") return { state, expiresAt: null, claimedBy }
  return expiresAt > now ? { state, expiresAt: timestamp(expiresAt), claimedBy } : null
}

/** A new claim of a worker. */
export const newClaim = (
  tokenHash: string,
  leaseSeconds: number,
  claimedBy: Actor,
  now: Instant,
): ClaimRecord => ({
  state: "CLAIMED",
  tokenHash,
  expiresAt: now + leaseSeconds * SECOND,
  leaseSeconds,
  claimedBy,
})

/** Accepts a claim of a message that is free. Else says in how many seconds it may be, null for never. */
export const admitClaim = (claim: ClaimRecord | null, now: Instant): Either.Either<void, MessageClaimed> => {
  const held = viewClaim(claim, now)
  if (claim === null || held === null) return Either.void
  return Either.left(
    new MessageClaimed(
      held.state === "COMPLETED" ? {} : { retryAfter: Math.ceil((claim.expiresAt - now) / SECOND) },
    ),
  )
}

type Changed = Either.Either<ClaimRecord, ClaimLost>

/** What the holder of a token has; `isToken` says whether the token is the one of this claim. */
interface Holder {
  readonly claim: ClaimRecord | null
  readonly isToken: boolean
}

const lost: Changed = Either.left(new ClaimLost())

/** Whether the token holds the message now. */
const holds = ({ claim, isToken }: Holder, now: Instant): boolean =>
  isToken && claim?.state === "CLAIMED" && claim.expiresAt > now

/** Begins the lease again, with its own length or another. */
export const renewClaim = (holder: Holder, leaseSeconds: number | null, now: Instant): Changed => {
  const { claim } = holder
  if (claim === null || !holds(holder, now)) return lost
  const seconds = leaseSeconds ?? claim.leaseSeconds
  return Either.right({ ...claim, leaseSeconds: seconds, expiresAt: now + seconds * SECOND })
}

/** Frees the message, or marks its work as done. Repeated with the same token, it changes nothing. */
export const endClaim = (holder: Holder, state: "RELEASED" | "COMPLETED", now: Instant): Changed => {
  const { claim, isToken } = holder
  if (claim === null) return lost
  if (isToken && claim.state === state) return Either.right(claim)
  return holds(holder, now) ? Either.right({ ...claim, state }) : lost
}

/**
 * Takes a message back from the worker that holds it, which needs no token. Null for a message that is free already.
 * `MessageClaimed` when its work is done: a done message stays done.
 */
export const takeBackClaim = (
  claim: ClaimRecord | null,
  now: Instant,
): Either.Either<ClaimRecord | null, MessageClaimed> => {
  const held = viewClaim(claim, now)
  if (claim === null || held === null) return Either.right(null)
  return held.state === "COMPLETED"
    ? Either.left(new MessageClaimed({}))
    : Either.right({ ...claim, state: "RELEASED" })
}

/** Whether a message meets the condition of a list. */
export const meetsClaimCondition = (
  condition: ClaimCondition,
  isInbound: boolean,
  claim: MessageClaim | null,
): boolean => {
  if (condition === "free") return isInbound && claim === null
  return claim?.state === (condition === "claimed" ? "CLAIMED" : "COMPLETED")
}
