export * as StripePayments from "./StripePayments.js"
export type { StripePrice } from "./prices.js"
export type { StripeOptions } from "./StripePayments.js"
