/** One webhook: its state, what it gets, its deliveries, and what can be done with it. */
import type { Webhook } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { navigate } from "../../app/router.js"
import type { PageProps } from "../../app/routes.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button } from "../../components/Button.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Icon } from "../../components/Icon.js"
import { Loaded } from "../../components/Loaded.js"
import { Menu } from "../../components/Menu.js"
import { Badge, Notice, Skeleton } from "../../components/Notice.js"
import { BackLink, Card, Facts, PageHead } from "../../components/Page.js"
import { say, sayError } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { addressIn, mailboxes } from "../../data/mailboxes.js"
import { loader, type Resource, useResource } from "../../data/resource.js"
import { webhookState } from "../../rules/webhooks.js"
import { Deliveries } from "./Deliveries.js"
import { WebhookForm } from "./WebhookForm.js"
import { WebhookSecret } from "./WebhookSecret.js"

const webhook = loader((id, signal) => mailroom.webhooks.get(id, { signal }))

type Open = "edit" | "rotate" | "remove" | null

const About = ({ shown }: { shown: Webhook }): JSX.Element => {
  const addressOf = addressIn(useResource(mailboxes).data)
  const { tone, label, text } = webhookState(shown)
  return (
    <Card>
      <Facts
        facts={[
          { name: "State", value: <Badge tone={tone}>{label}</Badge> },
          {
            name: "Events of",
            value:
              shown.mailboxId === null ? "All mailboxes" : (addressOf(shown.mailboxId) ?? shown.mailboxId),
          },
          {
            name: "Events",
            value: (
              <span class="codes">
                {shown.events.map((kind) => (
                  <code key={kind}>{kind}</code>
                ))}
              </span>
            ),
          },
          {
            name: "Headers",
            value: shown.headers === null ? "None" : <code>{Object.keys(shown.headers).join(", ")}</code>,
          },
          { name: "Created", value: <Time at={shown.createdAt} /> },
        ]}
      />
      <p class="card-foot faint">{text}</p>
    </Card>
  )
}

interface ControlsProps {
  readonly found: Resource<Webhook>
  readonly shown: Webhook
  /** a test event was added to the deliveries */
  readonly onTested: () => void
}

const Controls = ({ found, shown, onTested }: ControlsProps): JSX.Element => {
  const [open, setOpen] = useState<Open>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const isActive = shown.status === "ACTIVE"
  const toggle = useAction(async () => {
    try {
      found.set(await mailroom.webhooks.update(shown.id, { status: isActive ? "PAUSED" : "ACTIVE" }))
      say(isActive ? "The webhook is paused." : "The webhook is active.")
    } catch (error) {
      sayError(error)
    }
  })
  const test = useAction(() =>
    mailroom.webhooks
      .test(shown.id)
      .then(() => say("A test event is on its way."))
      .then(onTested)
      .catch(sayError),
  )
  const close = () => setOpen(null)
  useShortcuts([
    { keys: "t", does: "Send a test event", run: () => test.run() },
    { keys: "p", does: isActive ? "Pause the webhook" : "Start the webhook", run: () => toggle.run() },
    { keys: "e", does: "Change the webhook", run: () => setOpen("edit") },
  ])
  return (
    <>
      <Button icon="send" busy={test.isRunning} onClick={() => test.run()}>
        Send a test event
      </Button>
      <Button icon={isActive ? "pause" : "play"} busy={toggle.isRunning} onClick={() => toggle.run()}>
        {isActive ? "Pause" : "Start"}
      </Button>
      <Menu
        label="More for this webhook"
        items={[
          { label: "Change", icon: "gear", run: () => setOpen("edit") },
          { label: "Replace the secret", icon: "key", run: () => setOpen("rotate") },
          { label: "Delete", icon: "trash", danger: true, run: () => setOpen("remove") },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {open === "edit" && (
        <WebhookForm
          webhook={shown}
          onClose={close}
          onSave={async ({ url, events, headers }) => {
            found.set(
              await mailroom.webhooks.update(shown.id, {
                url,
                events,
                ...(headers !== undefined && { headers }),
              }),
            )
            close()
            say("The webhook is changed.")
          }}
        />
      )}
      {open === "rotate" && (
        <ConfirmDialog
          title="Replace the secret?"
          action="Replace secret"
          onClose={close}
          onConfirm={async () => setSecret((await mailroom.webhooks.rotateSecret(shown.id)).secret)}
        >
          <p>
            For 24 hours requests are signed with the old secret, too, so that your receiver can change over.
          </p>
        </ConfirmDialog>
      )}
      {open === "remove" && (
        <ConfirmDialog
          title="Delete this webhook?"
          action="Delete webhook"
          danger
          onClose={close}
          onConfirm={async () => {
            await mailroom.webhooks.remove(shown.id)
            say("The webhook is deleted.")
            navigate("/dashboard/webhooks", { replace: true })
          }}
        >
          <p>Nothing is posted any more, and its deliveries disappear. Mail and events stay.</p>
        </ConfirmDialog>
      )}
      {secret !== null && <WebhookSecret secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

export const Page = ({ params }: PageProps): JSX.Element => {
  const found = useResource(webhook, params["webhookId"])
  const [tests, setTests] = useState(0)
  const { data } = found
  return (
    <>
      <BackLink href="/dashboard/webhooks">Webhooks</BackLink>
      <PageHead
        title={data?.url ?? "Webhook"}
        actions={
          data !== undefined && <Controls found={found} shown={data} onTested={() => setTests(tests + 1)} />
        }
      />
      <Loaded resource={found} skeleton={<Skeleton lines={6} tall />}>
        {(shown) => (
          <>
            {shown.status === "FAILED" && (
              <Notice kind="bad" title="Mailroom stopped this webhook">
                {webhookState(shown).text}
              </Notice>
            )}
            <About shown={shown} />
            <Deliveries webhook={shown} tests={tests} />
          </>
        )}
      </Loaded>
    </>
  )
}
