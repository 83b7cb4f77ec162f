/** Plan and billing: what the account has, what it can have, and the way to pay. */
import type { Account, BillingPeriod, Plan } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { OneOf } from "../../components/Choices.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Empty, Notice } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { say, sayError } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { account, setAccount } from "../../data/session.js"
import { settings } from "../../data/settings.js"
import { billingText, lossesOf, type PlanOffer, type PlanStep } from "../../rules/plans.js"
import { countText } from "../../rules/texts.js"
import { Plans } from "./Plans.js"

type PaidPlan = Exclude<Plan, "Free">

/** Goes to the page where the owner pays: of this service, or of Stripe. */
const goTo = (url: string): void => {
  const { origin } = globalThis.location
  const { pathname, search } = new URL(url)
  // The simulated checkout is on this service, which may have another name here than BASE_URL.
  globalThis.location.assign(settings.billing === "simulated" ? `${origin}${pathname}${search}` : url)
}

const Portal = (): JSX.Element => {
  const open = useAction(async () => {
    try {
      goTo((await mailroom.billing.portal()).url)
    } catch (error) {
      sayError(error)
    }
  })
  return (
    <Button busy={open.isRunning} onClick={() => open.run()}>
      Invoices and payment details
    </Button>
  )
}

interface ChangeProps {
  readonly shown: Account
  readonly plan: Plan
  readonly period: BillingPeriod
  readonly offer: PlanOffer
  readonly onClose: () => void
}

const ChangeDialog = ({ shown, plan, period, offer, onClose }: ChangeProps): JSX.Element => {
  const losses = lossesOf(shown, offer)
  return (
    <ConfirmDialog
      title={plan === "Free" ? "End the paid plan?" : `Change to ${plan}?`}
      action={plan === "Free" ? "End the paid plan" : `Change to ${plan}`}
      danger={plan === "Free"}
      onClose={onClose}
      onConfirm={async () => {
        setAccount(await mailroom.billing.changePlan({ plan, period }))
        say(plan === "Free" ? "The paid plan has ended." : `You are on ${plan} now.`)
      }}
    >
      <p>
        {plan === "Free"
          ? "It ends at once, and nothing is charged any more. If your trial is over, agents cannot read or send until you choose a plan again. Mail still arrives and is kept."
          : "It holds at once. The price changes with your next invoice, in proportion to the time."}
      </p>
      {losses.length > 0 && (
        <ul class="bullets">
          {losses.map((loss) => (
            <li key={loss}>{loss}</li>
          ))}
        </ul>
      )}
    </ConfirmDialog>
  )
}

const Lapse = (): JSX.Element => (
  <Card title="When a payment fails">
    <div class="prose">
      <p>
        The payment is tried again for some days. If it fails for good, the account is like one without a
        plan: agents can neither read nor send, mailboxes above the free limit are paused, and mail still
        arrives.
      </p>
      <p>
        Nothing is deleted. Once you pay, everything is as before, and the mail that came meanwhile is shown.
      </p>
    </div>
  </Card>
)

export const Page = (): JSX.Element => {
  const shown = account.value
  const { billing, plans: offers } = settings
  const [period, setPeriod] = useState<BillingPeriod>(shown?.billingPeriod ?? "monthly")
  const [changing, setChanging] = useState<Plan | null>(null)
  const [busy, setBusy] = useState<Plan | null>(null)
  const buy = async (plan: PaidPlan) => {
    setBusy(plan)
    try {
      goTo((await mailroom.billing.upgrade({ plan, period })).checkout_url)
    } catch (error) {
      sayError(error)
      setBusy(null)
    }
  }
  const choose = (plan: Plan, step: PlanStep) => {
    if (step === "buy" && plan !== "Free") void buy(plan)
    else setChanging(plan)
  }
  if (shown === null) return <PageHead title="Billing" />
  return (
    <>
      <PageHead title="Billing" actions={shown.billingLinked && billing === "stripe" && <Portal />}>
        {billing === "none" ? undefined : billingText(shown)}
      </PageHead>
      {billing === "none" || offers === null ? (
        <Card flush>
          <Empty icon="card" title="Nothing is sold here">
            <p>The operator of this service gives your account its limits. You see them under Usage.</p>
          </Empty>
        </Card>
      ) : (
        <>
          {shown.overLimitMessageCount > 0 && (
            <Notice kind="accent" title={countText(shown.overLimitMessageCount, "mail waits", "mails wait")}>
              They arrived above your limit, and are shown once you are on a larger plan.
            </Notice>
          )}
          <OneOf
            legend="How do you want to pay?"
            value={period}
            onChange={setPeriod}
            choices={[
              { value: "monthly", label: "By the month", hint: "Every plan" },
              { value: "annual", label: "By the year", hint: "Developer and Growth" },
            ]}
          />
          <Plans account={shown} offers={offers} period={period} onChoose={choose} busy={busy} />
          {billing === "simulated" && (
            <p class="faint page-foot">The checkout of this service is simulated: no money changes hands.</p>
          )}
          <Lapse />
          {changing !== null && (
            <ChangeDialog
              shown={shown}
              plan={changing}
              period={period}
              offer={offers[changing]}
              onClose={() => setChanging(null)}
            />
          )}
        </>
      )}
    </>
  )
}
