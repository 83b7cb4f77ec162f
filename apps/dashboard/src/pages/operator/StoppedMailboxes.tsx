/** The mailboxes of all accounts that may not send, with the way to let them. */
import type { StoppedMailbox } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Loaded } from "../../components/Loaded.js"
import { Card } from "../../components/Page.js"
import { say } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { useResource } from "../../data/resource.js"
import { stoppedText } from "../../rules/health.js"
import { admin, stopped } from "./operatorApi.js"

export const StoppedMailboxes = (): JSX.Element => {
  const found = useResource(stopped)
  const [resuming, setResuming] = useState<StoppedMailbox | null>(null)
  return (
    <Card title="Stopped mailboxes" flush>
      <Loaded resource={found}>
        {(list) =>
          list.length === 0 ? (
            <p class="card-line faint">None. Mailboxes with too many bounces or complaints appear here.</p>
          ) : (
            <ul class="line-list">
              {list.map((mailbox) => (
                <li key={mailbox.mailboxId} class="list-row">
                  <span class="list-row-main">
                    <strong class="clip">{mailbox.address}</strong>
                    <span class="faint">
                      {mailbox.reason === "BOUNCES" ? "Too many bounces" : "Too many complaints"}
                    </span>
                  </span>
                  <a href={`/operator/accounts?q=${encodeURIComponent(mailbox.slug)}`}>{mailbox.slug}</a>
                  <span class="faint wide-only">
                    <Time at={mailbox.at} />
                  </span>
                  <Button size="small" onClick={() => setResuming(mailbox)}>
                    Let it send
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {resuming !== null && (
        <ConfirmDialog
          title={`Let ${resuming.address} send again?`}
          action="Let it send"
          onClose={() => setResuming(null)}
          onConfirm={async () => {
            await admin().resumeSending(resuming.mailboxId)
            say(`${resuming.address} may send again.`)
            found.reload()
          }}
        >
          <p>{stoppedText(resuming)}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
