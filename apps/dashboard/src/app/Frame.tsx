/** The frame with the navigation: at the side on a desk, in a drawer on a phone. */
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { IconButton } from "../components/Button.js"
import { Icon } from "../components/Icon.js"
import { isDisconnected } from "../data/live.js"
import { Brand } from "./Brand.js"
import { type EntryGroup, entryOf, navigationOf } from "./navigation.js"
import { COUNTED_MAX } from "./reviewCount.js"
import { navigate, place } from "./router.js"
import { useShortcuts } from "./shortcuts.js"
import { ShortcutHelp } from "./ShortcutHelp.js"
import { ThemeSwitch } from "./ThemeSwitch.js"

type Counts = Readonly<Record<string, number | null>>

const Count = ({ value }: { value: number | null | undefined }): JSX.Element | null =>
  value === null || value === undefined || value === 0 ? null : (
    <span class="count">
      {value > COUNTED_MAX ? `${COUNTED_MAX}+` : value}
      <span class="visually-hidden"> waiting</span>
    </span>
  )

const Entries = ({ groups, counts }: { groups: ReadonlyArray<EntryGroup>; counts: Counts }): JSX.Element => {
  const current = entryOf(groups, place.value.path)
  return (
    <>
      {groups.map(({ label, entries }) => (
        <div key={label ?? ""} class="nav-group">
          {label !== null && <p class="nav-label">{label}</p>}
          <ul>
            {entries.map((entry) => (
              <li key={entry.path}>
                <a class="nav-link" href={entry.path} aria-current={entry === current ? "page" : undefined}>
                  <Icon name={entry.icon} />
                  {entry.label}
                  <Count value={counts[entry.path]} />
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  )
}

/** Where the navigation is at the side; as in frame.css. */
const WIDE = "(min-width: 800px)"

interface FrameProps {
  readonly area: "account" | "operator"
  readonly home: string
  readonly counts: Counts
  /** who is signed in */
  readonly who: string
  readonly onSignOut: () => void
  /** a control at the head of the navigation */
  readonly control?: ComponentChildren
  readonly children: ComponentChildren
}

export const Frame = (props: FrameProps): JSX.Element => {
  const { area, home, counts, who, onSignOut, control, children } = props
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const [isHelpOpen, setHelpOpen] = useState(false)
  const drawer = useRef<HTMLElement>(null)
  const opener = useRef<HTMLElement>(null)
  const groups = navigationOf(area)
  const { visit } = place.value

  useEffect(() => setDrawerOpen(false), [visit])
  useEffect(() => {
    if (!isDrawerOpen) return undefined
    drawer.current?.querySelector<HTMLElement>("a")?.focus()
    const close = () => setDrawerOpen(false)
    const wide = globalThis.matchMedia(WIDE)
    wide.addEventListener("change", close)
    return () => {
      wide.removeEventListener("change", close)
      // What is hidden loses the focus to the body. A page that was just opened has it already.
      const { activeElement, body } = document
      if (activeElement === body || drawer.current?.contains(activeElement) === true)
        opener.current?.querySelector("button")?.focus()
    }
  }, [isDrawerOpen])
  useShortcuts([
    { keys: "?", does: "Show the shortcuts", run: () => setHelpOpen(true) },
    ...groups
      .flatMap(({ entries }) => entries)
      .map(({ keys, label, path }) => ({ keys, does: `Go to ${label}`, run: () => navigate(path) })),
  ])

  return (
    <div class={isDrawerOpen ? "frame drawer-open" : "frame"}>
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <header class="top-bar" ref={opener} inert={isDrawerOpen}>
        <IconButton icon="menu" label="Open the navigation" onClick={() => setDrawerOpen(true)} />
        <Brand href={home} />
        <Count value={Object.values(counts).find((count) => count !== null && count > 0)} />
      </header>
      <div class="veil" onClick={() => setDrawerOpen(false)} />
      <nav
        class="side"
        ref={drawer}
        aria-label="Main"
        onKeyDown={({ key }) => {
          if (key === "Escape") setDrawerOpen(false)
        }}
        onClick={({ target }) => {
          // Also when the page asks before it is left, and stays: its dialog must not be behind the drawer.
          if (target instanceof Element && target.closest("a") !== null) setDrawerOpen(false)
        }}
      >
        <div class="side-head">
          <Brand href={home} />
          <span class="drawer-close">
            <IconButton icon="close" label="Close the navigation" onClick={() => setDrawerOpen(false)} />
          </span>
        </div>
        {control}
        <div class="side-entries">
          <Entries groups={groups} counts={counts} />
        </div>
        <footer class="side-foot">
          {isDisconnected.value && <p class="live-lost">Connecting again…</p>}
          <p class="who" title={who}>
            {who}
          </p>
          <div class="side-tools">
            <ThemeSwitch />
            <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={() => setHelpOpen(true)} />
            <IconButton icon="signOut" label="Sign out" onClick={onSignOut} />
          </div>
        </footer>
      </nav>
      <main class="main" id="main" tabIndex={-1} inert={isDrawerOpen}>
        {children}
      </main>
      {isHelpOpen && <ShortcutHelp onClose={() => setHelpOpen(false)} />}
    </div>
  )
}
