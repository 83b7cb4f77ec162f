/** Buttons, and links that look like them. */
import type { ComponentChildren, JSX } from "preact"
import { Icon, type IconName } from "./Icon.js"

export type ButtonKind = "primary" | "secondary" | "quiet" | "danger"

interface Look {
  readonly kind?: ButtonKind
  readonly size?: "small" | "medium"
  readonly icon?: IconName
  /** as wide as its place */
  readonly wide?: boolean
}

const classOf = ({ kind = "secondary", size = "medium", wide = false }: Look, more = ""): string =>
  ["button", kind, size, wide ? "wide" : "", more].filter((name) => name !== "").join(" ")

interface ButtonProps extends Look {
  readonly children: ComponentChildren
  readonly type?: "button" | "submit"
  readonly onClick?: () => void
  readonly disabled?: boolean
  /** shows that it works, and cannot be pressed meanwhile; it keeps the focus */
  readonly busy?: boolean
  /** the text that it has for a screen reader, when what it shows is not enough */
  readonly label?: string
  readonly autoFocus?: boolean
}

export const Button = (props: ButtonProps): JSX.Element => {
  const {
    children,
    type = "button",
    onClick,
    disabled = false,
    busy = false,
    label,
    icon,
    autoFocus = false,
  } = props
  return (
    <button
      class={classOf(props)}
      type={type}
      disabled={disabled}
      aria-disabled={busy}
      aria-busy={busy}
      aria-label={label}
      autoFocus={autoFocus}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.()
      }}
    >
      {busy ? <span class="spinner" /> : icon && <Icon name={icon} size={16} />}
      <span>{children}</span>
    </button>
  )
}

interface IconButtonProps {
  readonly icon: IconName
  /** what it does, for everybody: it is the tooltip, too */
  readonly label: string
  readonly onClick?: () => void
  readonly disabled?: boolean
}

export const IconButton = ({ icon, label, onClick, disabled = false }: IconButtonProps): JSX.Element => (
  <button
    class="icon-button"
    type="button"
    aria-label={label}
    title={label}
    disabled={disabled}
    onClick={() => onClick?.()}
  >
    <Icon name={icon} />
  </button>
)

interface LinkButtonProps extends Look {
  readonly href: string
  readonly children: ComponentChildren
}

export const LinkButton = ({ href, children, icon, ...look }: LinkButtonProps): JSX.Element => (
  <a class={classOf(look)} href={href}>
    {icon && <Icon name={icon} size={16} />}
    <span>{children}</span>
  </a>
)
