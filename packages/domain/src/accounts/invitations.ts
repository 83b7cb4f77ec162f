/** Who may sign up, and the operator's invitations (docs/operations.md, Who may sign up). */
import { Schema } from "effect"
import { InvitationId } from "../ids.js"
import { DAY } from "../durations.js"
import { Instant, Timestamp, timestamp } from "../time.js"

/** `open`: anybody; `invite`: with an invitation only; `closed`: nobody. */
export const SignupMode = Schema.Literal("open", "invite", "closed")
export type SignupMode = typeof SignupMode.Type

/** Validity of an invitation in days: by default, and at most. */
export const INVITATION_DAYS_DEFAULT = 7
export const INVITATION_DAYS_MAX = 90
/** Milliseconds for which the operator still sees an expired invitation. */
export const INVITATION_KEPT_FOR = 30 * DAY
/** Invitations in the operator's list, newest first. */
export const INVITATIONS_SHOWN_MAX = 100

export const InvitationRecord = Schema.Struct({
  id: InvitationId,
  /** SHA-256 of the token; the token itself is not stored */
  hash: Schema.String,
  createdAt: Instant,
  expiresAt: Instant,
  usedAt: Schema.NullOr(Instant),
})
export type InvitationRecord = typeof InvitationRecord.Type

/** An invitation as the operator sees it. */
export const Invitation = Schema.Struct({
  id: InvitationId,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  usedAt: Schema.NullOr(Timestamp),
})
export type Invitation = typeof Invitation.Type

export const viewInvitation = ({ id, createdAt, expiresAt, usedAt }: InvitationRecord): Invitation => ({
  id,
  createdAt: timestamp(createdAt),
  expiresAt: timestamp(expiresAt),
  usedAt: usedAt === null ? null : timestamp(usedAt),
})
