/** Changes of the reviewer: the mail that they see here is the one that leaves. */
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Files } from "../../components/Files.js"
import { Form, TextAreaField, TextField } from "../../components/Form.js"
import { Notice } from "../../components/Notice.js"
import { RecipientsField } from "../../components/Recipients.js"
import { say } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { editsOf, type EditedMail, type Editing, type Outcome } from "../../rules/reviews.js"
import { emptyWriting, writingIssues } from "../../rules/writing.js"
import type { Queue } from "./useQueue.js"

interface ReviewEditProps {
  readonly editing: Editing
  readonly queue: Queue
  readonly onChange: (part: Partial<EditedMail>) => void
  /** `outcome` is null when the changes were dropped */
  readonly onEnd: (outcome: Outcome | null) => void
}

export const ReviewEdit = (props: ReviewEditProps): JSX.Element => {
  const { editing, queue, onChange: change, onEnd } = props
  const { draft, shownText, edited } = editing
  const [isChecked, setChecked] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const issues = writingIssues({ ...emptyWriting, ...edited })
  const edits = editsOf(draft, shownText, edited)
  const approve = useAction(async () => {
    const outcome = await queue.approve(draft, edits)
    // The card says what happened. The changes stay until the reviewer has seen it.
    if (outcome === null) say("Not approved: this mail was changed or decided meanwhile.")
    else onEnd(outcome)
  })
  const submit = () => {
    setChecked(true)
    // After what was typed last, such as a recipient, has become part of the mail.
    setTimeout(() => {
      if (place.current?.querySelector("[aria-invalid='true']") === null) approve.run()
    }, 0)
  }
  const shown = isChecked ? issues : {}
  useEffect(() => {
    // A mail that comes back with its changes does not take the focus from another.
    if (edits === null) place.current?.querySelector("textarea")?.focus()
  }, [])
  return (
    <div
      ref={place}
      class="review-edit"
      onKeyDown={(event) => {
        if (event.key === "Escape" && edits === null) onEnd(null)
        else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit()
        else return
        event.preventDefault()
      }}
    >
      <Form
        label={`Edit “${draft.subject ?? "No subject"}”`}
        fields={["edits.to", "edits.cc", "edits.bcc", "edits.subject", "edits.bodyText"]}
        error={approve.error}
        onSubmit={submit}
      >
        <div class="mail-head">
          <RecipientsField
            name="edits.to"
            label="To"
            value={edited.to}
            onChange={(to) => change({ to })}
            wrong={shown.to}
          />
          <RecipientsField
            name="edits.cc"
            label="Cc"
            value={edited.cc}
            onChange={(cc) => change({ cc })}
            wrong={shown.cc}
          />
          <RecipientsField
            name="edits.bcc"
            label="Bcc"
            value={edited.bcc}
            onChange={(bcc) => change({ bcc })}
            wrong={shown.bcc}
          />
          <TextField
            name="edits.subject"
            label="Subject"
            value={edited.subject}
            onInput={(subject) => change({ subject })}
            wrong={shown.subject}
          />
        </div>
        <TextAreaField
          name="edits.bodyText"
          label="Text"
          rows={10}
          value={edited.text}
          onInput={(text) => change({ text, html: text === shownText ? draft.bodyHtml : null })}
          wrong={shown.text}
        />
        {draft.bodyHtml !== null && edited.html === null && (
          <Notice kind="neutral">
            The formatted version is left out, because you changed the text. The mail leaves as plain text.
          </Notice>
        )}
        {edited.files.length > 0 && (
          <Files
            files={edited.files}
            onRemove={(id) => change({ files: edited.files.filter((file) => file.id !== id) })}
          />
        )}
        <footer class="review-actions">
          <Button type="submit" kind="primary" icon="send" busy={approve.isRunning}>
            Approve this version and send
          </Button>
          <Button onClick={() => onEnd(null)}>Cancel</Button>
        </footer>
      </Form>
    </div>
  )
}
