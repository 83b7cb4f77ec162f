/** Short messages about what was just done, read out by screen readers. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import { errorWords } from "../rules/errors.js"
import { IconButton } from "./Button.js"
import { Icon } from "./Icon.js"

interface Toast {
  readonly id: number
  readonly kind: "good" | "bad"
  readonly text: string
  readonly action: { readonly label: string; readonly run: () => void } | undefined
}

/** Milliseconds for which a message stays; one with an action stays longer, an error until it is closed. */
const SHOWN = 5_000
const SHOWN_WITH_ACTION = 10_000

const toasts = signal<ReadonlyArray<Toast>>([])
let lastId = 0

const close = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Says that something was done; `action` is a way back, such as Undo. */
export const say = (text: string, action?: Toast["action"]): void => {
  const id = ++lastId
  toasts.value = [...toasts.value.slice(-2), { id, kind: "good", text, action }]
  setTimeout(() => close(id), action === undefined ? SHOWN : SHOWN_WITH_ACTION)
}

/** Says that something did not lead to what was wanted. */
export const sayProblem = (text: string, action?: Toast["action"]): void => {
  toasts.value = [...toasts.value.slice(-2), { id: ++lastId, kind: "bad", text, action }]
}

/** Says that something failed. */
export const sayError = (error: unknown): void => {
  const { title, text } = errorWords(error)
  sayProblem(`${title}. ${text}`)
}

/** Where they appear; once on the page. */
export const Toasts = (): JSX.Element => (
  <div class="toasts" role="region" aria-label="Messages" aria-live="polite">
    {toasts.value.map(({ id, kind, text, action }) => (
      <div key={id} class={`toast ${kind}`}>
        <Icon name={kind === "good" ? "check" : "warning"} />
        <span>{text}</span>
        {action !== undefined && (
          <button
            class="link-button"
            type="button"
            onClick={() => {
              close(id)
              action.run()
            }}
          >
            {action.label}
          </button>
        )}
        <IconButton icon="close" label="Close" onClick={() => close(id)} />
      </div>
    ))}
  </div>
)
