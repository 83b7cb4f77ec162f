/** Taking the mail along: each mailbox as a file. */
import type { Mailbox } from "@mailroom/client"
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Loaded } from "../../components/Loaded.js"
import { Card } from "../../components/Page.js"
import { say, sayError } from "../../components/Toasts.js"
import { exportMailbox, saveFile } from "../../data/exporting.js"
import { mailboxes } from "../../data/mailboxes.js"
import { useResource } from "../../data/resource.js"
import { countText } from "../../rules/texts.js"

const Line = ({ mailbox }: { mailbox: Mailbox }): JSX.Element => {
  const [mails, setMails] = useState<number | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const run = async () => {
    const controller = new AbortController()
    running.current = controller
    setMails(0)
    try {
      saveFile(await exportMailbox(mailbox, setMails, controller.signal), `${mailbox.fullAddress}.mbox`)
      say(`The mail of ${mailbox.fullAddress} is saved.`)
    } catch (error) {
      if (!controller.signal.aborted) sayError(error)
    }
    setMails(null)
  }
  return (
    <li class="setting-line">
      <span class="clip">{mailbox.fullAddress}</span>
      {mails === null ? (
        <Button size="small" label={`Save as mbox: ${mailbox.fullAddress}`} onClick={() => void run()}>
          Save as mbox
        </Button>
      ) : (
        <span class="setting-busy">
          <span class="faint" role="status">
            {countText(mails, "mail")}
          </span>
          <Button size="small" onClick={() => running.current?.abort()}>
            Stop
          </Button>
        </span>
      )}
    </li>
  )
}

export const Export = (): JSX.Element => {
  const list = useResource(mailboxes)
  return (
    <Card title="Take your mail along">
      <p class="card-lead">
        An mbox file has every mail of a mailbox with its files, as it was received or sent. Thunderbird,
        Apple Mail and most archives open it.
      </p>
      <Loaded resource={list}>
        {(found) => (
          <ul class="setting-lines">
            {found.map((mailbox) => (
              <Line key={mailbox.id} mailbox={mailbox} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
