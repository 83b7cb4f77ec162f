/** The review queue: what agents want to send, for a person to approve, change or reject. */
import type { DraftListItem } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { navigate, place } from "../../app/router.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button, LinkButton } from "../../components/Button.js"
import { LeaveGuard } from "../../components/LeaveGuard.js"
import { Failure } from "../../components/Loaded.js"
import { Empty, Notice, Skeleton } from "../../components/Notice.js"
import { PageHead } from "../../components/Page.js"
import { say, sayError, sayProblem } from "../../components/Toasts.js"
import { account } from "../../data/session.js"
import { textOfHtml } from "../../mail/textOfHtml.js"
import {
  beginEditing,
  changeEditing,
  decidable,
  type Editings,
  endEditing,
  isShownWhole,
  type Outcome,
  unsavedText,
} from "../../rules/reviews.js"
import { countText } from "../../rules/texts.js"
import { ChosenBar } from "./ChosenBar.js"
import { RejectDialog } from "./RejectDialog.js"
import { ReviewCard } from "./ReviewCard.js"
import { SettledCard } from "./SettledCard.js"
import { useCurrentCard } from "./useCurrentCard.js"
import { useQueue } from "./useQueue.js"

const Lead = (): JSX.Element => (
  <PageHead title="Reviews">What your agents want to send. Nothing leaves before you approve it.</PageHead>
)

const Nothing = (): JSX.Element => (
  <div class="card">
    <Empty
      icon="check"
      title="Nothing waits for you"
      actions={<LinkButton href="/dashboard/mailboxes">Choose which mail is held</LinkButton>}
    >
      <p>
        A mailbox can hold every mail of its agent, or mail to new recipients, until you approve it here. New
        ones appear by themselves.
      </p>
    </Empty>
  </div>
)

const tell = (outcome: Outcome | null): void => {
  if (outcome === null) return
  if (outcome.kind === "failed")
    sayProblem(outcome.text, { label: "Open drafts", run: () => navigate("/dashboard/drafts?show=failed") })
  else say(outcome.text)
}

export const Page = (): JSX.Element => {
  const queue = useQueue()
  const { items, fates, seen } = queue
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [editing, setEditing] = useState<Editings>(new Map())
  const [rejecting, setRejecting] = useState<ReadonlyArray<DraftListItem>>([])
  const card = useCurrentCard(items, place.value.query.get("draft"))
  const current = items?.find(({ id }) => id === card.id)
  const leaveCard = (id: string) => {
    setEditing((open) => endEditing(open, id))
    setChosen((before) => new Set([...before].filter((one) => one !== id)))
    card.leave(id)
  }

  const [isApproving, setApproving] = useState<ReadonlySet<string>>(new Set())
  const approve = async (draft: DraftListItem) => {
    if (isApproving.has(draft.id) || fates.has(draft.id)) return
    if (editing.has(draft.id)) {
      say("Approve your changes to this mail, or cancel them first.")
      return
    }
    setApproving((before) => new Set([...before, draft.id]))
    try {
      const outcome = await queue.approve(draft, null)
      if (outcome !== null) leaveCard(draft.id)
      tell(outcome)
    } catch (error) {
      sayError(error)
    } finally {
      setApproving((before) => new Set([...before].filter((id) => id !== draft.id)))
    }
  }
  const edit = (draft: DraftListItem) => {
    const { bodyText, bodyHtml } = draft
    setEditing((open) =>
      beginEditing(open, draft, bodyText ?? (bodyHtml === null ? "" : textOfHtml(bodyHtml))),
    )
  }
  const together = decidable(items?.filter(({ id }) => !editing.has(id)) ?? [], chosen, seen)
  const approveChosen = async () => {
    // One after the other: each has a digest and a result of its own.
    for (const draft of together) await approve(draft)
  }
  const toggle = (draft: DraftListItem) => {
    if (!isShownWhole(draft, seen.get(draft.id))) {
      say("Read it to its end first: several are decided together only after each was shown whole.")
      return
    }
    setChosen((before) =>
      before.has(draft.id)
        ? new Set([...before].filter((id) => id !== draft.id))
        : new Set([...before, draft.id]),
    )
  }
  const withCurrent = (act: (draft: DraftListItem) => void) => () => {
    // A mail whose end is still being loaded is not shown whole.
    if (current !== undefined && !fates.has(current.id) && current.truncated !== true) act(current)
  }
  useShortcuts([
    { keys: "j", does: "Next mail", run: () => card.move(1), repeats: true },
    { keys: "k", does: "Previous mail", run: () => card.move(-1), repeats: true },
    { keys: "a", does: "Approve and send", run: withCurrent((draft) => void approve(draft)) },
    { keys: "e", does: "Edit", run: withCurrent(edit) },
    { keys: "r", does: "Reject", run: withCurrent((draft) => setRejecting([draft])) },
    { keys: "x", does: "Choose, to decide several together", run: withCurrent(toggle) },
    { keys: "A", does: "Approve the chosen ones", run: () => void approveChosen() },
    {
      keys: "R",
      does: "Reject the chosen ones",
      run: () => setRejecting(together),
    },
  ])

  return (
    <>
      <Lead />
      {queue.error !== undefined && <Failure error={queue.error} onRetry={queue.reload} />}
      {account.value?.sendingPaused === true && items !== undefined && items.length > 0 && (
        <Notice kind="warn">
          What you approve now leaves when you resume sending with the switch in the navigation.
        </Notice>
      )}
      {items === undefined && queue.error === undefined && (
        <div class="card" role="status">
          <span class="visually-hidden">Loading</span>
          <Skeleton lines={8} tall />
        </div>
      )}
      {items?.length === 0 && <Nothing />}
      <div class="reviews" ref={card.list}>
        {items?.map((draft) => {
          const settled = fates.get(draft.id)
          if (settled !== undefined)
            return (
              <SettledCard
                key={draft.id}
                draft={draft}
                settled={settled}
                onDismiss={() => {
                  leaveCard(draft.id)
                  queue.dismiss(draft.id)
                }}
              />
            )
          return (
            <ReviewCard
              key={draft.id}
              draft={draft}
              queue={queue}
              isCurrent={draft.id === card.id}
              isChosen={chosen.has(draft.id)}
              isApproving={isApproving.has(draft.id)}
              editing={editing.get(draft.id)}
              onFocus={() => card.set(draft.id)}
              onApprove={() => void approve(draft)}
              onReject={() => setRejecting([draft])}
              onChoose={() => toggle(draft)}
              onEdit={() => edit(draft)}
              onChange={(part) => setEditing((open) => changeEditing(open, draft.id, part))}
              onEditEnd={(outcome) => {
                if (outcome === null) setEditing((open) => endEditing(open, draft.id))
                else leaveCard(draft.id)
                tell(outcome)
              }}
            />
          )
        })}
      </div>
      {queue.hasMore && (
        <p class="more">
          <Button onClick={queue.loadMore}>Show more</Button>
        </p>
      )}
      {together.length > 0 && (
        <ChosenBar
          count={together.length}
          onApprove={approveChosen}
          onReject={() => setRejecting(together)}
          onClear={() => setChosen(new Set())}
        />
      )}
      {rejecting.length > 0 && (
        <RejectDialog
          drafts={rejecting}
          onReject={async (reason) => {
            let rejected = 0
            for (const draft of rejecting) {
              const isDone = await queue.reject(draft, reason)
              if (!isDone) continue
              leaveCard(draft.id)
              rejected++
            }
            // The cards of the others say who was faster, and whether they were sent.
            say(
              `${countText(rejected, "mail")} rejected.${rejected < rejecting.length ? "" : " Nothing was sent."}`,
            )
          }}
          onClose={() => setRejecting([])}
        />
      )}
      <LeaveGuard losing={unsavedText(editing)} isBusy={false} />
    </>
  )
}
