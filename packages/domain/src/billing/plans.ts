/** Plans and their numbers (docs/specification/limits.md). `null` means unlimited. */
import { Schema } from "effect"
import { GB } from "../limits.js"

export const Plan = Schema.Literal("Free", "Developer", "Growth", "Scale").annotations({
  identifier: "Plan",
  description: "A plan",
})
export type Plan = typeof Plan.Type

export const BillingPeriod = Schema.Literal("monthly", "annual").annotations({
  identifier: "BillingPeriod",
  description: "How often a plan is paid for",
})
export type BillingPeriod = typeof BillingPeriod.Type

/** Input that is one of the literals of a schema, in any case. */
const inAnyCase = <const Words extends ReadonlyArray<string>>(
  schema: Schema.Schema<Words[number]> & { readonly literals: Words },
  description: string,
) => {
  const accepted = `must be one of ${schema.literals.map((word) => `"${word}"`).join(", ")}`
  return Schema.transform(Schema.String, schema, {
    strict: false,
    decode: (text) => schema.literals.find((word) => word.toLowerCase() === text.toLowerCase()) ?? text,
    encode: (word) => word,
  }).annotations({
    description,
    jsonSchema: { type: "string", enum: [...schema.literals], description: `${description}, in any case` },
    message: () => ({ message: accepted, override: true }),
  })
}

export interface PlanLimits {
  readonly priceUsd: number
  readonly mailboxes: number
  readonly sendsPerDay: number
  readonly sendsPerMonth: number | null
  readonly inboundPerMonth: number | null
  readonly customDomains: number | null
  readonly storageBytes: number
  /** whether the plan has an annual price; without one an annual intent becomes monthly (spec: decisions.upgrade.annual) */
  readonly annual: boolean
}

export const plans: { readonly [P in Plan]: PlanLimits } = {
  Free: {
    priceUsd: 0,
    mailboxes: 3,
    sendsPerDay: 100, // spec: decisions.quota.free-day
    sendsPerMonth: 5000,
    inboundPerMonth: 100,
    customDomains: 0,
    storageBytes: 1 * GB,
    annual: false,
  },
  Developer: {
    priceUsd: 19,
    mailboxes: 10,
    sendsPerDay: 500,
    sendsPerMonth: 15_000,
    inboundPerMonth: 2000,
    customDomains: 1,
    storageBytes: 10 * GB,
    annual: true,
  },
  Growth: {
    priceUsd: 79,
    mailboxes: 50,
    sendsPerDay: 1000,
    sendsPerMonth: null,
    inboundPerMonth: 20_000,
    customDomains: 5,
    storageBytes: 25 * GB,
    annual: true,
  },
  Scale: {
    priceUsd: 199,
    mailboxes: 200,
    sendsPerDay: 2000,
    sendsPerMonth: null,
    inboundPerMonth: null,
    customDomains: null,
    storageBytes: 100 * GB,
    annual: false,
  },
}

/** A plan that can be bought: every plan except Free. */
export const PaidPlan = Schema.Literal("Developer", "Growth", "Scale").annotations({
  identifier: "PaidPlan",
  description: "A plan that can be bought",
})
export type PaidPlan = typeof PaidPlan.Type

/** Plans and periods in requests, in any case. */
export const PlanInput = inAnyCase(Plan, "a plan")
export const PaidPlanInput = inAnyCase(PaidPlan, "a plan that can be bought")
export const BillingPeriodInput = inAnyCase(BillingPeriod, "how often a plan is paid for")

/** The billing period of a plan: annual becomes monthly where there is no annual price. */
export const soldPeriod = (plan: Plan, wanted: BillingPeriod): BillingPeriod =>
  wanted === "annual" && !plans[plan].annual ? "monthly" : wanted
