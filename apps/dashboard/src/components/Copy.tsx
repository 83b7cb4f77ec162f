/** Texts to copy: one line, and code in several languages. */
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Icon } from "./Icon.js"
import { Tabs } from "./Tabs.js"

/** Milliseconds for which the button says that it copied. */
const SAID = 2_000

/** Copies a text; where the clipboard is closed (no TLS), by the browser's older way. */
const copyText = async (text: string): Promise<void> => {
  if ("clipboard" in navigator) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}

export const CopyButton = ({ text, label }: { text: string; label: string }): JSX.Element => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), SAID)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <button
      class="icon-button copy-button"
      type="button"
      aria-label={label}
      title={label}
      onClick={() => void copyText(text).then(() => setCopied(true))}
    >
      <Icon name={isCopied ? "check" : "copy"} size={16} />
      <span class="visually-hidden" role="status">
        {isCopied ? "Copied" : ""}
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
