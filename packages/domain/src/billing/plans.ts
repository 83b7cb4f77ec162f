/** Plans and their numbers (spec, Plans). `null` is unlimited. */
import { Schema } from "effect"
import { GB } from "../limits.js"

export const Plan = Schema.Literal("Free", "Developer", "Growth", "Scale").annotations({
  identifier: "Plan",
  description: "A plan",
})
export type Plan = typeof Plan.Type

export const BillingPeriod = Schema.Literal("monthly", "annual").annotations({
  identifier: "BillingPeriod",
  description: "How often a plan is paid",
})
export type BillingPeriod = typeof BillingPeriod.Type

/** Input that is one of the words of a schema, in any case. */
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
  /** decisions §3: an annual intent for a plan without an annual price falls back to monthly */
  readonly annual: boolean
}

export const plans: { readonly [P in Plan]: PlanLimits } = {
  Free: {
    priceUsd: 0,
    mailboxes: 3,
    sendsPerDay: 100, // the specification also says 50; decisions §3 settles it
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

/** A plan that is bought: everything but Free. */
export const PaidPlan = Schema.Literal("Developer", "Growth", "Scale").annotations({
  identifier: "PaidPlan",
  description: "A plan that is bought",
})
export type PaidPlan = typeof PaidPlan.Type

/** What requests name, in any case. */
export const PlanInput = inAnyCase(Plan, "a plan")
export const PaidPlanInput = inAnyCase(PaidPlan, "a plan that is bought")
export const BillingPeriodInput = inAnyCase(BillingPeriod, "how often a plan is paid")

/** The period a plan is really sold in. */
export const soldPeriod = (plan: PaidPlan, wanted: BillingPeriod): BillingPeriod =>
  wanted === "annual" && !plans[plan].annual ? "monthly" : wanted
