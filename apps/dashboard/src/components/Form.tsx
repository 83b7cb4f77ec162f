/** Forms: fields with labels, hints and what the service says is wrong with them. */
import { type ComponentChildren, createContext, type JSX } from "preact"
import { useContext, useId, useRef, useEffect } from "preact/hooks"
import { errorWords, issueOf } from "../rules/errors.js"
import { Notice } from "./Notice.js"

/** The error of the last attempt to send the form. */
const FormError = createContext<unknown>(undefined)

interface FormProps {
  readonly children: ComponentChildren
  readonly onSubmit: () => void
  /** of the last attempt: fields show their part of it, the form the rest */
  readonly error?: unknown
  /** names of the fields, whose issues are shown beside them */
  readonly fields: ReadonlyArray<string>
  readonly label?: string
}

export const Form = ({ children, onSubmit, error, fields, label }: FormProps): JSX.Element => {
  const form = useRef<HTMLFormElement>(null)
  const isOfField = fields.some((field) => issueOf(error, field) !== undefined)
  useEffect(() => {
    if (error === undefined) return
    const wrong = form.current?.querySelector("[aria-invalid='true']")
    if (wrong instanceof HTMLElement) wrong.focus()
  }, [error])
  return (
    <form
      ref={form}
      class="form"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {error !== undefined && !isOfField && (
        <Notice kind="bad" title={errorWords(error).title}>
          {errorWords(error).text}
        </Notice>
      )}
      <FormError.Provider value={error}>{children}</FormError.Provider>
    </form>
  )
}

interface Labelled {
  /** the field's name in the request, by which its issues are found */
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
  /** what this page says is wrong, before what the service says */
  readonly wrong?: string | undefined
  readonly optional?: boolean
}

interface ControlProps {
  readonly id: string
  readonly name: string
  readonly "aria-invalid": boolean
  readonly "aria-describedby": string | undefined
}

/** A label, a control, a hint, and the error. */
export const Field = ({
  name,
  label,
  hint,
  wrong,
  optional = false,
  children,
}: Labelled & { readonly children: (control: ControlProps) => ComponentChildren }): JSX.Element => {
  const id = useId()
  const error = wrong ?? issueOf(useContext(FormError), name)
  const described = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`]
    .filter((part) => part !== "")
    .join(" ")
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && <span class="optional"> (optional)</span>}
      </label>
      {children({
        id,
        name,
        "aria-invalid": error !== undefined,
        "aria-describedby": described === "" ? undefined : described,
      })}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** By type, because the attributes of an `<input>` depend on it. */
const inputTypes = {
  text: { type: "text" },
  email: { type: "email" },
  password: { type: "password" },
  url: { type: "url" },
  search: { type: "search" },
  number: { type: "number" },
  "datetime-local": { type: "datetime-local" },
} as const

interface TextProps extends Labelled {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: keyof typeof inputTypes
  readonly autoComplete?: string
  readonly placeholder?: string
  readonly autoFocus?: boolean
  readonly disabled?: boolean
  /** shown behind the text, such as a domain */
  readonly suffix?: string
  /** the least value, such as of a time */
  readonly min?: string
}

export const TextField = (props: TextProps): JSX.Element => {
  const { value, onInput, type = "text", autoComplete, placeholder, autoFocus, disabled, suffix, min } = props
  return (
    <Field {...props}>
      {(control) => (
        <span class="input-row">
          <input
            {...control}
            {...inputTypes[type]}
            class="input"
            value={value}
            autoComplete={autoComplete ?? "off"}
            placeholder={placeholder}
            min={min}
            autoFocus={autoFocus ?? false}
            disabled={disabled ?? false}
            spellcheck={false}
            autoCapitalize="none"
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
          {suffix !== undefined && <span class="suffix">{suffix}</span>}
        </span>
      )}
    </Field>
  )
}

interface TextAreaProps extends Labelled {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly rows?: number
  readonly placeholder?: string
}

export const TextAreaField = (props: TextAreaProps): JSX.Element => (
  <Field {...props}>
    {(control) => (
      <textarea
        {...control}
        class="input"
        dir="auto"
        rows={props.rows ?? 4}
        value={props.value}
        placeholder={props.placeholder}
        onInput={({ currentTarget }) => props.onInput(currentTarget.value)}
      />
    )}
  </Field>
)

interface SelectProps<Value extends string> extends Labelled {
  readonly value: Value
  readonly options: ReadonlyArray<{ readonly value: Value; readonly label: string }>
  readonly onChange: (value: Value) => void
}

export const SelectField = <Value extends string>(props: SelectProps<Value>): JSX.Element => (
  <Field {...props}>
    {(control) => (
      <select
        {...control}
        class="input"
        value={props.value}
        onChange={({ currentTarget }) => {
          const chosen = props.options.find(({ value }) => value === currentTarget.value)
          if (chosen !== undefined) props.onChange(chosen.value)
        }}
      >
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
)

interface ToggleProps {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
  readonly hint?: ComponentChildren
}

const Toggle = ({
  label,
  checked,
  onChange,
  disabled,
  hint,
  role,
}: ToggleProps & { role?: "switch" }): JSX.Element => {
  const id = useId()
  return (
    <div class="toggle">
      <input
        id={id}
        type="checkbox"
        class={role ?? "checkbox"}
        role={role}
        checked={checked}
        disabled={disabled ?? false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => {
          const wanted = currentTarget.checked
          // What is shown follows `checked`, also when the change is refused.
          currentTarget.checked = checked
          onChange(wanted)
        }}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

export const Checkbox = (props: ToggleProps): JSX.Element => <Toggle {...props} />

/** A setting that holds at once. */
export const Switch = (props: ToggleProps): JSX.Element => <Toggle {...props} role="switch" />
