/** The mailboxes of the account. */
import type { Mailbox } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { navigate } from "../../app/router.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button, LinkButton } from "../../components/Button.js"
import { CopyButton } from "../../components/Copy.js"
import { Loaded } from "../../components/Loaded.js"
import { Badge, Empty, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { useLiveRefresh } from "../../data/live.js"
import { useResource } from "../../data/resource.js"
import { mailboxState, policyWords } from "../../rules/policies.js"
import { numberText } from "../../rules/texts.js"
import { CreateMailbox } from "./CreateMailbox.js"
import { mailboxes } from "./allMailboxes.js"

const Line = ({ mailbox }: { mailbox: Mailbox }): JSX.Element => {
  const state = mailboxState(mailbox)
  const policies = policyWords(mailbox)
  return (
    <li class="mailbox-row">
      <div class="mailbox-names">
        <span class="mailbox-address">
          <a href={`/dashboard/mailboxes/${mailbox.id}`}>{mailbox.fullAddress}</a>
          <CopyButton text={mailbox.fullAddress} label={`Copy ${mailbox.fullAddress}`} />
        </span>
        <span class="faint clip" dir="auto">
          {[mailbox.displayName ?? "", policies].filter((text) => text !== "").join(" · ")}
        </span>
      </div>
      <div class="mailbox-counts">
        <span>
          <strong>{numberText(mailbox.receivedThisMonth)}</strong> received
        </span>
        <span>
          <strong>{numberText(mailbox.monthlySendCount)}</strong> sent this month
        </span>
      </div>
      <Badge tone={state.tone}>{state.label}</Badge>
      <LinkButton size="small" kind="quiet" icon="mail" href={`/dashboard/mail?mailbox=${mailbox.id}`}>
        Mail
      </LinkButton>
    </li>
  )
}

export const Page = (): JSX.Element => {
  const list = useResource(mailboxes)
  const [isCreating, setCreating] = useState(false)
  useShortcuts([{ keys: "n", does: "Create a mailbox", run: () => setCreating(true) }])
  useLiveRefresh(["message.received", "message.sent", "mailbox.sending_stopped"], list.refresh)
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New mailbox
    </Button>
  )
  return (
    <>
      <PageHead title="Mailboxes" actions={create}>
        The addresses of your agents, and what each may do.
      </PageHead>
      <Card flush>
        <Loaded resource={list} skeleton={<Skeleton lines={3} tall />}>
          {(items) =>
            items.length === 0 ? (
              <Empty icon="archive" title="No mailbox yet" actions={create}>
                <p>A mailbox has an address, to which people write and from which your agent answers.</p>
              </Empty>
            ) : (
              <ul class="mailbox-list">
                {items.map((mailbox) => (
                  <Line key={mailbox.id} mailbox={mailbox} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {isCreating && (
        <CreateMailbox
          onClose={() => setCreating(false)}
          onCreated={(mailbox) => {
            setCreating(false)
            navigate(`/dashboard/mailboxes/${mailbox.id}`)
          }}
        />
      )}
    </>
  )
}
