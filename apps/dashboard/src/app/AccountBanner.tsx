/** What the state of the account means for the owner, with the next step. Nothing while all is well. */
import type { Account } from "@mailroom/client"
import type { JSX } from "preact"
import { LinkButton } from "../components/Button.js"
import { Notice } from "../components/Notice.js"
import { Time } from "../components/Values.js"
import { account } from "../data/session.js"
import { settings } from "../data/settings.js"
import { countText } from "../rules/texts.js"
import { ResendButton } from "./ResendButton.js"
import { place } from "./router.js"

const Unverified = ({ email }: Account): JSX.Element => (
  <Notice kind="warn" title="Verify your address" actions={<ResendButton email={email} size="small" />}>
    Open the link in the mail to {email}. Until then your agents receive mail and cannot send.
  </Notice>
)

const upgradeLink = (
  <LinkButton size="small" kind="primary" href="/dashboard/billing">
    See plans
  </LinkButton>
)

const Trial = ({ trial }: Account): JSX.Element | null =>
  trial === null ? null : (
    <Notice kind="accent" title="Trial" actions={upgradeLink}>
      {countText(trial.sendsRemaining, "send")}, to your own address only, and{" "}
      {countText(trial.receivesRemaining, "received mail")} are left. It ends <Time at={trial.expiresAt} />.
    </Notice>
  )

const Paused = (): JSX.Element => (
  <Notice kind="warn" title="All sending is paused">
    Sends are refused and scheduled mails wait. The switch in the navigation resumes them.
  </Notice>
)

const stateOf = (shown: Account): JSX.Element | null => {
  switch (shown.state) {
    case "unverified":
      // The first steps begin with it.
      return place.value.path === "/onboarding" ? null : <Unverified {...shown} />
    case "trial":
      return <Trial {...shown} />
    case "payment_required":
      return (
        <Notice kind="bad" title="The trial is over" actions={upgradeLink}>
          Mail still arrives and is kept. To read it and to send, choose a plan.
        </Notice>
      )
    case "suspended":
      return (
        <Notice kind="bad" title="This account is suspended">
          {shown.suspendedReason ?? "The operator of this service has stopped it."}
          {settings.support && " Ask the operator in the settings."}
        </Notice>
      )
    case "active":
      return null
  }
}

export const AccountBanner = (): JSX.Element | null => {
  const shown = account.value
  if (shown === null) return null
  return (
    <div class="banners">
      {stateOf(shown)}
      {shown.sendingPaused && <Paused />}
    </div>
  )
}
