/** The allow and block lists of a mailbox: whose mail it takes, and to whom it may send. */
import type { ListEntry } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, IconButton } from "../../components/Button.js"
import { Form, TextField } from "../../components/Form.js"
import { Failure } from "../../components/Loaded.js"
import { Skeleton } from "../../components/Notice.js"
import { Card } from "../../components/Page.js"
import { Tabs } from "../../components/Tabs.js"
import { say, sayError } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { usePages } from "../../data/pages.js"

interface ListName {
  readonly direction: "receive" | "send"
  readonly kind: "allow" | "block"
}

interface Described extends ListName {
  readonly label: string
  readonly text: string
}

const lists: ReadonlyArray<Described> = [
  {
    direction: "receive",
    kind: "allow",
    label: "Allowed senders",
    text: "Their mail is taken when their domain is proven, also where the mailbox takes mail from few.",
  },
  {
    direction: "receive",
    kind: "block",
    label: "Blocked senders",
    text: "Their mail is refused or kept in quarantine, as chosen above.",
  },
  {
    direction: "send",
    kind: "allow",
    label: "Allowed recipients",
    text: "An entry here lifts a wider block, such as one address of a blocked domain.",
  },
  {
    direction: "send",
    kind: "block",
    label: "Blocked recipients",
    text: "Sends to them are refused.",
  },
]

interface ListProps {
  readonly mailboxId: string
  readonly list: Described
}

const Entries = ({ mailboxId, list: { direction, kind, label, text } }: ListProps): JSX.Element => {
  const [entry, setEntry] = useState("")
  const pages = usePages(`${mailboxId},${direction},${kind}`, (signal) =>
    mailroom.lists.listOfMailbox(mailboxId, direction, kind, { limit: 50 }, { signal }),
  )
  const { items, error, hasMore, isLoading, loadMore, reload, change } = pages
  const add = useAction(async () => {
    const added = await mailroom.lists.addToMailbox(mailboxId, direction, kind, { entry: entry.trim() })
    change((before) => [added, ...before.filter(({ id }) => id !== added.id)])
    setEntry("")
  })
  const remove = async ({ id, entry: removed }: ListEntry): Promise<void> => {
    await mailroom.lists.removeFromMailbox(mailboxId, direction, kind, id)
    change((before) => before.filter((one) => one.id !== id))
    say(`${removed} is off the list.`)
  }
  return (
    <div class="address-list">
      <p class="faint">{text}</p>
      <Form label={label} fields={["entry"]} error={add.error} onSubmit={() => add.run()}>
        <div class="add-line">
          <TextField
            name="entry"
            label="Address or domain"
            value={entry}
            onInput={setEntry}
            placeholder="ada@example.com"
            hint="@example.com is for the whole domain, @*.example.com for its subdomains."
          />
          <Button type="submit" busy={add.isRunning} disabled={entry.trim() === ""}>
            Add
          </Button>
        </div>
      </Form>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {items === undefined && error === undefined && <Skeleton lines={2} />}
      {items?.length === 0 && <p class="faint">Nobody is on this list.</p>}
      {items !== undefined && items.length > 0 && (
        <ul class="entries" aria-label={label}>
          {items.map((one) => (
            <li key={one.id}>
              <span class="entry-name">{one.entry}</span>
              <span class="faint">
                <Time at={one.createdAt} />
              </span>
              <IconButton
                icon="trash"
                label={`Remove ${one.entry}`}
                onClick={() => void remove(one).catch(sayError)}
              />
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <Button size="small" busy={isLoading} onClick={loadMore}>
          Show more
        </Button>
      )}
    </div>
  )
}

export const AddressLists = ({ mailboxId }: { mailboxId: string }): JSX.Element => (
  <Card title="Lists">
    <Tabs
      label="Lists of the mailbox"
      tabs={lists.map((list) => ({
        name: `${list.direction}-${list.kind}`,
        label: list.label,
        content: () => <Entries key={`${list.direction}-${list.kind}`} mailboxId={mailboxId} list={list} />,
      }))}
    />
  </Card>
)
