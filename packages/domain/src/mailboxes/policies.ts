/**
 * The policies of a mailbox: which mail it takes, which mail it hides, and what it sends only after a person agreed
 * (docs/specification/senders.md, docs/decisions/0064). Only callers with full access read and change them.
 */
import { Schema } from "effect"
import { described } from "../described.js"
import { REVIEW_TTL_HOURS_DEFAULT, REVIEW_TTL_HOURS_MAX } from "../limits.js"

export const OutboundPolicy = Schema.Literal("open", "review_new", "review").annotations({
  identifier: "OutboundPolicy",
  description: "Which sends wait for a review: none, those to new recipients, or all",
})
export type OutboundPolicy = typeof OutboundPolicy.Type

export const ReceivePolicy = Schema.Literal("open", "allowlisted").annotations({
  identifier: "ReceivePolicy",
  description: "Who may write to a mailbox: everybody, or only senders on its allow lists and the owner",
})
export type ReceivePolicy = typeof ReceivePolicy.Type

export const OnBlocked = Schema.Literal("quarantine", "refuse").annotations({
  identifier: "OnBlocked",
  description:
    "What happens to mail that a mailbox does not take: quarantine it, or refuse it with 550 5.7.1",
})
export type OnBlocked = typeof OnBlocked.Type

export const QuarantineTrigger = Schema.Literal("suspicious", "unverified", "spam").annotations({
  identifier: "QuarantineTrigger",
  description: "Mail of this trust level, or mail that the spam filter calls spam",
})
export type QuarantineTrigger = typeof QuarantineTrigger.Type

const ReviewTtlHours = Schema.Int.pipe(Schema.between(1, REVIEW_TTL_HOURS_MAX))

const outboundPolicy = "which sends wait for a review: none, those to new recipients, or all"
const reviewTtlHours = `hours until a review that nobody decided rejects the send; 1 to ${REVIEW_TTL_HOURS_MAX}`
const receivePolicy = "who may write to it: everybody, or only senders on its allow lists and the owner"
const onBlocked = "what happens to mail that it does not take: quarantine it, or refuse it with 550 5.7.1"
const quarantine = "which mail is quarantined: that of these trust levels, and spam"

export const MailboxPolicies = Schema.Struct({
  outboundPolicy: described(OutboundPolicy, outboundPolicy),
  reviewTtlHours: described(ReviewTtlHours, reviewTtlHours),
  receivePolicy: described(ReceivePolicy, receivePolicy),
  onBlocked: described(OnBlocked, onBlocked),
  quarantine: described(Schema.Array(QuarantineTrigger), quarantine),
})
export type MailboxPolicies = typeof MailboxPolicies.Type

/** The fields of `MailboxPolicies` as optional fields of a body or an answer. Absent fields of a body do not change. */
export const policyFields = {
  outboundPolicy: Schema.optional(OutboundPolicy).annotations({ description: outboundPolicy }),
  reviewTtlHours: Schema.optional(ReviewTtlHours).annotations({ description: reviewTtlHours }),
  receivePolicy: Schema.optional(ReceivePolicy).annotations({ description: receivePolicy }),
  onBlocked: Schema.optional(OnBlocked).annotations({ description: onBlocked }),
  quarantine: Schema.optional(Schema.Array(QuarantineTrigger)).annotations({ description: quarantine }),
}

export type PolicyChange = { readonly [F in keyof MailboxPolicies]?: MailboxPolicies[F] | undefined }

/** The policies of a new mailbox, and of every mailbox of earlier versions. */
export const defaultPolicies: MailboxPolicies = {
  outboundPolicy: "open",
  reviewTtlHours: REVIEW_TTL_HOURS_DEFAULT,
  receivePolicy: "open",
  onBlocked: "quarantine",
  quarantine: [],
}

/** The policies of a body: undefined when it names none. */
export const policyChangeOf = (body: PolicyChange): PolicyChange | undefined => {
  const { outboundPolicy, reviewTtlHours, receivePolicy, onBlocked, quarantine } = body
  const change = { outboundPolicy, reviewTtlHours, receivePolicy, onBlocked, quarantine }
  return Object.values(change).every((value) => value === undefined) ? undefined : change
}

/** Fields that are undefined do not change. `quarantine` gets the order of `QuarantineTrigger`, each trigger once. */
export const changePolicies = (policies: MailboxPolicies, change: PolicyChange = {}): MailboxPolicies => {
  const wanted = change.quarantine ?? policies.quarantine
  return {
    outboundPolicy: change.outboundPolicy ?? policies.outboundPolicy,
    reviewTtlHours: change.reviewTtlHours ?? policies.reviewTtlHours,
    receivePolicy: change.receivePolicy ?? policies.receivePolicy,
    onBlocked: change.onBlocked ?? policies.onBlocked,
    quarantine: QuarantineTrigger.literals.filter((trigger) => wanted.includes(trigger)),
  }
}
