/** How to get the first mail: from a mail program, or from the simulator, which answers what is sent to it. */
import type { Mailbox } from "@mailroom/client"
import type { JSX } from "preact"
import { Button } from "../../components/Button.js"
import { CodeBlock, CopyField } from "../../components/Copy.js"
import { say, sayError } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { settings } from "../../data/settings.js"
import { type Agent, firstMail } from "../../rules/snippets.js"

interface MailStepProps {
  readonly agent: Agent
  readonly mailbox: Mailbox
  readonly isVerified: boolean
}

export const MailStep = ({ agent, mailbox, isVerified }: MailStepProps): JSX.Element => {
  const simulate = useAction(() =>
    mailroom.messages
      .send(mailbox.id, {
        to: [`auto-reply@simulator.${settings.platformDomain}`],
        subject: "Is anybody there?",
        bodyText: "A first mail, so that one comes back.",
      })
      .then(() => say("The simulator answers in a moment."))
      .catch(sayError),
  )
  return (
    <>
      <p>Write to this address from your mail program. The mail appears here the moment it arrives.</p>
      <CopyField label="the address" text={mailbox.fullAddress} />
      {isVerified && (
        <div class="step-actions">
          <Button busy={simulate.isRunning} icon="send" onClick={() => simulate.run()}>
            Get a mail from the simulator
          </Button>
        </div>
      )}
      <p>Your agent waits for it like this:</p>
      <CodeBlock label="Wait for a mail" codes={firstMail(agent)} />
    </>
  )
}
