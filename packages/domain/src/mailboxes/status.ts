/** Mailbox states and plan limits (docs/specification/states.md). */
import { Either } from "effect"
import { plans, type Plan } from "../billing/plans.js"
import { CustomDomainLimitReached, MailboxLimitReached, MailboxSuspended } from "../errors.js"
import type { Instant } from "../time.js"
import type { MailboxRecord, MailboxStatus } from "./Mailbox.js"

export interface PlanUse {
  readonly plan: Plan
  /** mailboxes that count: all of them for a creation, those that are not paused for a start */
  readonly mailboxes: number
  /** custom domains that these mailboxes use, including the domain of the wanted mailbox */
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
 * Applies the `status` of a PATCH: ACTIVE ↔ paused, and ACTIVE only within the plan's limits. A suspended mailbox stays
 * suspended, and a PATCH cannot suspend one.
 */
export const changeStatus = (
  mailbox: MailboxRecord,
  wanted: Exclude<MailboxStatus, "suspended">,
  use: PlanUse,
): Either.Either<MailboxRecord, PlanLimitError | MailboxSuspended> => {
  if (mailbox.status === "suspended")
    return Either.left(new MailboxSuspended({ reason: mailbox.suspendedReason }))
  // The owner now decides about a mailbox that billing paused: no purchase starts it again.
  if (wanted === "paused") return Either.right({ ...mailbox, status: wanted, pausedByBilling: false })
  if (mailbox.status === wanted) return Either.right(mailbox)
  return Either.map(admitMailbox(use, mailbox.domainId !== null), () => ({
    ...mailbox,
    status: wanted,
    pausedByBilling: false,
  }))
}

const DOMAIN_LOST = "another account has verified its domain"

/** Suffix of the address of a mailbox that lost its domain: no mail can reach it (RFC 6761 §6.4). */
const lostSuffix = ({ id }: Pick<MailboxRecord, "id">): string => `.${id}.invalid`

/**
 * Suspends a mailbox whose domain another account has verified (docs/decisions/0015): its mail stays readable, it
 * neither sends nor receives, and the domain's owner can use its address.
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

/** Suspension by the operator, from any state. It clears `pausedByBilling`, so that no purchase starts the mailbox. */
export const suspendMailbox = (mailbox: MailboxRecord, reason: string | null): MailboxRecord => ({
  ...mailbox,
  status: "suspended",
  pausedByBilling: false,
  suspendedReason: reason,
})

/**
 * Ends a suspension: the mailbox becomes ACTIVE, or paused when the plan has no room for it. It stays suspended when it
 * has lost its domain. `use` counts the other mailboxes.
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
