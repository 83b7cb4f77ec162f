/** An agent that answers every mail in its thread. Replace `think` with your own agent. */
import { EventEnvelope, type Principal, type ReceivedData } from "@mailroom/domain"
import { EventStreams, Mailboxes, Replies } from "@mailroom/engine"
import { Effect, HashSet, Option, Schema, Stream } from "effect"

/** The text of the answer to a mail. */
const think = (mail: ReceivedData): string =>
  [
    `Hello ${mail.from_name ?? mail.from},`,
    "",
    `you wrote ${mail.body_text?.length ?? 0} characters. I read them all.`,
  ].join("\n")

const readEvent = Schema.decode(Schema.parseJson(EventEnvelope))

/** Answers the mail of one event. Ignores mail that a machine sent, or two machines would answer each other forever. */
const answer = Effect.fn("agent.answer")(function* (me: Principal, envelope: string) {
  const event = yield* readEvent(envelope)
  if (event.event !== "message.received" || "over_limit" in event.data || event.data.automated) return
  const mail = event.data
  const replies = yield* Replies
  const body = { bodyText: think(mail) }
  const result = yield* replies.reply(me, mail.mailbox_id, mail.message_id, "sender", body)
  yield* Effect.logInfo(
    result.kind === "sent"
      ? `Answered ${mail.from}: ${result.message.content.subject}`
      : `The answer to ${mail.from} is ${result.kind}`,
  )
})

/** Answers the account's mail until it is interrupted. */
export const agent = Effect.fn("agent")(function* (me: Principal) {
  const streams = yield* EventStreams
  const mailboxes = yield* Mailboxes
  for (const mailbox of yield* mailboxes.list(me)) yield* Effect.logInfo(`Write to ${mailbox.fullAddress}`)

  const mail = { mailboxes: null, kinds: HashSet.make("message.received" as const) }
  const events = yield* streams.open(me.account.id, mail, Option.none())
  yield* Stream.runForEach(events, ({ envelope }) =>
    Effect.catchAll(answer(me, envelope), (error) => Effect.logWarning(`No answer: ${error._tag}`, error)),
  )
})
