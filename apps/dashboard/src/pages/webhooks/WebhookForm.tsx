/** The form of a webhook: for a new one, and for changing one. */
import type { EventKind, Webhook } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { SomeOf } from "../../components/Choices.js"
import { Dialog, DialogActions } from "../../components/Dialog.js"
import { Checkbox, Form, SelectField, TextAreaField, TextField } from "../../components/Form.js"
import { useAction } from "../../data/action.js"
import { mailboxes } from "../../data/mailboxes.js"
import { useResource } from "../../data/resource.js"
import { eventGroups, eventKinds, headersFrom } from "../../rules/webhooks.js"

export interface WebhookInput {
  readonly url: string
  readonly events: ReadonlyArray<EventKind>
  readonly mailboxId: string | undefined
  /** undefined leaves those that are there, null removes them */
  readonly headers: Readonly<Record<string, string>> | null | undefined
}

interface WebhookFormProps {
  /** the webhook to change; without it, a new one */
  readonly webhook?: Webhook
  readonly onSave: (input: WebhookInput) => Promise<unknown>
  readonly onClose: () => void
}

const chosenAtFirst = (webhook: Webhook | undefined): ReadonlySet<EventKind> =>
  new Set(
    webhook === undefined ? ["message.received"] : eventKinds.filter((kind) => webhook.events.includes(kind)),
  )

export const WebhookForm = ({ webhook, onSave, onClose }: WebhookFormProps): JSX.Element => {
  const [url, setUrl] = useState(webhook?.url ?? "")
  const [events, setEvents] = useState(() => chosenAtFirst(webhook))
  const [mailboxId, setMailboxId] = useState("")
  const [headerText, setHeaderText] = useState("")
  const [removesHeaders, setRemovesHeaders] = useState(false)
  const list = useResource(mailboxes).data ?? []
  const headers = headersFrom(headerText)
  const save = useAction(() =>
    onSave({
      url: url.trim(),
      events: eventKinds.filter((kind) => events.has(kind)),
      mailboxId: mailboxId === "" ? undefined : mailboxId,
      headers: removesHeaders ? null : headerText.trim() === "" ? undefined : (headers ?? undefined),
    }),
  )
  const isReady = url.trim() !== "" && events.size > 0 && headers !== null
  const title = webhook === undefined ? "New webhook" : "Change webhook"
  const masked =
    webhook?.headers === undefined || webhook.headers === null ? [] : Object.keys(webhook.headers)
  return (
    <Dialog title={title} onClose={onClose} wide>
      <Form
        fields={["url", "events", "mailboxId", "headers"]}
        error={save.error}
        onSubmit={() => isReady && save.run()}
      >
        <TextField
          name="url"
          label="URL"
          type="url"
          value={url}
          onInput={setUrl}
          placeholder="https://example.com/mailroom"
          hint="Mailroom posts each event there as JSON. The address has to be public."
          autoFocus
        />
        {webhook === undefined && (
          <SelectField
            name="mailboxId"
            label="Events of"
            value={mailboxId}
            onChange={setMailboxId}
            options={[
              { value: "", label: "All mailboxes" },
              ...list.map(({ id, fullAddress }) => ({ value: id, label: fullAddress })),
            ]}
          />
        )}
        <div class="check-columns">
          {eventGroups.map((group) => (
            <SomeOf
              key={group.label}
              legend={group.label}
              chosen={events}
              onChange={setEvents}
              choices={group.kinds.map(({ kind, label }) => ({
                value: kind,
                label,
                hint: <code>{kind}</code>,
              }))}
            />
          ))}
        </div>
        {events.size === 0 && <p class="field-hint">Choose one event at least.</p>}
        {!removesHeaders && (
          <TextAreaField
            name="headers"
            label="Headers"
            optional
            rows={2}
            value={headerText}
            onInput={setHeaderText}
            placeholder="Authorization: Bearer …"
            wrong={headers === null ? "One header a line, such as X-Team: support." : undefined}
            hint={
              masked.length === 0
                ? "Sent with every event, such as credentials of the receiver. One a line."
                : `Now it sends ${masked.join(", ")}. What you write here replaces all of them; empty leaves them.`
            }
          />
        )}
        {masked.length > 0 && (
          <Checkbox label="Send no headers any more" checked={removesHeaders} onChange={setRemovesHeaders} />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={save.isRunning} disabled={!isReady}>
            {webhook === undefined ? "Create webhook" : "Save"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
