/**
 * Threading (docs/specification/threads.md). A thread is a connected component of messages over their Message-ID,
 * In-Reply-To and References, including ids of mails that never arrived. Among mail with such ids only the ids decide, so the
 * result does not depend on the order of arrival. The subject decides for an answer or a forward without them (`threadsBySubject`).
 */
import { oldestFirst } from "../creationOrder.js"
import type { ThreadId } from "../ids.js"
import { THREADING_MAX_IDS } from "../limits.js"
import type { Instant } from "../time.js"

export interface Linked {
  readonly messageId: string | null
  readonly inReplyTo: ReadonlyArray<string>
  readonly references: ReadonlyArray<string>
}

/**
 * The ids that tie a message to others, each once. Very long chains keep their root and their newest ids. The cut depends
 * on the message alone, so the result is still the same in every order of arrival.
 */
export const threadingIds = ({ messageId, inReplyTo, references }: Linked): ReadonlyArray<string> => {
  const ids = [
    ...new Set([
      ...(messageId === null ? [] : [messageId]),
      ...inReplyTo,
      ...references.slice(0, 1),
      ...[...references].reverse(),
    ]),
  ]
  return ids.slice(0, THREADING_MAX_IDS)
}

export interface ThreadHead {
  readonly id: ThreadId
  readonly createdAt: Instant
}

export type Placement =
  | { readonly kind: "new" }
  | {
      readonly kind: "join"
      readonly thread: ThreadId
      /** threads that this message shows to be the same conversation: they become `thread` */
      readonly absorbs: ReadonlyArray<ThreadId>
    }

/** The thread of a message, given the threads that its ids already belong to. The oldest thread keeps its id. */
export const place = (tied: ReadonlyArray<ThreadHead>): Placement => {
  const [oldest, ...others] = [...tied].sort(oldestFirst)
  if (oldest === undefined) return { kind: "new" }
  return {
    kind: "join",
    thread: oldest.id,
    absorbs: [...new Set(others.map((head) => head.id))].filter((id) => id !== oldest.id),
  }
}

/**
 * Whether the subject decides the thread: only for an answer or a forward with none of the three headers and a base subject that is
 * not empty.
 */
export const threadsBySubject = (message: Linked, isReply: boolean, base?: string): boolean =>
  isReply &&
  base !== "" &&
  message.messageId === null &&
  message.inReplyTo.length === 0 &&
  message.references.length === 0
