/** An agent that answers every mail in its thread. Replace `think` with your own agent. */
import { Effect } from "effect"
import { Events, Mailboxes, type ReceivedMail } from "mailroom"

/** The text of the answer to a mail. */
const think = ({ message }: ReceivedMail): string =>
  `Hello ${message.fromName ?? message.fromAddress},\n\nyou wrote ${message.bodyText?.length ?? 0} characters. I read them all.`

/** Answers mail until it is interrupted. Leaves mail that a machine sent: two machines would answer each other forever. */
export const agent = Effect.gen(function* () {
  const mailboxes = yield* Mailboxes
  const events = yield* Events
  const { fullAddress } = yield* mailboxes.adopt("agent")
  yield* Effect.logInfo(`Write to ${fullAddress}`)
  return yield* events.consume("agent", (event) =>
    event._tag === "message.received" && !event.message.automated ? event.reply(think(event)) : Effect.void,
  )
})
