/** What the writer must know: why a send failed, that a schedule ended, that a formatted version was dropped. */
import type { JSX } from "preact"
import { Button } from "../../components/Button.js"
import { Notice } from "../../components/Notice.js"
import { Refusal } from "../../components/Refusal.js"
import { useAction } from "../../data/action.js"
import { draftProblem } from "../../rules/drafts.js"
import { sendErrorWords } from "../../rules/refusals.js"
import { leavingText } from "../../rules/schedule.js"
import { beyondForm } from "../../rules/writing.js"
import type { Composition } from "./Composition.js"
import { MailroomError } from "@mailroom/client"

/** The draft was sent or deleted elsewhere: what is here can be kept as another one. */
const Gone = ({ composition }: { composition: Composition }): JSX.Element => {
  const keep = useAction(() => composition.keepAnew())
  return (
    <Notice
      kind="bad"
      title="This draft is gone"
      actions={
        <Button size="small" busy={keep.isRunning} onClick={() => keep.run()}>
          Keep it as a new draft
        </Button>
      }
    >
      It was sent or deleted elsewhere, such as in another tab. What you see here is not saved.
    </Notice>
  )
}

const isGone = (error: unknown): boolean => error instanceof MailroomError && error.code === "DRAFT_NOT_FOUND"

interface WriterNoticesProps {
  readonly composition: Composition
  readonly sendError: unknown
}

export const WriterNotices = ({ composition, sendError }: WriterNoticesProps): JSX.Element => {
  const { beginning, state } = composition
  const draft = composition.draft.value
  const saveError = state.value.kind === "failed" ? state.value.error : undefined
  const error = sendError ?? saveError
  const problem = draft === null ? undefined : draftProblem(draft)
  const first = beginning.draft
  const wasScheduled = first?.status === "SCHEDULED" ? first.sendAt : null
  const isScheduled = draft?.status === "SCHEDULED"
  const beyond = draft === null ? [] : beyondForm(draft)
  const lostFormat = beginning.writing.html !== null && composition.writing.value.html === null
  return (
    <div class="banners">
      {isGone(error) && <Gone composition={composition} />}
      {error !== undefined && !isGone(error) && <Refusal words={sendErrorWords(error)} />}
      {error === undefined && problem !== undefined && <Refusal words={problem} />}
      {wasScheduled !== null && (
        <Notice kind={isScheduled ? "accent" : "warn"}>
          {isScheduled
            ? `This mail leaves ${leavingText(new Date(wasScheduled))}. Changing it ends the schedule.`
            : `It does not leave ${leavingText(new Date(wasScheduled))} any more, because you changed it. Send it, or choose a time again.`}
        </Notice>
      )}
      {beyond.length > 0 && <Notice kind="neutral">{beyond.join(" ")}</Notice>}
      {lostFormat && (
        <Notice kind="neutral">
          The mail had a formatted version, which is left out because you changed the text. It leaves as plain
          text.
        </Notice>
      )}
    </div>
  )
}
