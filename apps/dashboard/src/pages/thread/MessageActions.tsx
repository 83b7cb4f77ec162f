/** What the reader does with a message: answer, forward, mark, move away, delete. */
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { navigate } from "../../app/router.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { LinkButton } from "../../components/Button.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Icon } from "../../components/Icon.js"
import { Menu, type MenuItem } from "../../components/Menu.js"
import { say, sayError } from "../../components/Toasts.js"
import { mailroom } from "../../data/client.js"
import { lastList } from "../mail/lastList.js"
import type { ChangeProps } from "./Standing.js"

interface ActionsProps extends ChangeProps {
  /** whether keys work on this message */
  readonly hasShortcuts: boolean
  /** whether the thread has no other message, and ends with it */
  readonly isOnly: boolean
}

const Shortcuts = ({ reply, forward, remove }: Record<"reply" | "forward" | "remove", () => void>): null => {
  useShortcuts([
    { keys: "r", does: "Reply to the newest message", run: reply },
    { keys: "f", does: "Forward the newest message", run: forward },
    { keys: "#", does: "Delete the newest message", run: remove },
  ])
  return null
}

export const MessageActions = ({
  message,
  hasShortcuts,
  isOnly,
  onChanged,
  onChange,
}: ActionsProps): JSX.Element => {
  const { id, mailboxId } = message
  const [isDeleting, setDeleting] = useState(false)
  const mark = async (read: boolean): Promise<void> => {
    onChanged(await mailroom.messages.update(mailboxId, id, { read }))
    onChange()
    say(read ? "Marked as read." : "Marked as unread.")
  }
  const quarantine = async (): Promise<void> => {
    onChanged(await mailroom.messages.quarantine(mailboxId, id))
    onChange()
    say("Moved to quarantine: your agents do not see it any more.")
  }
  const remove = async (): Promise<void> => {
    await mailroom.messages.remove(mailboxId, id)
    if (isOnly) navigate(lastList.value)
    else onChange()
    say("The message is deleted.")
  }
  // The service changes nothing in a quarantined message but its place.
  const mayChange = message.direction === "INBOUND" && message.quarantined === null
  const items: ReadonlyArray<MenuItem> = [
    ...(mayChange
      ? [
          {
            label: message.readAt === null ? "Mark as read" : "Mark as unread",
            icon: "mail" as const,
            run: () => void mark(message.readAt === null).catch(sayError),
          },
          {
            label: "Move to quarantine",
            icon: "shield" as const,
            run: () => void quarantine().catch(sayError),
          },
        ]
      : []),
    { label: "Delete", icon: "trash", danger: true, run: () => setDeleting(true) },
  ]
  const reply = `/dashboard/compose?reply=${id}&mailbox=${mailboxId}`
  const forward = `/dashboard/compose?forward=${id}&mailbox=${mailboxId}`
  return (
    <div class="message-actions">
      {hasShortcuts && (
        <Shortcuts
          reply={() => navigate(reply)}
          forward={() => navigate(forward)}
          remove={() => setDeleting(true)}
        />
      )}
      {message.quarantined === null && (
        <>
          <LinkButton kind="primary" size="small" icon="reply" href={reply}>
            Reply
          </LinkButton>
          <LinkButton size="small" icon="forward" href={forward}>
            Forward
          </LinkButton>
        </>
      )}
      <Menu label="More for this message" items={items}>
        <Icon name="more" />
      </Menu>
      {isDeleting && (
        <ConfirmDialog
          title="Delete this message?"
          action="Delete message"
          danger
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          <p>
            It is deleted with its files and its raw mail, here and for your agents. It cannot be restored.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}
