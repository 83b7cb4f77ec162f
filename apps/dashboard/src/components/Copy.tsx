/** Texts to copy: one line, and code in several languages. */
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Icon, type IconName } from "./Icon.js"
import { Tabs } from "./Tabs.js"

/** Milliseconds for which the button says whether it copied. */
const SAID = 2_000

/** Copies a text; where the clipboard is closed (no TLS), by the browser's older way. False when neither works. */
const copyText = async (text: string, button: HTMLElement): Promise<boolean> => {
  if ("clipboard" in navigator)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  const area = document.createElement("textarea")
  area.value = text
  // Beside the button: while a dialog is open, nothing outside of it can be selected.
  button.after(area)
  area.select()
  const isCopied = document.execCommand("copy")
  area.remove()
  button.focus()
  return isCopied
}

const said: Partial<Record<IconName, string>> = { check: "Copied", warning: "Not copied" }

export const CopyButton = ({ text, label }: { text: string; label: string }): JSX.Element => {
  const [icon, setIcon] = useState<IconName>("copy")
  useEffect(() => {
    const timer = setTimeout(() => setIcon("copy"), SAID)
    return () => clearTimeout(timer)
  }, [icon])
  return (
    <button
      class="icon-button copy-button"
      type="button"
      aria-label={label}
      title={label}
      onClick={async ({ currentTarget }) =>
        setIcon((await copyText(text, currentTarget)) ? "check" : "warning")
      }
    >
      <Icon name={icon} size={16} />
      <span class="visually-hidden" role="status">
        {said[icon]}
      </span>
    </button>
  )
}

/** A text in one line with a button that copies it, such as an address or a key. */
export const CopyField = ({ label, text }: { label: string; text: string }): JSX.Element => (
  <div class="copy-field">
    <code aria-label={label}>{text}</code>
    <CopyButton text={text} label={`Copy ${label}`} />
  </div>
)

export interface Code {
  /** such as `curl` */
  readonly name: string
  readonly text: string
}

const CodeText = ({ name, text }: Code): JSX.Element => (
  <div class="code-text">
    <pre tabIndex={0} aria-label={name}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} label={`Copy ${name}`} />
  </div>
)

/** Code to copy. With several, a tab each. */
export const CodeBlock = ({ label, codes }: { label: string; codes: ReadonlyArray<Code> }): JSX.Element => {
  const [only] = codes
  if (codes.length === 1 && only !== undefined)
    return (
      <div class="code-block">
        <CodeText {...only} />
      </div>
    )
  return (
    <Tabs
      label={label}
      className="code-block"
      tabs={codes.map((code) => ({
        name: code.name,
        label: code.name,
        content: () => <CodeText {...code} />,
      }))}
    />
  )
}
