/** The head of a page, cards, and lists of terms. */
import type { ComponentChildren, JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Icon } from "./Icon.js"

interface PageHeadProps {
  readonly title: string
  readonly children?: ComponentChildren
  readonly actions?: ComponentChildren
}

/** The title of the page, which is the document's title too, with what the page is for. The router moves the focus there. */
export const PageHead = ({ title, children, actions }: PageHeadProps): JSX.Element => {
  useEffect(() => {
    document.title = `${title} · Mailroom`
  }, [title])
  return (
    <header class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {children !== undefined && <p class="page-lead">{children}</p>}
      </div>
      {actions !== undefined && <div class="page-actions">{actions}</div>}
    </header>
  )
}

/** The way from a page to the list that it is in. */
export const BackLink = ({ href, children }: { href: string; children: ComponentChildren }): JSX.Element => (
  <a class="back-link" href={href}>
    <Icon name="arrowLeft" size={16} />
    {children}
  </a>
)

interface CardProps {
  readonly title?: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
  /** without space around what is in it, for tables and lists */
  readonly flush?: boolean
}

export const Card = ({ title, actions, children, flush = false }: CardProps): JSX.Element => (
  <section class={flush ? "card flush" : "card"}>
    {title !== undefined && (
      <header class="card-head">
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    {children}
  </section>
)

/** Names with values, such as the facts about a mailbox. */
export const Facts = ({
  facts,
}: {
  facts: ReadonlyArray<{ readonly name: string; readonly value: ComponentChildren }>
}): JSX.Element => (
  <dl class="facts">
    {facts.map(({ name, value }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
