/** Mailbox states and plan limits (spec, Mailbox status; Plans). */
import { Either } from "effect"
import { plans, type Plan } from "../billing/plans.js"
import { CustomDomainLimitReached, MailboxLimitReached, MailboxSuspended } from "../errors.js"
import type { Instant } from "../time.js"
import type { MailboxRecord, MailboxStatus } from "./Mailbox.js"

export interface PlanUse {
  readonly plan: Plan
  /** those that count: all of them when one is created, the active ones when one is started again */
  readonly mailboxes: number
  /** custom domains in use by those, the wanted mailbox's own included */
  readonly customDomains: number
}

export type PlanLimitError = MailboxLimitReached | CustomDomainLimitReached

/** Whether the plan has room for one more active mailbox, on a custom domain or not. */
export const admitMailbox = (use: PlanUse, onCustomDomain: boolean): Either.Either<void, PlanLimitError> => {
  const limits = plans[use.plan]
  if (use.mailboxes >= limits.mailboxes)
    return Either.left(new MailboxLimitReached({ plan: use.plan, limit: limits.mailboxes }))
  if (onCustomDomain && limits.customDomains !== null && use.customDomains > limits.customDomains)
    return Either.left(new CustomDomainLimitReached({ plan: use.plan, limit: limits.customDomains }))
  return Either.void
}

/**
 * The `status` field of a PATCH: ACTIVE ↔ paused, ACTIVE within the plan's limits; a suspended mailbox stays
 * suspended whatever is asked, and nobody suspends one here.
 */
export const changeStatus = (
  mailbox: MailboxRecord,
  wanted: Exclude<MailboxStatus, "suspended">,
  use: PlanUse,
): Either.Either<MailboxRecord, PlanLimitError | MailboxSuspended> => {
  if (mailbox.status === "suspended")
    return Either.left(new MailboxSuspended({ reason: mailbox.suspendedReason }))
  // One that billing paused is the owner's from then on: no purchase starts it again.
  if (wanted === "paused") return Either.right({ ...mailbox, status: wanted, pausedByBilling: false })
  if (mailbox.status === wanted) return Either.right(mailbox)
  return Either.map(admitMailbox(use, mailbox.domainId !== null), () => ({
    ...mailbox,
    status: wanted,
    pausedByBilling: false,
  }))
}

const DOMAIN_LOST = "another account has verified its domain"

/** What stands at the end of the address that such a mailbox has: no mail can come to it (RFC 6761 §6.4). */
const lostSuffix = ({ id }: Pick<MailboxRecord, "id">): string => `.${id}.invalid`

/**
 * A mailbox whose domain another account has proved to own (docs/decisions/0015): its mail stays readable, but it
 * neither sends nor receives, and its address is free for the domain's owner.
 */
export const withoutDomain = (mailbox: MailboxRecord, now: Instant): MailboxRecord => ({
  ...mailbox,
  domainId: null,
  fullAddress: `${mailbox.fullAddress}${lostSuffix(mailbox)}`,
  status: "suspended",
  pausedByBilling: false,
  suspendedReason: DOMAIN_LOST,
  updatedAt: now,
})

/** By the operator, whatever state it is in. That billing paused it is forgotten: no purchase starts it again. */
export const suspendMailbox = (mailbox: MailboxRecord, reason: string | null): MailboxRecord => ({
  ...mailbox,
  status: "suspended",
  pausedByBilling: false,
  suspendedReason: reason,
})

/**
 * ACTIVE again; paused where the plan has no room for it by now; suspended still when its address is gone with its
 * domain. `use` counts the mailboxes beside it.
 */
export const unsuspendMailbox = (mailbox: MailboxRecord, use: PlanUse): MailboxRecord => {
  if (mailbox.status !== "suspended") return mailbox
  if (mailbox.fullAddress.endsWith(lostSuffix(mailbox))) return { ...mailbox, suspendedReason: DOMAIN_LOST }
  const fits = Either.isRight(admitMailbox(use, mailbox.domainId !== null))
  return {
    ...mailbox,
    status: fits ? "ACTIVE" : "paused",
    pausedByBilling: !fits,
    suspendedReason: null,
  }
}
