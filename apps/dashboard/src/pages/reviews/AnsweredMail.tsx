/** The mail that a draft answers, folded, and how far its conversation can be believed. */
import type { DraftListItem, Message } from "@mailroom/client"
import type { JSX } from "preact"
import { findRoute } from "../../app/routes.js"
import { Failure } from "../../components/Loaded.js"
import { Badge, Skeleton } from "../../components/Notice.js"
import { Time } from "../../components/Values.js"
import { answeredBy } from "../../data/answered.js"
import { mailroom } from "../../data/client.js"
import { loader, useResource } from "../../data/resource.js"
import { threadTrust } from "../../rules/threadTrust.js"
import type { TrustWords } from "../../rules/trust.js"

interface Answered {
  readonly message: Message
  /** of the conversation; null when nothing in it was received */
  readonly trust: TrustWords | null
}

/** Received mails of the conversation that are looked at, the newest. */
const LOOKED_AT = 25

/** By mailbox and answered message; null when it is not here. */
const answered = loader(async (key, signal): Promise<Answered | null> => {
  const [mailboxId = "", inReplyTo = ""] = key.split(" ")
  const message = await answeredBy({ mailboxId, inReplyTo }, signal)
  if (message === null) return null
  const { items } = await mailroom.messages.list(
    mailboxId,
    { threadId: message.threadId, direction: "INBOUND", bodies: "preview", limit: LOOKED_AT },
    { signal },
  )
  return { message, trust: threadTrust([message, ...items]) }
})

const Known = ({ message, trust }: Answered): JSX.Element => {
  const thread = `/dashboard/mail/threads/${message.threadId}`
  return (
    <details class="fold answered">
      <summary>
        <span>
          Answers <bdi class="person-name">{message.fromName ?? message.fromAddress}</bdi>
        </span>
        <span class="faint">
          <Time at={message.receivedAt ?? message.createdAt} />
        </span>
        {trust !== null && <Badge tone={trust.tone}>{trust.label}</Badge>}
      </summary>
      {trust !== null && (
        <p class={trust.tone === "bad" || trust.tone === "warn" ? `trust-text ${trust.tone}` : "trust-text"}>
          {trust.text} {trust.reasons.join(" ")}
        </p>
      )}
      <p class="faint">
        From <bdi>{message.fromAddress}</bdi>: <bdi>{message.subject}</bdi>
      </p>
      <div class="mail-text quoted" dir="auto">
        {message.extractedText ?? message.bodyText ?? ""}
      </div>
      {findRoute(thread) !== null && (
        <p>
          <a href={thread}>Open the conversation</a>
        </p>
      )}
    </details>
  )
}

const Loading = ({ draft }: { draft: DraftListItem }): JSX.Element => {
  const { data, error, reload } = useResource(answered, `${draft.mailboxId} ${draft.inReplyTo ?? ""}`)
  if (data === undefined && error !== undefined) return <Failure error={error} onRetry={reload} />
  if (data === undefined)
    return (
      <div class="fold answered" role="status">
        <span class="visually-hidden">Loading the mail it answers</span>
        <Skeleton lines={1} />
      </div>
    )
  if (data === null) return <p class="fold answered faint">It answers a mail that is not in this mailbox.</p>
  return <Known {...data} />
}

export const AnsweredMail = ({ draft }: { draft: DraftListItem }): JSX.Element => {
  if (draft.inReplyTo === null) return <p class="fold answered faint">It begins a new conversation.</p>
  return <Loading draft={draft} />
}
