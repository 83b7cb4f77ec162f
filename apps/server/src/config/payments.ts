/** The variables of BILLING=stripe: their parsers, and the check that none is missing. */
import { type BillingMode, type Bought, PaidPlan, plans } from "@mailroom/domain"
import type { PaymentChoice } from "@mailroom/node"
import { Config, ConfigError, Either, Option, Redacted } from "effect"
import { oneOf } from "./parsers.js"

/** A price of Stripe, and the plan and period that it sells. */
export interface PlanPrice extends Bought {
  readonly id: string
}

/** All plans and periods that are sold. Each needs a price. */
const sold: ReadonlyArray<Bought> = PaidPlan.literals.flatMap((plan) => [
  { plan, period: "monthly" as const },
  ...(plans[plan].annual ? [{ plan, period: "annual" as const }] : []),
])

const nameOf = ({ plan, period }: Bought): string => `${plan}:${period}`

/** `Developer:monthly=price_…` */
const price = (text: string): Option.Option<PlanPrice> =>
  Option.gen(function* () {
    const [, name = "", id = ""] = /^([^=]+)=(price_\w+)$/.exec(text) ?? []
    const known = yield* oneOf(...sold.map(nameOf))(name)
    const bought = yield* Option.fromNullable(sold.find((one) => nameOf(one) === known))
    return { ...bought, id }
  })

/** A list of prices. Each plan and period and each price may occur once, so that a price identifies what it sells. */
export const stripePrices = (text: string): Option.Option<ReadonlyArray<PlanPrice>> =>
  Option.all(text.split(",").map((part) => price(part.trim()))).pipe(
    Option.filter(
      (prices) =>
        new Set(prices.map(nameOf)).size === prices.length &&
        new Set(prices.map(({ id }) => id)).size === prices.length,
    ),
  )

export const STRIPE_PRICES_ACCEPTED = `a comma-separated list of {plan}:{period}=price_…, one for each of ${sold.map(nameOf).join(", ")}`

/** A secret that begins with a prefix of Stripe. */
export const stripeSecret =
  (prefix: RegExp) =>
  (text: string): Option.Option<Redacted.Redacted> =>
    prefix.test(text) && !/\s/.test(text) ? Option.some(Redacted.make(text)) : Option.none()

interface Given {
  readonly billing: BillingMode
  readonly secretKey: Option.Option<Redacted.Redacted>
  readonly webhookSecret: Option.Option<Redacted.Redacted>
  readonly prices: Option.Option<ReadonlyArray<PlanPrice>>
}

const missing = (variable: string, message: string) =>
  Either.left(ConfigError.MissingData([variable], `BILLING=stripe needs ${message}`))

/** The payment provider. Stripe's variables are required for BILLING=stripe and ignored otherwise. */
export const paymentChoice = (given: Config.Config<Given>): Config.Config<PaymentChoice> =>
  Config.mapOrFail(
    given,
    ({
      billing,
      secretKey,
      webhookSecret,
      prices,
    }): Either.Either<PaymentChoice, ConfigError.ConfigError> => {
      if (billing !== "stripe") return Either.right({ kind: "simulated" })
      if (Option.isNone(secretKey)) return missing("STRIPE_SECRET_KEY", "STRIPE_SECRET_KEY, which is not set")
      if (Option.isNone(webhookSecret))
        return missing("STRIPE_WEBHOOK_SECRET", "STRIPE_WEBHOOK_SECRET, which is not set")
      if (Option.isNone(prices)) return missing("STRIPE_PRICES", "STRIPE_PRICES, which is not set")
      const names = new Set(prices.value.map(nameOf))
      const without = sold.map(nameOf).filter((name) => !names.has(name))
      if (without.length > 0)
        return missing("STRIPE_PRICES", `a price in STRIPE_PRICES for ${without.join(", ")}`)
      return Either.right({
        kind: "stripe",
        secretKey: secretKey.value,
        webhookSecret: webhookSecret.value,
        prices: prices.value,
      })
    },
  )
