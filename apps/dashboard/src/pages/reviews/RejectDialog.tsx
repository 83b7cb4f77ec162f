/** Asks why mails are rejected: the agent reads it. */
import type { DraftListItem } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Dialog, DialogActions } from "../../components/Dialog.js"
import { Form, TextAreaField } from "../../components/Form.js"
import { useAction } from "../../data/action.js"

interface RejectDialogProps {
  readonly drafts: ReadonlyArray<DraftListItem>
  readonly onReject: (reason: string) => Promise<unknown>
  readonly onClose: () => void
}

export const RejectDialog = ({ drafts, onReject, onClose }: RejectDialogProps): JSX.Element => {
  const [reason, setReason] = useState("")
  const reject = useAction(async () => {
    await onReject(reason)
    onClose()
  })
  const [only] = drafts
  const isOne = drafts.length === 1
  return (
    <Dialog title={isOne ? "Reject this mail?" : `Reject these ${drafts.length} mails?`} onClose={onClose}>
      <Form fields={["reason"]} error={reject.error} onSubmit={() => reject.run()}>
        {isOne && only !== undefined && (
          <p class="faint">
            “<bdi>{only.subject ?? "No subject"}</bdi>” to {only.to.join(", ")}
          </p>
        )}
        <div
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            reject.run()
          }}
        >
          <TextAreaField
            name="reason"
            label="Why?"
            optional
            rows={3}
            value={reason}
            onInput={setReason}
            hint="Your agent reads it and can do better. The mail is kept under Drafts, unsent."
          />
        </div>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="danger" busy={reject.isRunning}>
            {isOne ? "Reject" : `Reject ${drafts.length}`}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
