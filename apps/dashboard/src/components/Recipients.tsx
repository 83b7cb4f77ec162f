/** A field for recipients: each is a chip, which the keyboard reaches, changes and removes. */
import type { JSX } from "preact"
import { useRef, useState } from "preact/hooks"
import { isRecipient, recipientOf, splitRecipients, withRecipients } from "../rules/recipients.js"
import { Field } from "./Form.js"
import { Icon } from "./Icon.js"

interface RecipientsFieldProps {
  /** the field's name in the request */
  readonly name: string
  readonly label: string
  readonly value: ReadonlyArray<string>
  readonly onChange: (value: ReadonlyArray<string>) => void
  readonly wrong?: string | undefined
}

const Chip = ({
  text,
  onEdit,
  onRemove,
}: {
  text: string
  onEdit: () => void
  onRemove: () => void
}): JSX.Element => {
  const { address, name } = recipientOf(text)
  return (
    <li class={isRecipient(text) ? "chip" : "chip bad"}>
      <button
        class="chip-text"
        type="button"
        title={isRecipient(text) ? text : "This is not a mail address"}
        aria-label={`Change ${text}`}
        onClick={onEdit}
      >
        {name === null ? address : `${name} <${address}>`}
      </button>
      <button class="chip-remove" type="button" aria-label={`Remove ${text}`} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    </li>
  )
}

export const RecipientsField = (props: RecipientsFieldProps): JSX.Element => {
  const { name, label, value, onChange, wrong } = props
  const [text, setText] = useState("")
  const input = useRef<HTMLInputElement>(null)
  const take = (written: string) => {
    setText("")
    const added = splitRecipients(written)
    if (added.length > 0) onChange(withRecipients(value, added))
  }
  const edit = (index: number) => {
    onChange(value.filter((_, at) => at !== index))
    setText(value[index] ?? "")
    input.current?.focus()
  }
  const remove = (index: number) => {
    onChange(value.filter((_, at) => at !== index))
    input.current?.focus()
  }
  return (
    <Field name={name} label={label} wrong={wrong}>
      {(control) => (
        <div
          class="chips"
          onClick={({ target, currentTarget }) => target === currentTarget && input.current?.focus()}
        >
          {value.length > 0 && (
            <ul aria-label={`${label}: recipients`}>
              {value.map((one, index) => (
                <Chip key={one} text={one} onEdit={() => edit(index)} onRemove={() => remove(index)} />
              ))}
            </ul>
          )}
          <input
            {...control}
            ref={input}
            class="chips-input"
            type="text"
            inputMode="email"
            value={text}
            autoComplete="off"
            autoCapitalize="none"
            spellcheck={false}
            onInput={({ currentTarget }) => {
              if (/[,;\n]\s*$/.test(currentTarget.value)) take(currentTarget.value)
              else setText(currentTarget.value)
            }}
            onBlur={() => take(text)}
            onPaste={(event) => {
              const pasted = event.clipboardData?.getData("text/plain") ?? ""
              if (splitRecipients(pasted).length < 2) return
              event.preventDefault()
              take(`${text} ${pasted}`)
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter" && text.trim() !== "" && !event.ctrlKey && !event.metaKey) {
                event.preventDefault()
                take(text)
              } else if (event.key === "Backspace" && text === "" && value.length > 0) {
                event.preventDefault()
                edit(value.length - 1)
              }
            }}
          />
        </div>
      )}
    </Field>
  )
}
