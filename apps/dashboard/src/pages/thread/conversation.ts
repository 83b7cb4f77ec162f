/** A thread with its messages, loaded anew when something happens in it. */
import type { MailroomEvent, Message, MessageListItem, ThreadWithMessages } from "@mailroom/client"
import { mailroom } from "../../data/client.js"
import { useLive } from "../../data/live.js"
import { forList } from "../../rules/messages.js"
import { type Loader, loader, type Resource, useResource } from "../../data/resource.js"

export interface Conversation {
  /** null while all of its messages are quarantined */
  readonly thread: ThreadWithMessages | null
  readonly mailboxId: string
  readonly messages: ReadonlyArray<MessageListItem>
}

/** The mailbox of a thread, for an address without one. */
const mailboxOf = async (threadId: string, signal: AbortSignal): Promise<string> => {
  const { items } = await mailroom.messages.listAll(
    { threadId, limit: 1, include: "quarantined" },
    { signal },
  )
  // The service answers for a thread that does not exist.
  return items[0]?.mailboxId ?? threadId
}

/** The most messages of a quarantined thread that are looked for. */
const QUARANTINED = 100

/** The key is the id of the thread, and the mailbox or nothing behind a comma. */
export const conversations: Loader<Conversation> = loader(async (key, signal) => {
  const [threadId = "", given = ""] = key.split(",")
  const mailboxId = given === "" ? await mailboxOf(threadId, signal) : given
  // The thread hides what is quarantined.
  const { items } = await mailroom.messages.list(
    mailboxId,
    { threadId, include: "quarantined", order: "desc", limit: QUARANTINED },
    { signal },
  )
  const hidden = items.filter(({ quarantined }) => quarantined !== null)
  const isAllHidden = items.length > 0 && hidden.length === items.length
  const thread = isAllHidden ? null : await mailroom.threads.get(mailboxId, threadId, { signal })
  const messages = [...(thread?.messages ?? []), ...hidden]
    .map(forList)
    .toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))
  return { thread, mailboxId, messages }
})

export const useConversation = (threadId: string, mailboxId: string | null): Resource<Conversation> => {
  const resource = useResource(conversations, `${threadId},${mailboxId ?? ""}`)
  const { data, reload } = resource
  const isMine = (of: MailroomEvent["data"]): boolean =>
    ("thread_id" in of && of.thread_id === threadId) ||
    ("message_id" in of && data?.messages.some(({ id }) => id === of.message_id) === true)
  useLive(
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
    (event) => {
      if (isMine(event.data)) reload()
    },
  )
  return resource
}

/** A whole message. The key is its mailbox and its id, with a comma between. */
export const wholeMessages: Loader<Message> = loader((key, signal) => {
  const [mailboxId = "", messageId = ""] = key.split(",")
  return mailroom.messages.get(mailboxId, messageId, { include: "quarantined" }, { signal })
})
