/** The page after verification, and the intent to buy a plan (docs/specification/signup.md). */
import { Schema } from "effect"
import { type BillingPeriod, type Plan, soldPeriod } from "../billing/plans.js"
import type { AccountRecord } from "./Account.js"
import type { BillingMode } from "./state.js"

export type Intent = Pick<AccountRecord, "intentPlan" | "intentPeriod">

const noIntent: Intent = { intentPlan: null, intentPeriod: null }

/** The intent of a signup: a paid plan, in a period that it is sold in. Free is no intent. */
export const intentOf = (plan: Plan | null, period: BillingPeriod | null): Intent =>
  plan === null || plan === "Free"
    ? noIntent
    : { intentPlan: plan, intentPeriod: period === null ? null : soldPeriod(plan, period) }

/** The intent at a later time: none once the account has paid, or where nothing is sold. */
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
 * Returns the onboarding once, while there is an intent to buy or no key was used, else the dashboard. Before
 * verification it is always the onboarding, because the dashboard's address says `verified=true`.
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
