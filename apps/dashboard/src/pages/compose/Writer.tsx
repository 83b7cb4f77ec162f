/** The form of a mail that is written, with what can be done with it. */
import type { Mailbox, SendResult } from "@mailroom/client"
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { findRoute } from "../../app/routes.js"
import { navigate, setQuery } from "../../app/router.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button, IconButton } from "../../components/Button.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { LeaveGuard } from "../../components/LeaveGuard.js"
import { say, sayProblem } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { leavingText } from "../../rules/schedule.js"
import { filesIssue } from "../../rules/fileLimits.js"
import { hasUnkept, writingIssues } from "../../rules/writing.js"
import type { Composition } from "./Composition.js"
import { BesideMessage } from "./BesideMessage.js"
import { ScheduleDialog } from "./ScheduleDialog.js"
import { SaveText } from "./SaveText.js"
import { useUploads } from "./useUploads.js"
import { WriterFields } from "./WriterFields.js"
import { WriterNotices } from "./WriterNotices.js"

interface WriterProps {
  readonly composition: Composition
  readonly mailboxes: ReadonlyArray<Mailbox>
}

/** Where the reader goes after a send: to the conversation, where the dashboard has it. */
const placeAfter = (result: SendResult): string => {
  if (result.message === undefined)
    return result.draft.status === "PENDING_REVIEW"
      ? `/dashboard/reviews?draft=${result.draft.id}`
      : "/dashboard/drafts"
  const thread = `/dashboard/mail/threads/${result.message.threadId}`
  return findRoute(thread) === null ? "/dashboard/drafts" : thread
}

const saidAfter = ({ message, draft }: SendResult): string => {
  if (message !== undefined) return `Sent to ${message.toAddresses.join(", ")}.`
  if (draft.status === "PENDING_REVIEW")
    return "It has parts that were not shown. Read it whole, and approve it here."
  const at = draft.sendAt === null ? null : new Date(draft.sendAt)
  return at !== null && at.getTime() > Date.now()
    ? `It leaves ${leavingText(at)}.`
    : "It leaves as soon as the mail server can be reached."
}

/** Milliseconds for what was typed last to reach the fields. */
const RENDERED = 0

/** What the reader would lose by leaving; null when nothing. */
const lossOf = (at: {
  readonly isLost: boolean
  readonly isUploading: boolean
  readonly hasUnkept: boolean
}): string | null => {
  if (at.isLost) return "What you wrote last could not be saved."
  if (at.isUploading) return "Files are still being uploaded."
  return at.hasUnkept ? "A recipient is not a valid address, and is not saved." : null
}

/** Saves what was written last, after the page was left. */
const saveLeft = (composition: Composition): void => {
  const again = { label: "Try again", run: () => saveLeft(composition) }
  composition.save().then(
    () => say("Saved as a draft."),
    () => sayProblem("What you wrote last could not be saved.", again),
  )
}

export const Writer = ({ composition, mailboxes }: WriterProps): JSX.Element => {
  const writing = composition.writing.value
  const draft = composition.draft.value
  const form = useRef<HTMLFormElement>(null)
  const [isChecked, setChecked] = useState(false)
  const [isScheduling, setScheduling] = useState(false)
  const [isDiscarding, setDiscarding] = useState(false)
  const [fileIssue, setFileIssue] = useState<string>()
  const [isDropping, setDropping] = useState(false)
  const uploads = useUploads((file) =>
    composition.change({ files: [...composition.writing.value.files, file] }),
  )
  const isUploading = uploads.running.some(({ error }) => error === undefined)
  const issues = writingIssues(writing)

  const leave = (result: SendResult) => {
    if (result.draft?.status === "FAILED") return
    say(saidAfter(result))
    navigate(placeAfter(result))
  }
  const send = useAction(async () => leave(await composition.send()))
  const save = useAction(async () => {
    await composition.save()
    say("Saved. You find it under Drafts.")
    navigate("/dashboard/drafts")
  })

  /** Whether the mail can leave; else it shows why not, and goes to the first field that is wrong. */
  const isReady = (): boolean => {
    setChecked(true)
    const wrong = Object.keys(writingIssues(composition.writing.value)).length > 0
    if (wrong)
      setTimeout(() => form.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(), RENDERED)
    return !wrong && !isUploading
  }
  /** After what was typed last, such as a recipient, has become part of the mail. */
  const whenReady = (act: () => void) =>
    setTimeout(() => {
      if (isReady()) act()
    }, RENDERED)

  useShortcuts([
    { keys: "Ctrl Enter", does: "Send", run: () => whenReady(send.run) },
    { keys: "Ctrl s", does: "Save as draft", run: save.run },
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.ctrlKey && !event.metaKey) return
    if (event.key === "Enter") whenReady(send.run)
    else if (event.key === "s") save.run()
    else return
    event.preventDefault()
  }

  const addFiles = (files: ReadonlyArray<File>) => {
    const present = [...writing.files, ...uploads.running]
    const issue = filesIssue(
      present,
      files.map(({ size }) => ({ sizeBytes: size })),
    )
    setFileIssue(issue)
    if (issue === undefined) uploads.add(files)
  }

  useEffect(() => {
    // Where writing goes on: the recipients of a new mail, else the text.
    const first = composition.writing.value.to.length === 0 ? "input.chips-input" : "textarea"
    form.current?.querySelector<HTMLElement>(first)?.focus()
  }, [composition])
  const draftId = draft?.id ?? null
  useEffect(() => {
    // So that loading the page again goes on with it.
    if (draft !== null)
      setQuery({
        draft: draft.id,
        mailbox: draft.mailboxId,
        reply: null,
        forward: null,
        thread: null,
        to: null,
        all: null,
      })
  }, [draftId])
  useEffect(
    () => () => {
      // Left within the moment after the last change, or while it is saved. A failure was asked about.
      if (composition.isDirty.value && composition.state.value.kind !== "failed") saveLeft(composition)
    },
    [composition],
  )

  const isLost = composition.state.value.kind === "failed" && composition.isDirty.value
  return (
    <>
      <WriterNotices composition={composition} sendError={send.error ?? save.error} />
      <form
        ref={form}
        class={isDropping ? "card writing dropping" : "card writing"}
        aria-label="Mail"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          whenReady(send.run)
        }}
        onKeyDown={onKeyDown}
        onDragOver={(event) => {
          if (event.dataTransfer?.types.includes("Files") !== true) return
          event.preventDefault()
          setDropping(true)
        }}
        onDragLeave={({ relatedTarget }) => {
          if (!(relatedTarget instanceof Node) || form.current?.contains(relatedTarget) !== true)
            setDropping(false)
        }}
        onDrop={(event) => {
          setDropping(false)
          if (event.dataTransfer === null || event.dataTransfer.files.length === 0) return
          event.preventDefault()
          addFiles([...event.dataTransfer.files])
        }}
      >
        <WriterFields
          composition={composition}
          mailboxes={mailboxes}
          issues={isChecked ? issues : {}}
          fileIssue={fileIssue}
          uploads={uploads}
          onAddFiles={addFiles}
        />
        <footer class="writing-actions">
          <Button type="submit" kind="primary" icon="send" busy={send.isRunning} disabled={isUploading}>
            Send
          </Button>
          <Button icon="clock" disabled={isUploading} onClick={() => whenReady(() => setScheduling(true))}>
            Send later
          </Button>
          <Button
            kind="quiet"
            busy={save.isRunning}
            disabled={draft === null && !composition.isDirty.value}
            onClick={save.run}
          >
            Save as draft
          </Button>
          <SaveText state={composition.state.value} isUploading={isUploading} />
          <IconButton icon="trash" label="Discard this mail" onClick={() => setDiscarding(true)} />
        </footer>
      </form>
      <BesideMessage composition={composition} />
      {isScheduling && (
        <ScheduleDialog
          onSchedule={async (at) => {
            const result = await composition.schedule(at)
            setScheduling(false)
            leave(result)
          }}
          onClose={() => setScheduling(false)}
        />
      )}
      {isDiscarding && (
        <ConfirmDialog
          title="Discard this mail?"
          action="Discard"
          danger
          onConfirm={async () => {
            await composition.discard()
            navigate("/dashboard/drafts")
          }}
          onClose={() => setDiscarding(false)}
        >
          <p>What you wrote and its files are deleted. This cannot be undone.</p>
        </ConfirmDialog>
      )}
      <LeaveGuard
        losing={
          composition.hasEnded.value ? null : lossOf({ isLost, isUploading, hasUnkept: hasUnkept(writing) })
        }
        isBusy={composition.isDirty.value}
      />
    </>
  )
}
