/** In-Reply-To and References of a reply (RFC 5322 §3.6.4). */
import { REFERENCES_MAX_LENGTH, THREADING_MAX_IDS } from "../limits.js"
import type { MessageContent } from "./Message.js"

export interface ReplyLinks {
  readonly inReplyTo: string | null
  /** its References, the oldest first */
  readonly references: ReadonlyArray<string>
}

export const noReply: ReplyLinks = { inReplyTo: null, references: [] }

export const replyTo = (
  parent: Pick<MessageContent, "messageId" | "references" | "inReplyTo">,
): ReplyLinks => {
  const { messageId, references, inReplyTo } = parent
  const before = references.length > 0 ? references : inReplyTo === null ? [] : [inReplyTo]
  return {
    inReplyTo: messageId,
    references: shortened([...before.filter((id) => id !== messageId), messageId]),
  }
}

/** A reply to a mail that is unknown or gated: only its id is used (spec: decisions.threading.unknown). */
export const replyToUnknown = (rfcId: string): ReplyLinks => ({ inReplyTo: rfcId, references: [rfcId] })

/** Shortens a long chain of References to its root and its newest ids, which keep the thread together. */
const shortened = ([root, ...later]: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (root === undefined) return []
  const kept: Array<string> = []
  let room = REFERENCES_MAX_LENGTH - root.length
  for (const id of later.toReversed().slice(0, THREADING_MAX_IDS - 1)) {
    room -= id.length + 1
    if (room < 0) break
    kept.push(id)
  }
  return [root, ...kept.reverse()]
}
