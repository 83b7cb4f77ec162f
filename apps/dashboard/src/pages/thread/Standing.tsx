/** What holds a message back or keeps it busy: quarantine, a worker that has it, a failed delivery. Each with what to do. */
import type { Message } from "@mailroom/client"
import type { JSX } from "preact"
import { Button } from "../../components/Button.js"
import { Notice } from "../../components/Notice.js"
import { say, sayError } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { statusWords } from "../../rules/messages.js"
import { quarantineText } from "../../rules/trust.js"
import { Claimed } from "./Claimed.js"

export interface ChangeProps {
  readonly message: Message
  /** shows the message as the service answered a change */
  readonly onChanged: (message: Message) => void
  /** the thread has other messages now */
  readonly onChange: () => void
}

const Quarantined = ({ message, onChanged, onChange }: ChangeProps): JSX.Element | null => {
  const { mailboxId, id, quarantined } = message
  const release = useAction(async () => {
    try {
      await mailroom.claims.release(mailboxId, id)
      onChanged({ ...message, quarantined: null })
      onChange()
      say("The message is released: your agents see it now.")
    } catch (error) {
      sayError(error)
    }
  })
  if (quarantined === null) return null
  return (
    <Notice
      kind="warn"
      title="This message is in quarantine"
      actions={
        <Button size="small" busy={release.isRunning} onClick={() => release.run()}>
          Release
        </Button>
      }
    >
      {quarantined.reasons.map(quarantineText).join(" ")} Your agents do not see it. Release it to open its
      files and to answer.
    </Notice>
  )
}

export const Standing = (props: ChangeProps): JSX.Element => {
  const { message } = props
  const status = statusWords(message.status)
  return (
    <>
      <Quarantined {...props} />
      {status !== null && (status.tone === "bad" || status.tone === "warn") && (
        <Notice kind={status.tone} title={status.label}>
          {status.text}
        </Notice>
      )}
      <Claimed {...props} />
      {message.attachmentsDropped && (
        <Notice kind="warn" title="Files are missing">
          The mail had {message.attachmentsDroppedReason === "count" ? "more" : "larger"} files than the
          service keeps. The raw mail still has them.
        </Notice>
      )}
    </>
  )
}
