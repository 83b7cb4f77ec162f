/**
 * What follows when an account buys a plan, changes it, gives it up or stops paying for it
 * (spec, Inbound message gating; decisions §3, Upgrading, Downgrade or payment lapse).
 */
import { Either } from "effect"
import type { AccountRecord } from "../accounts/Account.js"
import type { DomainId, MailboxId } from "../ids.js"
import type { MailboxRecord } from "../mailboxes/Mailbox.js"
import { admitMailbox } from "../mailboxes/status.js"
import type { Instant } from "../time.js"
import { type BillingPeriod, type PaidPlan, type Plan, plans } from "./plans.js"

/** A plan that is paid for. */
export interface Bought {
  readonly plan: PaidPlan
  readonly period: BillingPeriod
}

export type PlanChange =
  /** paid for under `reference`, the payment provider's name of it; null when nobody pays, for the operator gave it */
  | ({ readonly kind: "paid"; readonly reference: string | null } & Bought)
  /** the owner gave it up */
  | { readonly kind: "given up" }
  /** it ended unpaid */
  | { readonly kind: "lapsed" }

/** A subscription as the payment provider knows it. */
export interface Subscription {
  /** paid, or still being collected; false when it ended or is given up as unpaid */
  readonly live: boolean
  /** null when it is of a price that is not sold any more */
  readonly bought: Bought | null
}

type PlanFacts = Pick<
  AccountRecord,
  "plan" | "billingPeriod" | "lapsed" | "billingReference" | "intentPlan" | "intentPeriod"
>

/** The account after a change; the very same one when nothing changes, so that a change told twice is made once. */
export const changePlan = <A extends PlanFacts>(account: A, change: PlanChange): A => {
  switch (change.kind) {
    case "paid": {
      const { plan, period, reference } = change
      const same = account.plan === plan && account.billingPeriod === period
      if (same && !account.lapsed && account.billingReference === reference) return account
      return {
        ...account,
        plan,
        billingPeriod: period,
        lapsed: false,
        billingReference: reference,
        intentPlan: null,
        intentPeriod: null,
      }
    }
    case "given up":
      if (account.plan === "Free" && !account.lapsed) return account
      return { ...account, plan: "Free", billingPeriod: "monthly", lapsed: false }
    case "lapsed":
      // A plan that was given up has nothing left to lapse.
      return account.plan === "Free" || account.lapsed ? account : { ...account, lapsed: true }
  }
}

/** What the provider's subscription means for the account that has it; null when it does not tell the plan. */
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

/** The plan whose limits count: after a lapse the name of the plan stays, and there is room for what Free has. */
export const planInForce = ({ plan, lapsed }: Pick<AccountRecord, "plan" | "lapsed">): Plan =>
  lapsed ? "Free" : plan

const inboundCap = (plan: Plan): number => plans[plan].inboundPerMonth ?? Infinity

/** Whether everything gated becomes visible: by any change to a plan that takes more. A smaller one gates nothing. */
export const unlocksGated = (
  before: Pick<AccountRecord, "plan" | "lapsed">,
  after: Pick<AccountRecord, "plan" | "lapsed">,
): boolean => inboundCap(planInForce(after)) > inboundCap(planInForce(before))

export interface MailboxMoves {
  readonly pause: ReadonlyArray<MailboxId>
  readonly resume: ReadonlyArray<MailboxId>
}

/**
 * Fits an account's mailboxes, oldest first, to a plan: the oldest that run go on as far as there is room for them
 * and for their custom domains, the others pause; then those that billing paused run again where there is room left.
 * Those that the owner paused, or the operator suspended, stay as they are; the latter take room.
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

/** A mailbox that billing pauses, or runs again; one that was suspended in the meantime stays so. */
export const moveMailbox = (
  mailbox: MailboxRecord,
  to: Extract<MailboxRecord["status"], "ACTIVE" | "paused">,
  now: Instant,
): MailboxRecord =>
  mailbox.status === "suspended"
    ? mailbox
    : { ...mailbox, status: to, pausedByBilling: to === "paused", updatedAt: now }
