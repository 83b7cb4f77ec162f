/** Asks before a draft is sent or deleted, because neither can be undone. */
import type { DraftListItem, SendResult } from "@mailroom/client"
import type { JSX } from "preact"
import { navigate } from "../../app/router.js"
import { Button } from "../../components/Button.js"
import { ConfirmDialog, Dialog, DialogActions } from "../../components/Dialog.js"
import { Refusal } from "../../components/Refusal.js"
import { say } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { sendErrorWords } from "../../rules/refusals.js"

export interface Question {
  readonly kind: "send" | "delete"
  readonly draft: DraftListItem
}

interface DraftDialogProps {
  readonly question: Question
  readonly onDone: () => void
  readonly onClose: () => void
}

const Mail = ({ draft: { to, cc, bcc, subject } }: { draft: DraftListItem }): JSX.Element => (
  <dl class="mail-lines">
    <dt>To</dt>
    <dd>{[...to, ...cc, ...bcc].join(", ") || "no recipient yet"}</dd>
    <dt>Subject</dt>
    <dd dir="auto">{subject ?? "no subject yet"}</dd>
  </dl>
)

const said = ({ message, draft }: SendResult): void => {
  if (message !== undefined) say("Sent.")
  else if (draft.status === "PENDING_REVIEW")
    say("The mailbox asks for your approval first.", {
      label: "Review it",
      run: () => navigate(`/dashboard/reviews?draft=${draft.id}`),
    })
  else say("It leaves as soon as it can.")
}

const SendDialog = ({ question: { draft }, onDone, onClose }: DraftDialogProps): JSX.Element => {
  const send = useAction(async () => {
    said(await mailroom.drafts.send(draft.mailboxId, draft.id))
    onDone()
    onClose()
  })
  return (
    <Dialog title="Send this mail now?" onClose={onClose}>
      {send.error !== undefined && <Refusal words={sendErrorWords(send.error)} />}
      <Mail draft={draft} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" icon="send" busy={send.isRunning} onClick={() => send.run()}>
          Send now
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export const DraftDialog = (props: DraftDialogProps): JSX.Element => {
  const { question, onDone, onClose } = props
  const { kind, draft } = question
  if (kind === "send") return <SendDialog {...props} />
  return (
    <ConfirmDialog
      title={draft.status === "PENDING_REVIEW" ? "Delete this mail unsent?" : "Delete this draft?"}
      action="Delete"
      danger
      onConfirm={async () => {
        await mailroom.drafts.remove(draft.mailboxId, draft.id)
        say("Deleted.")
        onDone()
      }}
      onClose={onClose}
    >
      <Mail draft={draft} />
      <p>The text and its files are deleted. This cannot be undone.</p>
    </ConfirmDialog>
  )
}
