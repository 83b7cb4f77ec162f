/** A message in the list. */
import type { Thread } from "@mailroom/client"
import type { JSX } from "preact"
import { Badge } from "../../components/Notice.js"
import { Icon } from "../../components/Icon.js"
import { Time } from "../../components/Values.js"
import { addressesText, correspondent, othersOf, statusWords, subjectText } from "../../rules/messages.js"
import { type Part, highlightParts } from "../../rules/searchHelp.js"
import { countText } from "../../rules/texts.js"
import { isSpam, trustWords } from "../../rules/trust.js"
import type { Row } from "./useMail.js"

const Marked = ({ parts }: { parts: ReadonlyArray<Part> }): JSX.Element => (
  <>{parts.map(({ text, isMarked }, index) => (isMarked ? <mark key={index}>{text}</mark> : text))}</>
)

const Signs = ({ message }: { message: Row }): JSX.Element => {
  const trust = trustWords(message)
  const status = statusWords(message.status)
  return (
    <span class="mail-signs">
      {message.quarantined !== null && <Badge tone="warn">Quarantine</Badge>}
      {trust?.tone === "bad" && <Badge tone="bad">{trust.label}</Badge>}
      {isSpam(message) && <Badge tone="warn">Spam</Badge>}
      {(status?.tone === "bad" || status?.tone === "warn") && (
        <Badge tone={status.tone}>{status.label}</Badge>
      )}
      {message.claim?.state === "CLAIMED" && <Badge tone="accent">A worker has it</Badge>}
      {message.labels.map((label) => (
        <Badge key={label}>{label}</Badge>
      ))}
    </span>
  )
}

export const MessageRow = ({ message }: { message: Row }): JSX.Element => {
  const isUnread = message.direction === "INBOUND" && message.readAt === null
  const { highlights } = message
  return (
    <div class={isUnread ? "mail-row unread" : "mail-row"}>
      <span class="mail-dot">{isUnread && <span class="visually-hidden">Unread</span>}</span>
      <span class="mail-who clip" dir="auto">
        {highlights?.from !== undefined && message.direction === "INBOUND" && message.fromName === null ? (
          <Marked parts={highlightParts(highlights.from)} />
        ) : (
          correspondent(message)
        )}
      </span>
      <span class="mail-what clip" dir="auto">
        <strong>
          {highlights?.subject === undefined ? (
            subjectText(message.subject)
          ) : (
            <Marked parts={highlightParts(highlights.subject)} />
          )}
        </strong>{" "}
        <span class="mail-snippet">
          {highlights?.text === undefined ? (
            message.bodyText
          ) : (
            <Marked parts={highlightParts(highlights.text)} />
          )}
        </span>
      </span>
      <Signs message={message} />
      <span class="mail-when">
        {message.hasAttachments && (
          <>
            <Icon name="paperclip" size={14} />
            <span class="visually-hidden">With files</span>
          </>
        )}
        <Time at={message.createdAt} />
      </span>
    </div>
  )
}

interface ThreadRowProps {
  readonly thread: Thread
  /** addresses of the account */
  readonly own: ReadonlySet<string>
}

export const ThreadRow = ({ thread, own }: ThreadRowProps): JSX.Element => (
  <div class="mail-row">
    <span class="mail-dot" />
    <span class="mail-who clip" dir="auto">
      {addressesText(othersOf(thread.participants, own))}
    </span>
    <span class="mail-what clip" dir="auto">
      <strong>{subjectText(thread.subject)}</strong>{" "}
      <span class="mail-snippet">{countText(thread.messageCount, "message")}</span>
    </span>
    <span class="mail-signs">{thread.takenOverAt !== null && <Badge tone="accent">You answer</Badge>}</span>
    <span class="mail-when">
      <Time at={thread.lastMessageAt} />
    </span>
  </div>
)
