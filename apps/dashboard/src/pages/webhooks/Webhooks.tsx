/** The webhooks of the account, with the state of each. */
import type { Webhook } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button } from "../../components/Button.js"
import { Loaded } from "../../components/Loaded.js"
import { Badge, Empty, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { Time } from "../../components/Values.js"
import { mailroom } from "../../data/client.js"
import { addressIn, mailboxes } from "../../data/mailboxes.js"
import { loader, useResource } from "../../data/resource.js"
import { countText } from "../../rules/texts.js"
import { webhookState } from "../../rules/webhooks.js"
import { WebhookForm } from "./WebhookForm.js"
import { WebhookSecret } from "./WebhookSecret.js"

const webhooks = loader(async (_, signal) => (await mailroom.webhooks.list({ signal })).items)

const Line = ({ webhook, of }: { webhook: Webhook; of: string }): JSX.Element => {
  const { tone, label } = webhookState(webhook)
  return (
    <li>
      <a class="line-link" href={`/dashboard/webhooks/${webhook.id}`}>
        <span class="list-row-main">
          <strong class="clip">{webhook.url}</strong>
          <span class="faint clip">
            {countText(webhook.events.length, "kind")} of events · {of}
          </span>
        </span>
        <span class="faint wide-only">
          {webhook.lastTriggeredAt === null ? "Nothing posted yet" : <Time at={webhook.lastTriggeredAt} />}
        </span>
        <Badge tone={tone}>{label}</Badge>
      </a>
    </li>
  )
}

export const Page = (): JSX.Element => {
  const list = useResource(webhooks)
  const addressOf = addressIn(useResource(mailboxes).data)
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  useShortcuts([{ keys: "c", does: "Create a webhook", run: () => setCreating(true) }])
  const button = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New webhook
    </Button>
  )
  return (
    <>
      <PageHead title="Webhooks" actions={button}>
        Mailroom posts events, such as a mail that arrived, to your programs.
      </PageHead>
      <Card flush>
        <Loaded resource={list} skeleton={<Skeleton lines={3} tall />}>
          {(found) =>
            found.length === 0 ? (
              <Empty icon="hook" title="No webhook yet" actions={button}>
                <p>
                  Create one for a program that runs as a server. A program without an address of its own
                  reads the event stream instead.
                </p>
              </Empty>
            ) : (
              <ul class="line-list">
                {found.map((webhook) => (
                  <Line
                    key={webhook.id}
                    webhook={webhook}
                    of={
                      webhook.mailboxId === null
                        ? "all mailboxes"
                        : (addressOf(webhook.mailboxId) ?? "one mailbox")
                    }
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {isCreating && (
        <WebhookForm
          onClose={() => setCreating(false)}
          onSave={async ({ url, events, mailboxId, headers }) => {
            const created = await mailroom.webhooks.create({
              url,
              events,
              ...(mailboxId !== undefined && { mailboxId }),
              ...(headers !== undefined && headers !== null && { headers }),
            })
            setCreating(false)
            setSecret(created.secret)
            list.reload()
          }}
        />
      )}
      {secret !== null && <WebhookSecret secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}
