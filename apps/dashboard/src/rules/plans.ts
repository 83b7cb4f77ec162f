/** Plans: what each includes, and what a change does. */
import type { Account, BillingPeriod, Plan } from "@mailroom/client"
import { bytesText, countText, numberText } from "./texts.js"

/** A plan as the service sells it; null means unlimited. */
export interface PlanOffer {
  readonly priceUsd: number
  readonly mailboxes: number
  readonly sendsPerDay: number
  readonly sendsPerMonth: number | null
  readonly inboundPerMonth: number | null
  readonly customDomains: number | null
  readonly storageBytes: number
  /** whether it is also sold by the year */
  readonly annual: boolean
}

export const planOrder: ReadonlyArray<Plan> = ["Free", "Developer", "Growth", "Scale"]

/** What a plan includes, in lines. */
export const planLines = (
  offer: PlanOffer,
): ReadonlyArray<{ readonly text: string; readonly isIncluded: boolean }> => [
  ...[
    countText(offer.mailboxes, "mailbox", "mailboxes"),
    offer.inboundPerMonth === null
      ? "Received mail without limit"
      : `${numberText(offer.inboundPerMonth)} received mails a month`,
    `${numberText(offer.sendsPerDay)} sends a day from each mailbox`,
    offer.sendsPerMonth === null
      ? "No monthly limit of sends"
      : `${numberText(offer.sendsPerMonth)} sends a month from each mailbox`,
    `${bytesText(offer.storageBytes)} of files`,
  ].map((text) => ({ text, isIncluded: true })),
  offer.customDomains === 0
    ? { text: "No custom domain", isIncluded: false }
    : {
        text:
          offer.customDomains === null
            ? "Custom domains without limit"
            : countText(offer.customDomains, "custom domain"),
        isIncluded: true,
      },
]

/** Whether a paid plan holds now. After a lapse the account keeps the plan's name and has to pay again. */
export const hasPaidPlan = ({ plan, state }: Pick<Account, "plan" | "state">): boolean =>
  plan !== "Free" && state !== "payment_required"

/**
 * How the owner gets to a plan: pay for the first, change what is paid, or give it up; none for the present plan. A plan
 * from the operator is not paid for, so any plan is bought.
 */
export type PlanStep = "current" | "buy" | "upgrade" | "downgrade" | "give up"

export const planStep = (
  account: Pick<Account, "plan" | "billingPeriod" | "state" | "billingLinked">,
  wanted: Plan,
  period: BillingPeriod,
  offers: Readonly<Record<Plan, PlanOffer>>,
): PlanStep => {
  const isPaying = hasPaidPlan(account) && account.billingLinked
  if (wanted === "Free") return isPaying ? "give up" : "current"
  if (!isPaying) return "buy"
  const sold = offers[wanted].annual ? period : "monthly"
  if (account.plan === wanted) return sold === account.billingPeriod ? "current" : "upgrade"
  return planOrder.indexOf(wanted) > planOrder.indexOf(account.plan) ? "upgrade" : "downgrade"
}

/** What is lost by going from one plan to another: a line for each limit that the account is above. */
export const lossesOf = (
  account: Pick<Account, "activeMailboxCount" | "monthlyInboundCount" | "storageUsedBytes">,
  offer: PlanOffer,
): ReadonlyArray<string> => {
  const tooMany = account.activeMailboxCount - offer.mailboxes
  const { inboundPerMonth, storageBytes } = offer
  return [
    ...(tooMany > 0
      ? [
          `The newest ${countText(tooMany, "mailbox", "mailboxes")} will be paused: they receive and cannot send.`,
        ]
      : []),
    ...(inboundPerMonth !== null && account.monthlyInboundCount > inboundPerMonth
      ? [`This month's mail is above the new limit: new mail is kept, and hidden until next month.`]
      : []),
    ...(account.storageUsedBytes > storageBytes
      ? [
          `Your files take more than ${bytesText(storageBytes)}: nothing is deleted, and new files are refused.`,
        ]
      : []),
  ]
}

/** What the state of the account means for billing. */
export const billingText = ({
  state,
  plan,
  billingPeriod,
}: Pick<Account, "state" | "plan" | "billingPeriod">): string => {
  switch (state) {
    case "unverified":
      return "Verify your address first. Then a free trial of three days begins."
    case "trial":
      return "You are in the free trial: mail goes to your own address only. Choose a plan to write to everybody."
    case "payment_required":
      return "Choose a plan to read your mail and to send. Mail still arrives and is kept, and everything is unlocked at once when you pay."
    case "suspended":
      return "The account is suspended. A plan does not change that."
    case "active":
      return plan !== "Free"
        ? `You are on ${plan}, billed ${billingPeriod === "annual" ? "by the year" : "by the month"}.`
        : `You are on ${plan}.`
  }
}
