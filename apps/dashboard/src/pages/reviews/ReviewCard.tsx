/** A mail that waits: everything that leaves, why it waits, and what it answers. */
import type { DraftListItem } from "@mailroom/client"
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useId } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Checkbox } from "../../components/Form.js"
import { Files } from "../../components/Files.js"
import { Icon } from "../../components/Icon.js"
import { Notice } from "../../components/Notice.js"
import { sayError } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import {
  type EditedMail,
  type Editing,
  holdText,
  isShownWhole,
  type Outcome,
  partsOf,
} from "../../rules/reviews.js"
import { AnsweredMail } from "./AnsweredMail.js"
import { MailBody } from "./MailBody.js"
import { MailLines } from "./MailLines.js"
import { ReviewEdit } from "./ReviewEdit.js"
import { SeenMark } from "./SeenMark.js"
import type { Queue } from "./useQueue.js"

interface ReviewCardProps {
  readonly draft: DraftListItem
  readonly queue: Queue
  readonly isCurrent: boolean
  readonly isChosen: boolean
  readonly isApproving: boolean
  /** the changes of the reviewer; undefined while the mail is only read */
  readonly editing: Editing | undefined
  readonly onFocus: () => void
  readonly onApprove: () => void
  readonly onReject: () => void
  readonly onChoose: () => void
  readonly onEdit: () => void
  readonly onChange: (part: Partial<EditedMail>) => void
  /** `outcome` is null when the changes were dropped */
  readonly onEditEnd: (outcome: Outcome | null) => void
}

const Key = ({ children }: { children: ComponentChildren }): JSX.Element => (
  <kbd class="key-hint" aria-hidden="true">
    {children}
  </kbd>
)

const Actions = (props: ReviewCardProps): JSX.Element => {
  const { draft, queue, isChosen, isApproving, onApprove, onReject, onChoose, onEdit } = props
  const isWhole = isShownWhole(draft, queue.seen.get(draft.id))
  const both = partsOf(draft).length > 1 ? "both versions" : "it"
  return (
    <footer class="review-actions">
      <Button
        kind="primary"
        icon="send"
        busy={isApproving}
        disabled={draft.truncated === true}
        onClick={onApprove}
      >
        Approve and send <Key>A</Key>
      </Button>
      <Button disabled={draft.truncated === true} onClick={onEdit}>
        Edit <Key>E</Key>
      </Button>
      <Button onClick={onReject}>
        Reject <Key>R</Key>
      </Button>
      <span class="review-choose">
        <Checkbox
          label={isWhole ? "Choose" : `Choose (after reading ${both} to the end)`}
          checked={isChosen && isWhole}
          disabled={!isWhole}
          onChange={onChoose}
        />
      </span>
    </footer>
  )
}

export const ReviewCard = (props: ReviewCardProps): JSX.Element => {
  const { draft, queue, isCurrent, editing, onFocus, onChange, onEditEnd } = props
  const { review, subject, attachments } = draft
  const id = useId()
  const isCut = draft.truncated === true
  useEffect(() => {
    if (isCut) queue.loadWhole(draft).catch(sayError)
  }, [isCut, draft.digest])
  return (
    <article
      class={isCurrent ? "card review current" : "card review"}
      data-draft={draft.id}
      tabIndex={-1}
      aria-labelledby={id}
      onFocusCapture={onFocus}
    >
      <header class="review-head">
        <h2 id={id} dir="auto">
          {subject === null || subject === "" ? "No subject" : subject}
        </h2>
        {review !== null && (
          <p class="faint">
            Asked <Time at={review.requestedAt} /> · not sent if undecided <Time at={review.expiresAt} />
          </p>
        )}
      </header>
      {queue.changed.has(draft.id) && (
        <Notice kind="warn" title="Changed since you read it">
          {editing !== undefined
            ? "The agent changed this mail while you edit it. Cancel, and read the present one."
            : "The mail below is the present one. Read it again before you approve it."}
        </Notice>
      )}
      {review !== null && (
        <p class="review-why">
          <Icon name="shield" size={16} />
          <span>{holdText(review.reasons)}</span>
        </p>
      )}
      {editing !== undefined ? (
        <ReviewEdit editing={editing} queue={queue} onChange={onChange} onEnd={onEditEnd} />
      ) : (
        <>
          <MailLines draft={draft} />
          <AnsweredMail draft={draft} />
          <MailBody draft={draft} onSeen={(part) => queue.noteSeen(draft, part)} />
          {attachments.length > 0 && <Files files={attachments} />}
          <SeenMark key={draft.digest} onSeen={() => queue.noteSeen(draft, "end")} />
          <Actions {...props} />
        </>
      )}
    </article>
  )
}
