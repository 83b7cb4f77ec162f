/** What an answer says of the mail it answers: In-Reply-To and References (RFC 5322 §3.6.4; decisions §5). */
import { REFERENCES_MAX_LENGTH, THREADING_MAX_IDS } from "../limits.js"
import type { MessageContent } from "./Message.js"

export interface ReplyLinks {
  readonly inReplyTo: string | null
  /** the chain before it, the oldest first */
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

/** An answer to a mail that is not here, or of which nothing may be told: it has an id, and that is all. */
export const replyToUnknown = (rfcId: string): ReplyLinks => ({ inReplyTo: rfcId, references: [rfcId] })

/** Who answers passes a chain on, however long others made it: the root and the newest ids tie the conversation. */
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
