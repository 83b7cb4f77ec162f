/** The worker that has a message, and the way to take the message back. */
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Notice } from "../../components/Notice.js"
import { say } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { mailroom } from "../../data/client.js"
import { workerText } from "../../rules/claims.js"
import type { ChangeProps } from "./Standing.js"

export const Claimed = ({ message, onChanged, onChange }: ChangeProps): JSX.Element | null => {
  const { claim, id, mailboxId } = message
  const [isAsking, setAsking] = useState(false)
  if (claim === null) return null
  const worker = workerText(claim.claimedBy)
  if (claim.state === "COMPLETED")
    return (
      <Notice
        kind="good"
        title={
          claim.claimedBy === null
            ? "The work on this message is done"
            : `The work on this message is done, by ${worker}`
        }
      />
    )
  const takeBack = async (): Promise<void> => {
    await mailroom.claims.takeBack(mailboxId, id)
    onChanged({ ...message, claim: null })
    onChange()
    say("The message is released: any worker may claim it now.")
  }
  return (
    <>
      <Notice
        kind="accent"
        title={
          <>
            Claimed by {worker}
            {claim.expiresAt !== null && (
              <>
                {" "}
                until <Time at={claim.expiresAt} />
              </>
            )}
          </>
        }
        actions={
          <Button size="small" onClick={() => setAsking(true)}>
            Release
          </Button>
        }
      >
        The worker may take longer by renewing its claim. Other workers leave the message alone meanwhile.
      </Notice>
      {isAsking && (
        <ConfirmDialog
          title="Release this message?"
          action="Release message"
          onConfirm={takeBack}
          onClose={() => setAsking(false)}
        >
          <p>
            It is free at once, and the next worker that asks gets it. Its worker now loses the claim: it can
            neither renew it nor mark the work as done. An answer that it sends all the same is sent, so two
            answers are possible.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
