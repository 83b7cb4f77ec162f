/** How a thread changes when a message in it becomes visible, and when another thread is merged into it. */
import type { Instant } from "../time.js"
import { laterTakeover } from "./takeover.js"
import type { ThreadRecord } from "./Thread.js"
import { baseSubject } from "../messages/subjects.js"

/** A thread stores at most this many participants. */
const PARTICIPANTS_MAX = 100

/** Each address once, as many as a thread stores. */
export const threadParticipants = (addresses: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(addresses)].slice(0, PARTICIPANTS_MAX)

/** What a thread takes over from a message that becomes visible. */
export interface ShownInThread {
  readonly subject: string
  readonly participants: ReadonlyArray<string>
  readonly createdAt: Instant
}

/** The thread with one more visible message. Only an import is older than the first message of its thread. */
export const withShownMessage = (thread: ThreadRecord, message: ShownInThread): ThreadRecord => ({
  ...thread,
  ...((thread.messageCount === 0 || message.createdAt < thread.createdAt) && {
    subject: message.subject,
    baseSubject: baseSubject(message.subject),
  }),
  createdAt: Math.min(thread.createdAt, message.createdAt),
  participants: threadParticipants([...thread.participants, ...message.participants]),
  messageCount: thread.messageCount + 1,
  lastMessageAt:
    thread.messageCount === 0 ? message.createdAt : Math.max(thread.lastMessageAt, message.createdAt),
})

/** The time of the last visible message. A thread without visible messages counts only when neither has any. */
const lastMessageAt = (threads: ReadonlyArray<ThreadRecord>): Instant => {
  const shown = threads.filter(({ messageCount }) => messageCount > 0)
  return Math.max(...(shown.length > 0 ? shown : threads).map((thread) => thread.lastMessageAt))
}

/** `into` with `from` merged into it. A thread without visible messages has no subject yet, and takes the one of `from`. */
export const mergedThread = (into: ThreadRecord, from: ThreadRecord): ThreadRecord => ({
  ...into,
  ...(into.messageCount === 0 && { subject: from.subject, baseSubject: from.baseSubject }),
  participants: threadParticipants([...into.participants, ...from.participants]),
  messageCount: into.messageCount + from.messageCount,
  lastMessageAt: lastMessageAt([into, from]),
  createdAt: Math.min(into.createdAt, from.createdAt),
  takenOverAt: laterTakeover(into.takenOverAt, from.takenOverAt),
})
