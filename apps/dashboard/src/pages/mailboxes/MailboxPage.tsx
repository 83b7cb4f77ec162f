/** One mailbox: its address and name, what it may send and receive, its lists, and its end. */
import type { Mailbox, UpdateMailboxBody } from "@mailroom/client"
import type { JSX } from "preact"
import { useRef, useState } from "preact/hooks"
import { navigate } from "../../app/router.js"
import type { PageProps } from "../../app/routes.js"
import { Button, LinkButton } from "../../components/Button.js"
import { CopyField } from "../../components/Copy.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Form, Switch, TextField } from "../../components/Form.js"
import { Loaded } from "../../components/Loaded.js"
import { Notice, Skeleton } from "../../components/Notice.js"
import { Card, Facts, PageHead } from "../../components/Page.js"
import { say, sayError } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { useLiveRefresh } from "../../data/live.js"
import { loader, useResource } from "../../data/resource.js"
import { mailboxState } from "../../rules/policies.js"
import { numberText } from "../../rules/texts.js"
import { AddressLists } from "./AddressLists.js"
import { ReceivePolicies, SendPolicies } from "./Policies.js"

const mailboxLoader = loader((id, signal) => mailroom.mailboxes.get(id, { signal }))

interface PartProps {
  readonly mailbox: Mailbox
  readonly onChanged: (mailbox: Mailbox) => void
}

const Identity = ({ mailbox, onChanged }: PartProps): JSX.Element => {
  const [name, setName] = useState(mailbox.displayName ?? "")
  const save = useAction(async () => {
    const displayName = name.trim() === "" ? null : name.trim()
    onChanged(await mailroom.mailboxes.update(mailbox.id, { displayName }))
    say("The name is saved.")
  })
  return (
    <Card title="Address">
      <div class="form">
        <CopyField label="the address" text={mailbox.fullAddress} />
        <Form fields={["displayName"]} error={save.error} onSubmit={() => save.run()}>
          <div class="add-line">
            <TextField
              name="displayName"
              label="Name"
              value={name}
              onInput={setName}
              hint="Recipients see it beside the address."
            />
            <Button
              type="submit"
              busy={save.isRunning}
              disabled={name.trim() === (mailbox.displayName ?? "")}
            >
              Save
            </Button>
          </div>
        </Form>
      </div>
    </Card>
  )
}

const ofLimit = (count: number, limit: number | null): string =>
  limit === null ? numberText(count) : `${numberText(count)} of ${numberText(limit)}`

const Activity = ({ mailbox, onChanged }: PartProps): JSX.Element => {
  const state = mailboxState(mailbox)
  const change = async (call: Promise<Mailbox>): Promise<void> => {
    try {
      onChanged(await call)
    } catch (error) {
      sayError(error)
    }
  }
  return (
    <Card title="Now">
      {mailbox.status !== "suspended" && (
        <Switch
          label="Pause this mailbox"
          hint="It receives, and does not send."
          checked={mailbox.status === "paused"}
          onChange={(checked) =>
            void change(mailroom.mailboxes.update(mailbox.id, { status: checked ? "paused" : "ACTIVE" }))
          }
        />
      )}
      {state.tone === "bad" && (
        <Notice
          kind="bad"
          title={state.label}
          actions={
            mailbox.sendingStopped !== null && (
              <Button size="small" onClick={() => void change(mailroom.mailboxes.resumeSending(mailbox.id))}>
                Resume sending
              </Button>
            )
          }
        >
          {state.text}
        </Notice>
      )}
      <Facts
        facts={[
          { name: "Sent today", value: ofLimit(mailbox.dailySendCount, mailbox.dailySendLimit) },
          { name: "Sent this month", value: ofLimit(mailbox.monthlySendCount, mailbox.monthlySendLimit) },
          { name: "Received this month", value: numberText(mailbox.receivedThisMonth) },
        ]}
      />
    </Card>
  )
}

const Removal = ({ mailbox }: { mailbox: Mailbox }): JSX.Element => {
  const [isAsking, setAsking] = useState(false)
  return (
    <Card title="Delete">
      <div class="removal">
        <p class="faint">
          The mailbox and all of its mail are deleted, for you and your agents. Mail to the address is then
          refused.
        </p>
        <Button kind="danger" icon="trash" onClick={() => setAsking(true)}>
          Delete mailbox
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${mailbox.fullAddress}?`}
          action="Delete mailbox"
          danger
          typed={mailbox.address}
          onConfirm={async () => {
            await mailroom.mailboxes.remove(mailbox.id)
            say(`${mailbox.fullAddress} is deleted.`)
            navigate("/dashboard/mailboxes", { replace: true })
          }}
          onClose={() => setAsking(false)}
        >
          <p>All of its mail is deleted with it. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

/**
 * Saves choices in turn, each as soon as the one before is saved. `wanted`: those that are not saved yet, which are shown meanwhile, so
 * that a further choice adds to them; a refused one is shown no more.
 */
const useChoices = (mailboxId: string, onSaved: (mailbox: Mailbox) => void) => {
  const [wanted, setWanted] = useState<UpdateMailboxBody>({})
  const last = useRef<Promise<void>>(Promise.resolve())
  const saving = useRef(0)
  const saveAfter = async (before: Promise<void>, change: UpdateMailboxBody): Promise<void> => {
    await before
    try {
      onSaved(await mailroom.mailboxes.update(mailboxId, change))
      say("Saved.")
    } catch (error) {
      sayError(error)
    }
    if (--saving.current === 0) setWanted({})
  }
  const save = (change: UpdateMailboxBody): void => {
    saving.current++
    setWanted((before) => ({ ...before, ...change }))
    last.current = saveAfter(last.current, change)
  }
  return { wanted, save }
}

export const Page = ({ params }: PageProps): JSX.Element => {
  const { mailboxId = "" } = params
  const resource = useResource(mailboxLoader, mailboxId)
  const { data, refresh, set } = resource
  useLiveRefresh(
    ["message.received", "message.sent", "mailbox.sending_warning", "mailbox.sending_stopped"],
    refresh,
    (event) => "mailbox_id" in event.data && event.data.mailbox_id === mailboxId,
  )
  const { wanted, save } = useChoices(mailboxId, set)
  return (
    <div class="mailbox-page">
      <LinkButton kind="quiet" size="small" icon="arrowLeft" href="/dashboard/mailboxes">
        Mailboxes
      </LinkButton>
      <PageHead
        title={data?.fullAddress ?? "Mailbox"}
        actions={
          <LinkButton icon="mail" href={`/dashboard/mail?mailbox=${mailboxId}`}>
            See its mail
          </LinkButton>
        }
      />
      <Loaded resource={resource} skeleton={<Skeleton lines={8} tall />}>
        {(mailbox) => (
          <>
            <div class="columns">
              <div>
                <Identity key={mailbox.id} mailbox={mailbox} onChanged={set} />
                <SendPolicies mailbox={{ ...mailbox, ...wanted }} onChange={save} />
              </div>
              <div>
                <Activity mailbox={mailbox} onChanged={set} />
                <ReceivePolicies mailbox={{ ...mailbox, ...wanted }} onChange={save} />
              </div>
            </div>
            <AddressLists mailboxId={mailbox.id} />
            <Removal mailbox={mailbox} />
          </>
        )}
      </Loaded>
    </div>
  )
}
