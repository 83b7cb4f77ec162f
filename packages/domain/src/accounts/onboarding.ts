/** Where the owner goes after verifying, and what is left of the plan that the signup meant to buy (decisions §3). */
import { Schema } from "effect"
import { type BillingPeriod, type Plan, soldPeriod } from "../billing/plans.js"
import type { AccountRecord } from "./Account.js"
import type { BillingMode } from "./state.js"

export type Intent = Pick<AccountRecord, "intentPlan" | "intentPeriod">

const noIntent: Intent = { intentPlan: null, intentPeriod: null }

/** What a signup means to buy: a plan that is sold, in a period it is sold in. Free is nothing to buy. */
export const intentOf = (plan: Plan | null, period: BillingPeriod | null): Intent =>
  plan === null || plan === "Free"
    ? noIntent
    : { intentPlan: plan, intentPeriod: period === null ? null : soldPeriod(plan, period) }

/** The same once time has passed: who has paid, or has nothing to pay, intends nothing any more. */
export const liveIntent = (
  account: Intent & Pick<AccountRecord, "plan" | "lapsed">,
  billing: BillingMode,
): Intent =>
  billing === "none" || (account.plan !== "Free" && !account.lapsed)
    ? noIntent
    : intentOf(account.intentPlan, account.intentPeriod)

export const VerifiedTarget = Schema.Literal("/onboarding", "/dashboard?verified=true")
export type VerifiedTarget = typeof VerifiedTarget.Type

/**
 * To the onboarding once, while there is a plan to buy or an agent to set up. Before verification always: the dashboard's
 * address would claim what is not so.
 */
export const verifiedTarget = (
  account: Intent & Pick<AccountRecord, "plan" | "lapsed" | "emailVerifiedAt" | "onboardedAt">,
  billing: BillingMode,
  keyUsed: boolean,
): VerifiedTarget => {
  if (account.emailVerifiedAt === null) return "/onboarding"
  const toDo = liveIntent(account, billing).intentPlan !== null || !keyUsed
  return account.onboardedAt === null && toDo ? "/onboarding" : "/dashboard?verified=true"
}
