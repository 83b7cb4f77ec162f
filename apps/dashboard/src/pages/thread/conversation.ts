/** A thread with its messages, loaded anew when something happens in it. */
import type { MailroomEvent, Message, MessageListItem, ThreadWithMessages } from "@mailroom/client"
import { useState } from "preact/hooks"
import { mailroom } from "../../data/client.js"
import { useLiveRefresh } from "../../data/live.js"
import { inOrder } from "../../rules/messages.js"
import { type Loader, loader, type Resource, useResource } from "../../data/resource.js"

export interface Conversation {
  /** null while all of its messages are quarantined */
  readonly thread: ThreadWithMessages | null
  readonly mailboxId: string
  /** oldest first */
  readonly messages: ReadonlyArray<MessageListItem>
  /** visible messages of the thread that are older than these */
  readonly olderCount: number
}

/** Older messages that are loaded at once. */
export const OLDER = 100

/** The mailbox of a thread, for an address without one. */
const mailboxOf = async (threadId: string, signal: AbortSignal): Promise<string> => {
  const { items } = await mailroom.messages.listAll(
    { threadId, bodies: "preview", limit: 1, include: "quarantined" },
    { signal },
  )
  // The service answers for a thread that does not exist.
  return items[0]?.mailboxId ?? threadId
}

/** The most messages of a quarantined thread that are looked for. */
const QUARANTINED = 100

/** The messages before those that a read of the thread returns, up to `count`. */
const olderThan = async (
  { id, mailboxId, messages }: ThreadWithMessages,
  count: number,
  signal: AbortSignal,
): Promise<ReadonlyArray<MessageListItem>> => {
  const [oldest] = messages
  if (oldest === undefined || count === 0) return []
  const known = new Set(messages.map((message) => message.id))
  // From the millisecond of the oldest on: others of that time may be older.
  const before = new Date(Date.parse(oldest.createdAt) + 1).toISOString()
  const query = {
    threadId: id,
    before,
    include: "quarantined",
    order: "desc",
    bodies: "preview",
    limit: OLDER,
  } as const
  const found: Array<MessageListItem> = []
  for await (const message of mailroom.messages.list(mailboxId, query, { signal })) {
    if (!known.has(message.id)) found.push(message)
    if (found.length === count) break
  }
  return found
}

/** The key is the id of the thread, the mailbox or nothing, and how many older messages to load, with commas between. */
const conversations: Loader<Conversation> = loader(async (key, signal) => {
  const [threadId = "", given = "", older = "0"] = key.split(",")
  const mailboxId = given === "" ? await mailboxOf(threadId, signal) : given
  // The thread hides what is quarantined.
  const { items } = await mailroom.messages.list(
    mailboxId,
    { threadId, include: "quarantined", order: "desc", bodies: "preview", limit: QUARANTINED },
    { signal },
  )
  const hidden = items.filter(({ quarantined }) => quarantined !== null)
  const isAllHidden = items.length > 0 && hidden.length === items.length
  const thread = isAllHidden
    ? null
    : await mailroom.threads.get(mailboxId, threadId, { bodies: "preview" }, { signal })
  const before = thread === null ? [] : await olderThan(thread, Number(older), signal)
  const messages = inOrder([...before, ...(thread?.messages ?? []), ...hidden])
  const shown = messages.filter(({ quarantined }) => quarantined === null)
  return { thread, mailboxId, messages, olderCount: Math.max(0, (thread?.messageCount ?? 0) - shown.length) }
})

export interface ShownConversation extends Resource<Conversation> {
  /** loads older messages of a long thread */
  readonly showOlder: () => void
}

export const useConversation = (threadId: string, mailboxId: string | null): ShownConversation => {
  const [asked, setAsked] = useState({ threadId, older: 0 })
  const older = asked.threadId === threadId ? asked.older : 0
  const keyFor = (count: number): string => `${threadId},${mailboxId ?? ""},${count}`
  const resource = useResource(conversations, keyFor(older))
  const { data, refresh } = resource
  const showOlder = (): void => {
    // What is shown stays until the older ones are there.
    if (data !== undefined) conversations.kept.set(keyFor(older + OLDER), data)
    setAsked({ threadId, older: older + OLDER })
  }
  const isMine = ({ data: of }: MailroomEvent): boolean =>
    ("thread_id" in of && of.thread_id === threadId) ||
    ("message_id" in of && data?.messages.some(({ id }) => id === of.message_id) === true)
  useLiveRefresh(
    [
      "message.received",
      "message.sent",
      "message.delivered",
      "message.bounced",
      "message.complaint",
      "message.quarantined",
      "thread.taken_over",
      "thread.released",
    ],
    refresh,
    isMine,
  )
  return { ...resource, showOlder }
}

/** A whole message. The key is its mailbox and its id, with a comma between. */
export const wholeMessages: Loader<Message> = loader((key, signal) => {
  const [mailboxId = "", messageId = ""] = key.split(",")
  return mailroom.messages.get(mailboxId, messageId, { include: "quarantined" }, { signal })
})
