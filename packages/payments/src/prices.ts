/** Which of Stripe's prices sells which plan (decisions §1, STRIPE_PRICES). */
import type { Bought } from "@mailroom/domain"

export interface StripePrice extends Bought {
  /** `price_…` */
  readonly id: string
}

export type StripePrices = ReadonlyArray<StripePrice>

/** The price that sells a plan; null when none does. */
export const priceOf = (prices: StripePrices, { plan, period }: Bought): string | null =>
  prices.find((price) => price.plan === plan && price.period === period)?.id ?? null

/** What a price sells; null when it is of before, or of something else. */
export const soldBy = (prices: StripePrices, id: string | undefined): Bought | null => {
  const price = prices.find((one) => one.id === id)
  return price === undefined ? null : { plan: price.plan, period: price.period }
}
