export * as StripePayments from "./StripePayments.js"
export type { StripeOptions, StripePrice } from "./StripePayments.js"
