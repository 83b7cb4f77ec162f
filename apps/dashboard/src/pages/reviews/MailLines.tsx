/** The head of a mail as it leaves: who sends it, every recipient, and whatever else its readers or their programs see. */
import type { DraftListItem } from "@mailroom/client"
import type { ComponentChildren, JSX } from "preact"
import { Badge } from "../../components/Notice.js"
import { Button } from "../../components/Button.js"
import { sayError } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { saveFile } from "../../data/download.js"
import { recipientOf, sameAddress } from "../../rules/recipients.js"
import { newRecipients } from "../../rules/reviews.js"
import { leavingText } from "../../rules/schedule.js"

const Line = ({ name, children }: { name: string; children: ComponentChildren }): JSX.Element => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

const Person = ({ text, isNew }: { text: string; isNew: boolean }): JSX.Element => {
  const { address, name } = recipientOf(text)
  return (
    <li class="person">
      {name !== null && <bdi class="person-name">{name}</bdi>}
      <bdi class="person-address">{address}</bdi>
      {isNew && (
        <span title="The mailbox does not know this address: no proven mail came from it, and nobody approved it before.">
          <Badge tone="warn">New</Badge>
        </span>
      )}
    </li>
  )
}

const People = ({
  name,
  list,
  fresh,
}: {
  name: string
  list: ReadonlyArray<string>
  fresh: ReadonlySet<string>
}): JSX.Element | null =>
  list.length === 0 ? null : (
    <Line name={name}>
      <ul class="people">
        {list.map((text) => (
          <Person key={text} text={text} isNew={fresh.has(sameAddress(text))} />
        ))}
      </ul>
    </Line>
  )

const Submitted = ({ id, filename }: { id: string; filename: string }): JSX.Element => {
  const save = useAction(() => saveFile(id, filename).catch(sayError))
  return (
    <Line name="Form">
      It came by SMTP and leaves byte for byte as it came, with whatever its program put into it.{" "}
      <Button kind="quiet" size="small" busy={save.isRunning} onClick={() => save.run()}>
        Save the raw mail
      </Button>
    </Line>
  )
}

export const MailLines = ({ draft }: { draft: DraftListItem }): JSX.Element => {
  const { fromName, fromAddress, to, cc, bcc, replyTo, headers, bulk, sendAt, submitted, review } = draft
  const fresh = newRecipients(review?.reasons ?? [])
  return (
    <dl class="mail-lines">
      <Line name="From">
        {fromName !== null && <bdi class="person-name">{fromName}</bdi>}{" "}
        <bdi class="person-address">{fromAddress}</bdi>
      </Line>
      <People name="To" list={to} fresh={fresh} />
      <People name="Cc" list={cc} fresh={fresh} />
      <People name="Bcc" list={bcc} fresh={fresh} />
      {replyTo !== null && <Line name="Answers to">{replyTo}</Line>}
      {bulk && <Line name="Bulk">Each recipient gets a mail of their own, with a link to unsubscribe.</Line>}
      {sendAt !== null && <Line name="Leaves">{leavingText(new Date(sendAt))}, once you approve it</Line>}
      {Object.entries(headers).map(([name, value]) => (
        <Line key={name} name={name}>
          {value}
        </Line>
      ))}
      {submitted !== null && <Submitted {...submitted} />}
    </dl>
  )
}
