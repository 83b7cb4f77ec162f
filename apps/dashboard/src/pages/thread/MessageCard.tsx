/** A message of a thread: a line while it is closed, and all of it when it is open. */
import type { Mailbox, Message, MessageListItem } from "@mailroom/client"
import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Icon } from "../../components/Icon.js"
import { Failure } from "../../components/Loaded.js"
import { Badge, Skeleton } from "../../components/Notice.js"
import { Time } from "../../components/Values.js"
import { mailroom } from "../../data/client.js"
import { useResource } from "../../data/resource.js"
import { addressesText, statusWords } from "../../rules/messages.js"
import { trustWords } from "../../rules/trust.js"
import { AtHand } from "./AtHand.js"
import { Files } from "./Files.js"
import { Invitation } from "./Invitation.js"
import { MessageActions } from "./MessageActions.js"
import { MessageBody } from "./MessageBody.js"
import { Labels } from "./Labels.js"
import { Details, SafetyWords } from "./Safety.js"
import { Standing } from "./Standing.js"
import { wholeMessages } from "./conversation.js"

interface OpenProps {
  readonly message: Message
  readonly mailbox: Mailbox | undefined
  readonly isNewest: boolean
  readonly isOnly: boolean
  readonly onChange: () => void
  /** shows the message as the service answered a change */
  readonly onChanged: (message: Message) => void
}

const OpenMessage = (props: OpenProps): JSX.Element => {
  const { message, mailbox, isNewest, isOnly, onChange, onChanged } = props
  const isUnread = message.direction === "INBOUND" && message.readAt === null
  useEffect(() => {
    // Opening is reading. Where it fails, the message stays unread.
    if (isUnread && message.quarantined === null)
      mailroom.messages.update(message.mailboxId, message.id, { read: true }).then(onChanged, () => undefined)
    // Once for each message: "Mark as unread" holds until it is opened again.
  }, [message.id])
  return (
    <div class="message-open">
      <Standing message={message} onChanged={onChanged} onChange={onChange} />
      <SafetyWords message={message} />
      {message.calendar !== null && (
        <Invitation message={message} calendar={message.calendar} mailbox={mailbox} />
      )}
      <AtHand message={message} />
      <MessageBody message={message} />
      <Files message={message} />
      {message.quarantined === null && <Labels message={message} onChanged={onChanged} />}
      <Details message={message} />
      <MessageActions
        message={message}
        hasShortcuts={isNewest}
        isOnly={isOnly}
        onChange={onChange}
        onChanged={onChanged}
      />
    </div>
  )
}

interface CardProps {
  readonly listed: MessageListItem
  readonly mailbox: Mailbox | undefined
  readonly isOpen: boolean
  readonly isNewest: boolean
  readonly isOnly: boolean
  readonly onToggle: () => void
  readonly onChange: () => void
}

const Whole = (props: CardProps): JSX.Element => {
  const { listed, mailbox, isNewest, isOnly, onChange } = props
  const { data, error, reload, set } = useResource(wholeMessages, `${listed.mailboxId},${listed.id}`)
  useEffect(() => {
    // The list has news, such as that a sent message was delivered.
    if (data !== undefined && data.status !== listed.status) reload()
  }, [listed.status])
  if (data !== undefined)
    return (
      <OpenMessage
        message={data}
        mailbox={mailbox}
        isNewest={isNewest}
        isOnly={isOnly}
        onChange={onChange}
        onChanged={set}
      />
    )
  return (
    <div class="message-open">
      {error === undefined ? <Skeleton lines={6} /> : <Failure error={error} onRetry={reload} />}
    </div>
  )
}

export const MessageCard = (props: CardProps): JSX.Element => {
  const { listed, isOpen, onToggle } = props
  const trust = trustWords(listed)
  const status = statusWords(listed.status)
  const isUnread = listed.direction === "INBOUND" && listed.readAt === null
  return (
    <article class={isOpen ? "message open" : "message"} aria-label={`Message from ${listed.fromAddress}`}>
      <button class="message-head" type="button" aria-expanded={isOpen} onClick={onToggle}>
        <Icon name={isOpen ? "chevronDown" : "chevronRight"} size={16} />
        <span class={isUnread && !isOpen ? "message-from unread" : "message-from"} dir="auto">
          {listed.fromName ?? listed.fromAddress}
          {isOpen && listed.fromName !== null && <span class="message-address">{listed.fromAddress}</span>}
        </span>
        <span class="message-snippet clip" dir="auto">
          {isOpen ? `To ${addressesText(listed.toAddresses)}` : listed.bodyText}
        </span>
        <span class="message-signs">
          {trust !== null && <Badge tone={trust.tone}>{trust.label}</Badge>}
          {status !== null && <Badge tone={status.tone}>{status.label}</Badge>}
          {listed.quarantined !== null && <Badge tone="warn">Quarantine</Badge>}
        </span>
        <span class="faint message-time">
          <Time at={listed.createdAt} />
        </span>
      </button>
      {isOpen && <Whole {...props} />}
    </article>
  )
}
