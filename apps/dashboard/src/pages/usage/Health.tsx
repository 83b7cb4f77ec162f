/** Sending health: whether mailboxes may go on sending, and how near the limits the account is. */
import type { Mailbox, MetricCounts } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Badge, Notice } from "../../components/Notice.js"
import { Card, Facts } from "../../components/Page.js"
import { say } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { mailroom } from "../../data/client.js"
import { BOUNCES_MAX, COMPLAINTS_MAX, type HealthWords, shareWords, stoppedText } from "../../rules/health.js"

const Share = ({ words }: { words: HealthWords }): JSX.Element => (
  <span class="share">
    <Badge tone={words.tone}>{words.label}</Badge>
    <span class="faint">{words.text}</span>
  </span>
)

interface HealthProps {
  readonly totals: MetricCounts
  /** such as `30 days` */
  readonly time: string
}

export const Health = ({ totals, time }: HealthProps): JSX.Element => (
  <Card title="Sending health">
    <Facts
      facts={[
        {
          name: `Bounced in ${time}`,
          value: <Share words={shareWords(totals.bounced, totals.sent, BOUNCES_MAX)} />,
        },
        {
          name: `Reported as spam in ${time}`,
          value: <Share words={shareWords(totals.complained, totals.sent, COMPLAINTS_MAX)} />,
        },
      ]}
    />
    <p class="card-foot faint">
      Each mailbox is judged by its own last 1,000 sends. Addresses that do not exist count as bounces; a full
      mailbox does not. Half way to a limit you are warned.
    </p>
  </Card>
)

export const Stopped = ({
  mailbox,
  onResumed,
}: {
  mailbox: Mailbox
  onResumed: () => void
}): JSX.Element | null => {
  const [isAsking, setAsking] = useState(false)
  const { sendingStopped } = mailbox
  if (sendingStopped === null) return null
  return (
    <>
      <Notice
        kind="bad"
        title={`${mailbox.fullAddress} may not send`}
        actions={
          <Button size="small" onClick={() => setAsking(true)}>
            Let it send again
          </Button>
        }
      >
        {stoppedText(sendingStopped)} Stopped <Time at={sendingStopped.at} />.
      </Notice>
      {isAsking && (
        <ConfirmDialog
          title={`Let ${mailbox.fullAddress} send again?`}
          action="Let it send"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await mailroom.mailboxes.resumeSending(mailbox.id)
            say(`${mailbox.fullAddress} may send again.`)
            onResumed()
          }}
        >
          <p>{stoppedText(sendingStopped)}</p>
          <p>It is judged anew from its next send on. If the cause is still there, it is stopped again.</p>
        </ConfirmDialog>
      )}
    </>
  )
}
