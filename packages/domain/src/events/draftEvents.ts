/** Makes the envelope of each kind of event about a draft. Their schemas are in `Event.ts`. */
import type { Actor } from "../audit/Actor.js"
import type { DraftError, DraftRecord, ReviewRecord } from "../drafts/Draft.js"
import type { MailboxRecord } from "../mailboxes/Mailbox.js"
import { type Instant, timestamp } from "../time.js"
import type { EventEnvelope } from "./Event.js"

type EventMailbox = Pick<MailboxRecord, "id" | "fullAddress">
/** What the events read of a draft. `digest` is the one that an approval names. */
export type EventDraft = Pick<DraftRecord, "id" | "content" | "digest">

const draftFields = ({ id, content, digest }: EventDraft, mailbox: EventMailbox) => ({
  draft_id: id,
  mailbox_id: mailbox.id,
  mailbox_address: mailbox.fullAddress,
  to: content.to,
  subject: content.subject,
  digest,
})

export const reviewRequestedEvent = (
  draft: EventDraft,
  mailbox: EventMailbox,
  review: ReviewRecord,
): EventEnvelope => ({
  event: "draft.review_requested",
  timestamp: timestamp(review.requestedAt),
  data: {
    ...draftFields(draft, mailbox),
    reasons: review.reasons,
    requested_at: timestamp(review.requestedAt),
    expires_at: timestamp(review.expiresAt),
  },
})

export const approvedEvent = (
  draft: EventDraft,
  mailbox: EventMailbox,
  edited: boolean,
  decidedBy: Actor,
  at: Instant,
): EventEnvelope => ({
  event: "draft.approved",
  timestamp: timestamp(at),
  data: { ...draftFields(draft, mailbox), edited, decided_by: decidedBy, approved_at: timestamp(at) },
})

export const rejectedEvent = (
  draft: EventDraft,
  mailbox: EventMailbox,
  reason: string | null,
  decidedBy: Actor,
  at: Instant,
): EventEnvelope => ({
  event: "draft.rejected",
  timestamp: timestamp(at),
  data: { ...draftFields(draft, mailbox), reason, decided_by: decidedBy, rejected_at: timestamp(at) },
})

export const expiredEvent = (draft: EventDraft, mailbox: EventMailbox, at: Instant): EventEnvelope => ({
  event: "draft.expired",
  timestamp: timestamp(at),
  data: { ...draftFields(draft, mailbox), expired_at: timestamp(at) },
})

/** `draft`: as it was while it waited. */
export const withdrawnEvent = (
  draft: EventDraft,
  mailbox: EventMailbox,
  deleted: boolean,
  withdrawnBy: Actor,
  at: Instant,
): EventEnvelope => ({
  event: "draft.withdrawn",
  timestamp: timestamp(at),
  data: { ...draftFields(draft, mailbox), deleted, withdrawn_by: withdrawnBy, withdrawn_at: timestamp(at) },
})

export const failedEvent = (
  draft: EventDraft,
  mailbox: EventMailbox,
  { code, message }: DraftError,
  at: Instant,
): EventEnvelope => ({
  event: "draft.failed",
  timestamp: timestamp(at),
  data: { ...draftFields(draft, mailbox), code, message, failed_at: timestamp(at) },
})
