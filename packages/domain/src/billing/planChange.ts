/**
 * The effects of buying, changing, giving up and not paying a plan (docs/specification/channels.md, Billing; spec:
 * decisions.downgrade).
 */
import { Either } from "effect"
import type { AccountRecord } from "../accounts/Account.js"
import type { DomainId, MailboxId } from "../ids.js"
import type { MailboxRecord } from "../mailboxes/Mailbox.js"
import { admitMailbox } from "../mailboxes/status.js"
import type { Instant } from "../time.js"
import { type BillingPeriod, type PaidPlan, type Plan, plans, soldPeriod } from "./plans.js"

/** A bought plan and its period. */
export interface Bought {
  readonly plan: PaidPlan
  readonly period: BillingPeriod
}

export type PlanChange =
  /** `reference` is the payment provider's id of the subscription, which decides about the plan from then on */
  | ({ readonly kind: "paid"; readonly reference: string } & Bought)
  /** set without payment: no subscription decides about the plan any more */
  | { readonly kind: "given"; readonly plan: Plan }
  /** the owner gave the plan up */
  | { readonly kind: "given up" }
  /** the subscription ended unpaid */
  | { readonly kind: "lapsed" }

/** A subscription at the payment provider. */
export interface Subscription {
  /** paid, or payment is being collected; false when it has ended or is unpaid */
  readonly live: boolean
  /** null when its price is no longer sold */
  readonly bought: Bought | null
}

type PlanFacts = Pick<
  AccountRecord,
  "plan" | "billingPeriod" | "lapsed" | "billingReference" | "intentPlan" | "intentPeriod"
>

const onPlan = <A extends PlanFacts>(
  account: A,
  plan: Plan,
  billingPeriod: BillingPeriod,
  billingReference: string | null,
): A => {
  const same = account.plan === plan && account.billingPeriod === billingPeriod
  if (same && !account.lapsed && account.billingReference === billingReference) return account
  return {
    ...account,
    plan,
    billingPeriod,
    lapsed: false,
    billingReference,
    intentPlan: null,
    intentPeriod: null,
  }
}

/** The account after a change. Returns the same object when nothing changes, so that a repeated change has no effect. */
export const changePlan = <A extends PlanFacts>(account: A, change: PlanChange): A => {
  switch (change.kind) {
    case "paid":
      return onPlan(account, change.plan, change.period, change.reference)
    case "given":
      return onPlan(account, change.plan, soldPeriod(change.plan, account.billingPeriod), null)
    case "given up":
      if (account.plan === "Free" && !account.lapsed) return account
      return { ...account, plan: "Free", billingPeriod: "monthly", lapsed: false }
    case "lapsed":
      // A plan that was given up cannot lapse.
      return account.plan === "Free" || account.lapsed ? account : { ...account, lapsed: true }
  }
}

/** The change that a subscription at the provider means for its account; null when its plan is unknown. */
export const subscriptionChange = (
  account: PlanFacts,
  reference: string,
  { live, bought }: Subscription,
): PlanChange | null => {
  if (!live) return { kind: "lapsed" }
  if (bought !== null) return { kind: "paid", ...bought, reference }
  if (account.plan === "Free") return null
  return { kind: "paid", plan: account.plan, period: account.billingPeriod, reference }
}

/** The plan whose limits apply: after a lapse the account keeps the plan's name and has the limits of Free. */
export const planInForce = ({ plan, lapsed }: Pick<AccountRecord, "plan" | "lapsed">): Plan =>
  lapsed ? "Free" : plan

/**
 * Whether a verified account is on the plan of the trial, or its plan has lapsed: without billing it is on the plan that the
 * operator chose instead (spec: decisions.state.no-billing).
 */
export const isHeldByBilling = ({
  emailVerifiedAt,
  plan,
  lapsed,
}: Pick<AccountRecord, "emailVerifiedAt" | "plan" | "lapsed">): boolean =>
  emailVerifiedAt !== null && (plan === "Free" || lapsed)

const inboundCap = (plan: Plan): number => plans[plan].inboundPerMonth ?? Infinity

/** Whether gated messages unlock: on a change to a plan with a higher inbound limit. A smaller plan gates nothing that is visible. */
export const unlocksGated = (
  before: Pick<AccountRecord, "plan" | "lapsed">,
  after: Pick<AccountRecord, "plan" | "lapsed">,
): boolean => inboundCap(planInForce(after)) > inboundCap(planInForce(before))

export interface MailboxMoves {
  readonly pause: ReadonlyArray<MailboxId>
  readonly resume: ReadonlyArray<MailboxId>
}

/**
 * Fits an account's mailboxes, oldest first, to a plan. The oldest active ones stay active within the plan's numbers of
 * mailboxes and custom domains; the others are paused. Then mailboxes that billing paused start again where room is left.
 * Mailboxes that the owner paused or the operator suspended do not change; suspended ones count.
 */
export const fitMailboxes = (
  oldestFirst: ReadonlyArray<Pick<MailboxRecord, "id" | "status" | "pausedByBilling" | "domainId">>,
  plan: Plan,
): MailboxMoves => {
  const suspended = oldestFirst.filter(({ status }) => status === "suspended")
  let domains: ReadonlySet<DomainId> = new Set(
    suspended.flatMap(({ domainId }) => (domainId === null ? [] : [domainId])),
  )
  let mailboxes = suspended.length
  const place = ({ domainId }: Pick<MailboxRecord, "domainId">): boolean => {
    const used = domainId === null ? domains : new Set([...domains, domainId])
    const use = { plan, mailboxes, customDomains: used.size }
    if (Either.isLeft(admitMailbox(use, domainId !== null))) return false
    domains = used
    mailboxes++
    return true
  }
  const idOf = ({ id }: { readonly id: MailboxId }) => id
  const running = oldestFirst.filter(({ status }) => status === "ACTIVE")
  const waiting = oldestFirst.filter((mailbox) => mailbox.status === "paused" && mailbox.pausedByBilling)
  return {
    pause: running.filter((mailbox) => !place(mailbox)).map(idOf),
    resume: waiting.filter(place).map(idOf),
  }
}

/** Applies a pause or a start by billing; a mailbox that was suspended meanwhile stays suspended. */
export const moveMailbox = (
  mailbox: MailboxRecord,
  to: Extract<MailboxRecord["status"], "ACTIVE" | "paused">,
  now: Instant,
): MailboxRecord =>
  mailbox.status === "suspended"
    ? mailbox
    : { ...mailbox, status: to, pausedByBilling: to === "paused", updatedAt: now }
