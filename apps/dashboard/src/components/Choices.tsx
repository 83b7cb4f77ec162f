/** One of several choices, and several of many: groups of radio buttons and checkboxes with a legend. */
import type { ComponentChildren, JSX } from "preact"
import { useId } from "preact/hooks"

interface Choice<Value extends string> {
  readonly value: Value
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
}

interface GroupProps<Value extends string> {
  readonly legend: string
  readonly choices: ReadonlyArray<Choice<Value>>
  readonly hint?: string | undefined
}

interface OneOfProps<Value extends string> extends GroupProps<Value> {
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** Cards of which one is chosen. */
export const OneOf = <Value extends string>(props: OneOfProps<Value>): JSX.Element => {
  const { legend, choices, value, onChange } = props
  const name = useId()
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} class="choice">
          <input
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span class="choice-label">{choice.label}</span>
          {choice.hint !== undefined && <span class="field-hint">{choice.hint}</span>}
        </label>
      ))}
    </fieldset>
  )
}

interface SomeOfProps<Value extends string> extends GroupProps<Value> {
  readonly chosen: ReadonlySet<Value>
  readonly onChange: (chosen: ReadonlySet<Value>) => void
}

/** Checkboxes of which any number is chosen. */
export const SomeOf = <Value extends string>(props: SomeOfProps<Value>): JSX.Element => {
  const { legend, choices, chosen, onChange, hint } = props
  const id = useId()
  return (
    <fieldset class="checks" aria-describedby={hint === undefined ? undefined : id}>
      <legend>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} class="check">
          <input
            type="checkbox"
            class="checkbox"
            checked={chosen.has(choice.value)}
            onChange={({ currentTarget: { checked } }) => {
              const next = new Set(chosen)
              if (checked) next.add(choice.value)
              else next.delete(choice.value)
              onChange(next)
            }}
          />
          <span class="choice-label">{choice.label}</span>
          {choice.hint !== undefined && <span class="field-hint">{choice.hint}</span>}
        </label>
      ))}
      {hint !== undefined && (
        <p class="field-hint" id={id}>
          {hint}
        </p>
      )}
    </fieldset>
  )
}
