/** A mail of the queue that was decided elsewhere while it was shown: it stays until the reader has seen what happened. */
import type { DraftListItem } from "@mailroom/client"
import type { JSX } from "preact"
import { Button } from "../../components/Button.js"
import { type Settled, settledWords } from "../../rules/reviews.js"

interface SettledCardProps {
  readonly draft: DraftListItem
  readonly settled: Settled
  readonly onDismiss: () => void
}

export const SettledCard = ({ draft, settled, onDismiss }: SettledCardProps): JSX.Element => {
  const { title, text } = settledWords(settled)
  return (
    <article
      class="card settled"
      data-draft={draft.id}
      tabIndex={-1}
      aria-label={`${title}: ${draft.subject ?? ""}`}
    >
      <div role="status">
        <h2>{title}</h2>
        <p class="clip">
          <strong dir="auto">{draft.subject ?? "No subject"}</strong> to {draft.to.join(", ")}
        </p>
        <p class="faint">{text}</p>
      </div>
      <Button size="small" onClick={onDismiss}>
        Dismiss
      </Button>
    </article>
  )
}
