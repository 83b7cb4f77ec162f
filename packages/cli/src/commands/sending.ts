/** `send`, `reply`, `forward`. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { Draft, RequestOptions, SendResult } from "@mailroom/client"
import { Effect, Option } from "effect"
import { refusedDraft } from "../CliError.js"
import { at, bodyFields, bodyOptions, contentFields, contentOptions, idempotencyKey } from "../content.js"
import { timeText } from "../format.js"
import { argument, common, flag, mailboxOption, remote, text } from "../options.js"
import { Api, inItsMailbox, oneMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import { safeLine } from "../terminal/safeText.js"

/** Whether the time of a scheduled draft had come when it was approved: `sendAt` is not after the last change then. */
const isDue = ({ sendAt, updatedAt }: Draft): boolean =>
  sendAt !== null && Date.parse(sendAt) <= Date.parse(updatedAt)

/** One line about a send: what became of it. */
const sendText = ({ message, draft }: SendResult): string => {
  if (message !== undefined) return `Sent ${message.id} to ${safeLine(message.toAddresses.join(", "))}.`
  if (draft.status === "SCHEDULED")
    return isDue(draft)
      ? `Draft ${draft.id} waits until the relay is back or the account may send again: mailroom drafts show ${draft.id}`
      : `Draft ${draft.id} is sent at ${timeText(draft.sendAt)}.`
  const later = draft.sendAt === null ? "" : `, and is sent at ${timeText(draft.sendAt)} after it`
  return `Draft ${draft.id} waits for a review${later}: mailroom reviews show ${draft.id}`
}

/** Prints what became of a send. Fails when a check refused the send of an approved draft: the service answers 202 with it. */
export const printSend = (result: SendResult) =>
  Effect.flatMap(Output, (output) =>
    result.draft?.status === "FAILED"
      ? Effect.fail(refusedDraft(result.draft))
      : output.value(result, sendText),
  )

const recipients = Options.text("to").pipe(
  Options.withDescription("a recipient, as ada@corp.org or Ada <ada@corp.org>; can be repeated"),
  Options.atLeast(1),
)

/** The options of a request with the key for repetitions that the command line has. */
const withKey = (options: RequestOptions, key: Option.Option<string>): RequestOptions => ({
  ...options,
  ...(Option.isSome(key) && { idempotencyKey: key.value }),
})

const send = Command.make(
  "send",
  {
    to: recipients,
    subject: text("subject", "the subject"),
    ...bodyOptions,
    at,
    idempotencyKey,
    mailbox: mailboxOption,
    common,
  },
  ({ to, subject, at, idempotencyKey, mailbox, common, ...content }) =>
    remote(
      common,
      Effect.gen(function* () {
        const fields = yield* bodyFields(content)
        const { id } = yield* oneMailbox(mailbox)
        const body = { to, subject, ...fields, sendAt: Option.getOrUndefined(at) }
        yield* printSend(
          yield* Api.request((mailroom, options) =>
            mailroom.messages.send(id, body, withKey(options, idempotencyKey)),
          ),
        )
      }),
    ),
).pipe(Command.withDescription("Send a mail"))

const messageArgument = argument("message", "id of the message")

const reply = Command.make(
  "reply",
  {
    message: messageArgument,
    all: flag("all", "reply to all addresses of the message"),
    ...bodyOptions,
    at,
    idempotencyKey,
    mailbox: mailboxOption,
    common,
  },
  ({ message, all, at, idempotencyKey, mailbox, common, ...content }) =>
    remote(
      common,
      Effect.gen(function* () {
        const body = { ...(yield* bodyFields(content)), sendAt: Option.getOrUndefined(at) }
        const answer = (id: string) =>
          Api.request((mailroom, options) => {
            const keyed = withKey(options, idempotencyKey)
            return all
              ? mailroom.messages.replyAll(id, message, body, keyed)
              : mailroom.messages.reply(id, message, body, keyed)
          })
        yield* printSend(yield* inItsMailbox(mailbox, answer))
      }),
    ),
).pipe(Command.withDescription("Reply to a message, in its thread"))

const forward = Command.make(
  "forward",
  {
    message: messageArgument,
    to: recipients,
    ...contentOptions,
    at,
    idempotencyKey,
    mailbox: mailboxOption,
    common,
  },
  ({ message, to, at, idempotencyKey, mailbox, common, ...content }) =>
    remote(
      common,
      Effect.gen(function* () {
        const body = { to, ...(yield* contentFields(content)), sendAt: Option.getOrUndefined(at) }
        const passOn = (id: string) =>
          Api.request((mailroom, options) =>
            mailroom.messages.forward(id, message, body, withKey(options, idempotencyKey)),
          )
        yield* printSend(yield* inItsMailbox(mailbox, passOn))
      }),
    ),
).pipe(Command.withDescription("Forward a message with its attachments"))

export const sendingCommands = [send, reply, forward] as const
