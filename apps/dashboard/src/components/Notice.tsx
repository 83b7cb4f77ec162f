/** Notices, badges, empty states, and the places of what is not loaded yet. */
import type { ComponentChildren, JSX } from "preact"
import type { Tone } from "../rules/tones.js"
import { Icon, type IconName } from "./Icon.js"

const icons: Readonly<Record<Tone, IconName>> = {
  neutral: "bell",
  accent: "bell",
  good: "check",
  warn: "warning",
  bad: "warning",
}

interface NoticeProps {
  readonly kind: Tone
  readonly title?: ComponentChildren
  readonly children?: ComponentChildren
  /** buttons or links with the next step */
  readonly actions?: ComponentChildren
}

/** Something to know, with the next step. Errors are announced at once. */
export const Notice = ({ kind, title, children, actions }: NoticeProps): JSX.Element => (
  <div class={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>
    <Icon name={icons[kind]} />
    <div class="notice-text">
      {title !== undefined && <p class="notice-title">{title}</p>}
      {children !== undefined && <div>{children}</div>}
    </div>
    {actions !== undefined && <div class="notice-actions">{actions}</div>}
  </div>
)

export const Badge = ({
  tone = "neutral",
  children,
}: {
  tone?: Tone
  children: ComponentChildren
}): JSX.Element => <span class={`badge ${tone}`}>{children}</span>

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly children: ComponentChildren
  readonly actions?: ComponentChildren
}

/** Nothing is here yet: says why, and what to do. */
export const Empty = ({ icon, title, children, actions }: EmptyProps): JSX.Element => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={icon} size={24} />
    </span>
    <h2>{title}</h2>
    <div class="empty-text">{children}</div>
    {actions !== undefined && <div class="empty-actions">{actions}</div>}
  </div>
)

/** The place of lines of text that are being loaded. */
export const Skeleton = ({ lines = 3, tall = false }: { lines?: number; tall?: boolean }): JSX.Element => (
  <div class={tall ? "skeleton tall" : "skeleton"} aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      <span key={index} />
    ))}
  </div>
)
