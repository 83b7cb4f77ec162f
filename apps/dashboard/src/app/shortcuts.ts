/** Keyboard shortcuts: pages register them, `?` shows those of the page. */
import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

export interface Shortcut {
  /** a key such as `a`, `?`, `Enter`, or two in a row such as `g m` */
  readonly keys: string
  /** what it does, such as `Approve` */
  readonly does: string
  readonly run: () => void
  /** whether it runs again while the key is held down, such as for the next row; never what cannot be undone */
  readonly repeats?: boolean
}

export const shortcuts = signal<ReadonlyArray<Shortcut>>([])

/** Milliseconds for the second key. */
const SECOND_KEY = 1_000

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** On a focused control, Enter and Space are its own. */
const isOfControl = ({ key, target }: KeyboardEvent): boolean =>
  (key === "Enter" || key === " ") &&
  target instanceof HTMLElement &&
  target.closest("a,button,summary") !== null

let first: { readonly key: string; readonly at: number } | null = null

const onKey = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  if (isWriting(event.target) || isOfControl(event)) return
  // What a dialog covers is not at hand.
  if (document.querySelector("dialog[open]") !== null) return
  const before = first !== null && event.timeStamp - first.at < SECOND_KEY ? `${first.key} ` : ""
  first = { key: event.key, at: event.timeStamp }
  const found =
    shortcuts.value.findLast(({ keys }) => keys === `${before}${event.key}`) ??
    shortcuts.value.findLast(({ keys }) => keys === event.key)
  if (found === undefined) return
  first = null
  event.preventDefault()
  if (!event.repeat || found.repeats === true) found.run()
}

/** Called once. */
export const startShortcuts = (): void => document.addEventListener("keydown", onKey)

/** Registers shortcuts while the component is there. A later one of the same keys goes before an earlier one. */
export const useShortcuts = (wanted: ReadonlyArray<Shortcut>): void => {
  const latest = useRef(wanted)
  latest.current = wanted
  const identity = wanted.map(({ keys, does }) => `${keys}=${does}`).join("|")
  useEffect(() => {
    const mine: ReadonlyArray<Shortcut> = latest.current.map(({ keys, does, repeats = false }, index) => ({
      keys,
      does,
      repeats,
      run: () => latest.current[index]?.run(),
    }))
    shortcuts.value = [...shortcuts.value, ...mine]
    return () => {
      shortcuts.value = shortcuts.value.filter((one) => !mine.includes(one))
    }
  }, [identity])
}
