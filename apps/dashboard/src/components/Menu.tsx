/** A button that opens a list of commands, with the keys of a menu (ARIA Authoring Practices, "Menu Button"). */
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { Icon, type IconName } from "./Icon.js"

export interface MenuItem {
  readonly label: string
  readonly icon?: IconName
  readonly danger?: boolean
  readonly run: () => void
}

interface MenuProps {
  /** what the button shows */
  readonly children: ComponentChildren
  /** the name of the button for a screen reader */
  readonly label: string
  readonly items: ReadonlyArray<MenuItem>
  readonly className?: string
}

export const Menu = ({ children, label, items, className = "icon-button" }: MenuProps): JSX.Element => {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = (focus: boolean) => {
    setOpen(false)
    if (focus) button.current?.focus()
  }
  const entries = (): ReadonlyArray<HTMLElement> => [
    ...(place.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []),
  ]
  useEffect(() => {
    if (!isOpen) return undefined
    entries()[0]?.focus()
    const outside = ({ target }: Event) => {
      if (target instanceof Node && place.current?.contains(target) !== true) setOpen(false)
    }
    document.addEventListener("pointerdown", outside)
    return () => document.removeEventListener("pointerdown", outside)
  }, [isOpen])
  const move = (event: KeyboardEvent) => {
    const all = entries()
    const now = all.findIndex((entry) => entry === document.activeElement)
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: all.length - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      all[(to + all.length) % all.length]?.focus()
    } else if (event.key === "Escape") {
      event.stopPropagation()
      close(true)
    } else if (event.key === "Tab") close(false)
  }
  return (
    <div class="menu" ref={place}>
      <button
        ref={button}
        class={className}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={label}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div class="menu-list" id={id} role="menu" aria-label={label} onKeyDown={move}>
          {items.map((item) => (
            <button
              key={item.label}
              class={item.danger === true ? "menu-item danger" : "menu-item"}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close(true)
                item.run()
              }}
            >
              {item.icon && <Icon name={item.icon} size={16} />}
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
