/** Threads (spec: decisions.thread.fields). Counts and times are those of visible messages. */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId, MailboxId, ThreadId } from "../ids.js"
import { MessageListItem } from "../messages/Message.js"
import { Instant, timestamp, Timestamp, timestampOrNull } from "../time.js"

export const ThreadRecord = Schema.Struct({
  id: ThreadId,
  accountId: AccountId,
  mailboxId: MailboxId,
  subject: Schema.String,
  /** the base subject, by which answers without threading headers are matched */
  baseSubject: Schema.String,
  participants: Schema.Array(Schema.String),
  messageCount: Schema.Int,
  lastMessageAt: Instant,
  createdAt: Instant,
  /** since when a person answers it (`admitToThread`); null: nobody took it over */
  takenOverAt: Schema.NullOr(Instant),
})
export type ThreadRecord = typeof ThreadRecord.Type

export const Thread = Schema.Struct({
  id: described(ThreadId, "id of the thread; it does not change"),
  mailboxId: described(MailboxId, "the mailbox it is in"),
  subject: described(Schema.String, "subject of the first message"),
  participants: described(Schema.Array(Schema.String), "the addresses in its messages, at most 100"),
  messageCount: described(Schema.Int, "number of visible messages"),
  lastMessageAt: described(Timestamp, "time of the newest visible message"),
  createdAt: described(Timestamp, "time of the first message"),
  takenOverAt: described(
    Schema.NullOr(Timestamp),
    "since when a person answers it, and sends of keys are refused; null when nobody has taken it over",
  ),
}).annotations({ identifier: "Thread", description: "A conversation" })
export type Thread = typeof Thread.Type

/** A thread with its visible messages, oldest first. */
export const ThreadWithMessages = Schema.Struct({
  ...Thread.fields,
  messages: described(
    Schema.Array(MessageListItem),
    "visible messages, oldest first; at most the newest 500",
  ),
}).annotations({ identifier: "ThreadWithMessages", description: "A conversation with its messages" })

export const viewThread = (thread: ThreadRecord): Thread => ({
  id: thread.id,
  mailboxId: thread.mailboxId,
  subject: thread.subject,
  participants: thread.participants,
  messageCount: thread.messageCount,
  lastMessageAt: timestamp(thread.lastMessageAt),
  createdAt: timestamp(thread.createdAt),
  takenOverAt: timestampOrNull(thread.takenOverAt),
})
