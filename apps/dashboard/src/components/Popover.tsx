/** A button that opens a panel beside it, such as help. Escape and a click elsewhere close it. */
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"

interface PopoverProps {
  /** what the button shows */
  readonly button: ComponentChildren
  /** the name of the button and of the panel */
  readonly label: string
  readonly className?: string
  readonly children: (close: () => void) => ComponentChildren
}

export const Popover = ({
  button,
  label,
  className = "icon-button",
  children,
}: PopoverProps): JSX.Element => {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = () => {
    setOpen(false)
    opener.current?.focus()
  }
  useEffect(() => {
    if (!isOpen) return undefined
    place.current?.querySelector<HTMLElement>(".popover-panel")?.focus()
    const outside = ({ target }: Event) => {
      if (target instanceof Node && place.current?.contains(target) !== true) setOpen(false)
    }
    document.addEventListener("pointerdown", outside)
    return () => document.removeEventListener("pointerdown", outside)
  }, [isOpen])
  return (
    <div
      class="popover"
      ref={place}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return
        event.stopPropagation()
        close()
      }}
    >
      <button
        ref={opener}
        class={className}
        type="button"
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <div class="popover-panel" id={id} role="dialog" aria-label={label} tabIndex={-1}>
          {children(close)}
        </div>
      )}
    </div>
  )
}
