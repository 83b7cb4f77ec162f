/** The labels of a message: remove one, or add another. */
import type { Message } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Icon } from "../../components/Icon.js"
import { sayError } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"

interface LabelsProps {
  readonly message: Message
  readonly onChanged: (message: Message) => void
}

export const Labels = ({ message, onChanged }: LabelsProps): JSX.Element => {
  const { id, labels, mailboxId } = message
  const [text, setText] = useState("")
  const change = useAction(async (patch: { addLabels?: Array<string>; removeLabels?: Array<string> }) => {
    try {
      onChanged(await mailroom.messages.update(mailboxId, id, patch))
      setText("")
    } catch (error) {
      sayError(error)
    }
  })
  return (
    <div class="labels">
      <Icon name="label" size={16} />
      {labels.map((label) => (
        <span key={label} class="label-chip">
          <a href={`/dashboard/mail?folder=all&label=${encodeURIComponent(label)}`}>{label}</a>
          <button
            type="button"
            aria-label={`Remove the label ${label}`}
            onClick={() => change.run({ removeLabels: [label] })}
          >
            <Icon name="close" size={14} />
          </button>
        </span>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== "") change.run({ addLabels: [text.trim()] })
        }}
      >
        <input
          class="label-input"
          aria-label="Add a label"
          placeholder="Add a label"
          value={text}
          autoComplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </div>
  )
}
