/** Who may open an account, and the operator's invitations (docs/operations.md, Who may sign up). */
import { Schema } from "effect"
import { InvitationId } from "../ids.js"
import { DAY, Instant, Timestamp, timestamp } from "../time.js"

/** `open`: anybody; `invite`: who has an invitation; `closed`: nobody. */
export const SignupMode = Schema.Literal("open", "invite", "closed")
export type SignupMode = typeof SignupMode.Type

/** How long an invitation is good for, in days: unless the operator says otherwise, and at most. */
export const INVITATION_DAYS_DEFAULT = 7
export const INVITATION_DAYS_MAX = 90
/** Milliseconds for which the operator sees an invitation after it expired. */
export const INVITATION_KEPT_FOR = 30 * DAY
/** Invitations in the operator's list, newest first. */
export const INVITATIONS_SHOWN_MAX = 100

export const InvitationRecord = Schema.Struct({
  id: InvitationId,
  /** SHA-256 of the token, which the service does not keep */
  hash: Schema.String,
  createdAt: Instant,
  expiresAt: Instant,
  usedAt: Schema.NullOr(Instant),
})
export type InvitationRecord = typeof InvitationRecord.Type

/** As the operator sees it. */
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
