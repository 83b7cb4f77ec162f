/** Tabs, moved by arrow keys (ARIA Authoring Practices, "Tabs"). */
import type { ComponentChildren, JSX } from "preact"
import { useId, useState } from "preact/hooks"

export interface Tab {
  readonly name: string
  readonly label: string
  readonly content: () => ComponentChildren
}

interface TabsProps {
  readonly label: string
  readonly tabs: ReadonlyArray<Tab>
  /** the chosen tab, when the page keeps it, such as in the address */
  readonly chosen?: string
  readonly onChoose?: (name: string) => void
  readonly className?: string
}

export const Tabs = ({ label, tabs, chosen, onChoose, className = "tabs" }: TabsProps): JSX.Element => {
  const id = useId()
  const [own, setOwn] = useState(tabs[0]?.name ?? "")
  const current = tabs.find(({ name }) => name === (chosen ?? own)) ?? tabs[0]
  const choose = (name: string) => {
    setOwn(name)
    onChoose?.(name)
    document.getElementById(`${id}-${name}`)?.focus()
  }
  const move = (event: KeyboardEvent) => {
    const now = tabs.findIndex(({ name }) => name === current?.name)
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const tab = tabs[(to + tabs.length) % tabs.length]
    if (tab !== undefined) choose(tab.name)
  }
  return (
    <div class={className}>
      <div class="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            id={`${id}-${tab.name}`}
            class="tab"
            type="button"
            role="tab"
            aria-selected={tab === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => choose(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      {current !== undefined && (
        <div class="tab-panel" id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${current.name}`}>
          {current.content()}
        </div>
      )}
    </div>
  )
}
