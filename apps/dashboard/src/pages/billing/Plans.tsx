/** The plans side by side, with the way to each. */
import type { Account, BillingPeriod, Plan } from "@mailroom/client"
import type { JSX } from "preact"
import { Button } from "../../components/Button.js"
import { Icon } from "../../components/Icon.js"
import { Badge } from "../../components/Notice.js"
import { planLines, type PlanOffer, planOrder, type PlanStep, planStep } from "../../rules/plans.js"

interface PlansProps {
  readonly account: Account
  readonly offers: Readonly<Record<Plan, PlanOffer>>
  readonly period: BillingPeriod
  readonly onChoose: (plan: Plan, step: PlanStep) => void
  readonly busy: Plan | null
}

const stepLabel = (step: PlanStep, plan: Plan, isThere: boolean): string => {
  switch (step) {
    case "current":
      return "Your plan"
    case "buy":
      return `Choose ${plan}`
    case "give up":
      return "End the paid plan"
    case "upgrade":
      return isThere ? "Change the period" : `Go up to ${plan}`
    case "downgrade":
      return `Go down to ${plan}`
  }
}

interface OfferProps extends Omit<PlansProps, "offers"> {
  readonly plan: Plan
  readonly offer: PlanOffer
  readonly step: PlanStep
}

const Offer = ({ plan, offer, step, account, period, onChoose, busy }: OfferProps): JSX.Element => {
  const isThere = account.plan === plan && account.state !== "payment_required"
  return (
    <li class={isThere ? "plan here" : "plan"}>
      <header class="plan-head">
        <h2>{plan}</h2>
        {isThere && <Badge tone="accent">Your plan</Badge>}
      </header>
      <p class="plan-price">
        <strong>${offer.priceUsd}</strong> <span class="faint">a month</span>
      </p>
      <p class="faint plan-period">
        {plan === "Free"
          ? "For trying"
          : period === "annual" && offer.annual
            ? "Billed by the year"
            : "Billed by the month"}
      </p>
      <ul class="plan-lines">
        {planLines(offer).map(({ text, isIncluded }) => (
          <li key={text} class={isIncluded ? undefined : "faint"}>
            <Icon name={isIncluded ? "check" : "minus"} size={16} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {step !== "current" && (
        <Button
          kind={step === "buy" || step === "upgrade" ? "primary" : "secondary"}
          wide
          busy={busy === plan}
          onClick={() => onChoose(plan, step)}
        >
          {stepLabel(step, plan, isThere)}
        </Button>
      )}
    </li>
  )
}

export const Plans = ({ offers, ...rest }: PlansProps): JSX.Element => (
  <ul class="plans">
    {planOrder.map((plan) => (
      <Offer
        key={plan}
        plan={plan}
        offer={offers[plan]}
        step={planStep(rest.account, plan, rest.period, offers)}
        {...rest}
      />
    ))}
  </ul>
)
