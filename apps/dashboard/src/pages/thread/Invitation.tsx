/** An invitation: what, when, where, who comes, and the answer of the mailbox. */
import type { Calendar, Mailbox, Message, ParticipationStatus } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Badge } from "../../components/Notice.js"
import { say, sayError } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { answerTexts, ownAnswer, purposeText, whenText } from "../../rules/invitations.js"
import { countText } from "../../rules/texts.js"

type Answer = "accepted" | "tentative" | "declined"

const answers: ReadonlyArray<{ readonly status: Answer; readonly label: string }> = [
  { status: "accepted", label: "Accept" },
  { status: "tentative", label: "Maybe" },
  { status: "declined", label: "Decline" },
]

interface InvitationProps {
  readonly message: Message
  readonly calendar: Calendar
  readonly mailbox: Mailbox | undefined
}

export const Invitation = ({ message, calendar, mailbox }: InvitationProps): JSX.Element => {
  const { attendees, location, organizer, rrule, summary } = calendar
  const [given, setGiven] = useState<Answer | null>(null)
  const asked: ParticipationStatus | null =
    mailbox === undefined || message.direction === "OUTBOUND" ? null : ownAnswer(calendar, mailbox)
  const answer = useAction(async (status: Answer) => {
    try {
      await mailroom.messages.rsvp(message.mailboxId, message.id, { status })
      setGiven(status)
      say("Your answer is sent.")
    } catch (error) {
      sayError(error)
    }
  })
  return (
    <section class="invitation" aria-label={purposeText(calendar)}>
      <div class="invitation-head">
        <h3 dir="auto">{summary ?? "Event without a title"}</h3>
        <Badge tone={calendar.method === "CANCEL" ? "bad" : "accent"}>{purposeText(calendar)}</Badge>
      </div>
      <p>
        {whenText(calendar)}
        {rrule !== undefined && ", repeated"}
      </p>
      {location !== null && <p dir="auto">{location}</p>}
      {organizer !== null && <p class="faint">Invited by {organizer.name ?? organizer.address}</p>}
      {attendees.length > 0 && (
        <details>
          <summary>{countText(attendees.length, "guest")}</summary>
          <ul class="guests">
            {attendees.map(({ address, name, status }) => (
              <li key={address}>
                {name ?? address} <span class="faint">{answerTexts[status]}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {asked !== null && (
        <div class="invitation-answers">
          {answers.map(({ status, label }) => (
            <Button
              key={status}
              size="small"
              kind={given === status ? "primary" : "secondary"}
              busy={answer.isRunning}
              onClick={() => answer.run(status)}
            >
              {label}
            </Button>
          ))}
          {given !== null && <span class="faint">The organizer has your answer.</span>}
        </div>
      )}
    </section>
  )
}
