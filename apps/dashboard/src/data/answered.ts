/** The message that a draft answers. */
import { type Draft, MailroomError, type Message } from "@mailroom/client"
import { mailroom } from "./client.js"

/** Answers to a mail that is not here name it by its Message-ID. */
const isId = (reference: string): boolean => /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(reference)

/** Null when the draft answers nothing, or the message is not here, or is above the limit of received mail. */
export const answeredBy = async (
  { mailboxId, inReplyTo }: Pick<Draft, "mailboxId" | "inReplyTo">,
  signal: AbortSignal,
): Promise<Message | null> => {
  if (inReplyTo === null || !isId(inReplyTo)) return null
  try {
    return await mailroom.messages.get(mailboxId, inReplyTo, { include: "quarantined" }, { signal })
  } catch (error) {
    if (error instanceof MailroomError && (error.status === 404 || error.status === 402)) return null
    throw error
  }
}
