/** Builds the send body of a reply from its own body and the answered message (spec: decisions.messages.reply). */
import { Either } from "effect"
import { InvalidInput, type NobodyToAnswer } from "../errors.js"
import { RECIPIENTS_MAX_COUNT } from "../limits.js"
import { addressIn } from "../mailboxes/address.js"
import type { MessageContent } from "./Message.js"
import { type Answered, answerRecipients, type Audience, without } from "./replyRecipients.js"
import { answerSubject } from "./replySubject.js"
import type { ReplyBody, SendBody } from "./send.js"

const room = (path: "to" | "cc", addresses: ReadonlyArray<string>) => {
  if (addresses.length <= RECIPIENTS_MAX_COUNT) return Either.right(addresses)
  const message = `the answer would have ${addresses.length} recipients here; at most ${RECIPIENTS_MAX_COUNT} are allowed`
  return Either.left(new InvalidInput({ issues: [{ path, message }] }))
}

/** `own` is the address of the replying mailbox. The text is sent as given, without a quote: the thread has the answered mail. */
export const replyOf = (
  answered: Answered & Pick<MessageContent, "id" | "subject">,
  own: string,
  audience: Audience,
  body: ReplyBody,
): Either.Either<SendBody, NobodyToAnswer | InvalidInput> =>
  Either.gen(function* () {
    const computed = yield* answerRecipients(answered, own, audience)
    const added = (body.cc ?? []).map(addressIn)
    const to = yield* room("to", computed.to)
    const cc = yield* room("cc", without([...new Set([...computed.cc, ...added])], to))
    return { ...body, to, cc, subject: answerSubject(answered.subject), inReplyTo: answered.id }
  })
