/** When a mail leaves: a list of sensible times, or any date and time in the reader's zone. */
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Dialog, DialogActions } from "../../components/Dialog.js"
import { Form, TextField } from "../../components/Form.js"
import { Notice } from "../../components/Notice.js"
import { useAction } from "../../data/action.js"
import { sendErrorWords } from "../../rules/refusals.js"
import {
  inputTime,
  leavingText,
  timeChoices,
  timeIssue,
  timeOfInput,
  zoneName,
} from "../../rules/schedule.js"
import { fullTime } from "../../rules/texts.js"

interface ScheduleDialogProps {
  readonly onSchedule: (at: Date) => Promise<unknown>
  readonly onClose: () => void
}

export const ScheduleDialog = ({ onSchedule, onClose }: ScheduleDialogProps): JSX.Element => {
  const [choices] = useState(() => timeChoices(new Date()))
  const [written, setWritten] = useState("")
  const [wrong, setWrong] = useState<string>()
  const schedule = useAction(onSchedule)
  const time = timeOfInput(written)
  const failure = schedule.error === undefined ? undefined : sendErrorWords(schedule.error)
  return (
    <Dialog title="Send later" onClose={onClose}>
      <Form
        fields={[]}
        onSubmit={() => {
          const issue = timeIssue(time, new Date())
          setWrong(issue)
          if (issue === undefined && time !== null) schedule.run(time)
        }}
      >
        {failure !== undefined && (
          <Notice kind="bad" title={failure.title}>
            {failure.text}
          </Notice>
        )}
        <ul class="time-choices">
          {choices.map(({ label, at }) => (
            <li key={label}>
              <button
                class="time-choice"
                type="button"
                disabled={schedule.isRunning}
                onClick={() => schedule.run(at)}
              >
                <span>{label}</span>
                <span class="faint">{leavingText(at)}</span>
              </button>
            </li>
          ))}
        </ul>
        <TextField
          name="sendAt"
          label="Another time"
          type="datetime-local"
          value={written}
          min={inputTime(new Date())}
          onInput={(value) => {
            setWritten(value)
            setWrong(undefined)
          }}
          wrong={wrong}
          hint={time === null ? `In your zone, ${zoneName()}` : `Leaves ${fullTime(time)}`}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={schedule.isRunning}>
            Schedule
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
