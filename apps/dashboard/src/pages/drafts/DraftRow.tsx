/** A draft in the list: to whom, about what, its state in words, and what can be done with it. */
import type { DraftListItem } from "@mailroom/client"
import type { JSX } from "preact"
import { IconButton } from "../../components/Button.js"
import { Badge } from "../../components/Notice.js"
import { say, sayError } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { draftActions, draftProblem, draftState, recipientsText } from "../../rules/drafts.js"
import type { Question } from "./DraftDialog.js"

interface DraftRowProps {
  readonly draft: DraftListItem
  readonly onAsk: (question: Question) => void
  readonly onChanged: () => void
}

export const DraftRow = ({ draft, onAsk, onChanged }: DraftRowProps): JSX.Element => {
  const { id, mailboxId, subject, sendAt, updatedAt } = draft
  const { label, tone } = draftState(draft, new Date())
  const problem = draftProblem(draft)
  const actions = draftActions(draft)
  const schedule = (at: string | null) =>
    mailroom.drafts.update(mailboxId, id, { sendAt: at }).then(onChanged).catch(sayError)
  const unschedule = useAction(async () => {
    await schedule(null)
    say("It does not leave by itself any more.", {
      label: "Undo",
      run: () => void schedule(sendAt),
    })
  })
  return (
    <div class="list-row draft-row">
      <div class="list-row-main">
        <strong class="clip" dir="auto">
          {subject ?? "No subject"}
        </strong>
        <span class="faint clip">{recipientsText(draft)}</span>
        {problem !== undefined && (
          <span class="draft-problem">
            {problem.title}: {problem.text}
          </span>
        )}
      </div>
      <span class="draft-state">
        {draft.status !== "DRAFT" && <Badge tone={tone}>{label}</Badge>}
        <span class="faint draft-time">
          <Time at={updatedAt} />
        </span>
      </span>
      {/* The row itself opens the draft. */}
      <span class="draft-tools" onClick={(event) => event.stopPropagation()}>
        {actions.includes("unschedule") && (
          <IconButton
            icon="clock"
            label="Do not send by itself"
            disabled={unschedule.isRunning}
            onClick={() => unschedule.run()}
          />
        )}
        {actions.includes("send") && (
          <IconButton icon="send" label="Send now" onClick={() => onAsk({ kind: "send", draft })} />
        )}
        {actions.includes("delete") && (
          <IconButton icon="trash" label="Delete" onClick={() => onAsk({ kind: "delete", draft })} />
        )}
      </span>
    </div>
  )
}
