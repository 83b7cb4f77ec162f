/** The messages of an embedded Mailroom: reading, sending and answering. */
import {
  type Audience,
  InvalidInput,
  issuesOf,
  type MailboxId,
  type Message,
  MessageId,
  MessageListItem,
  queryCursorsByCreation,
  ReplyBody,
  SendBody,
} from "@mailroom/domain"
import { Lists, Messages as EngineMessages, Replies, Sending, viewMessage } from "@mailroom/engine"
import { Context, Effect, Either, Layer, Schema } from "effect"
import { EmbeddedAccount } from "./EmbeddedAccount.js"
import { atBorder, type MailroomFailure } from "./failures.js"
import { type MessageListQuery, MessageListTerms } from "./MessageListQuery.js"
import { OnceKeys } from "./OnceKeys.js"
import type { SentMail } from "./SentMail.js"

const decodeItem = Schema.decode(Schema.parseJson(MessageListItem))

/** Decodes strictly: a misspelt field would change what is sent or listed. */
const decoder = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeEither(schema, { errors: "all", onExcessProperty: "error" })
  return (input: I): Effect.Effect<A, InvalidInput> =>
    Either.mapLeft(decode(input), ({ issue }) => new InvalidInput({ issues: issuesOf(issue) }))
}
const decodeSend = decoder(SendBody)
const decodeReply = decoder(ReplyBody)
const decodeTerms = decoder(MessageListTerms)

const cursorsOfList = queryCursorsByCreation(MessageId, "after")

/** The body of a send, as over HTTP: `{ to, subject, bodyText, … }`. A file is an id or `{ filename, contentType, content }`, in base64. */
export type NewMail = typeof SendBody.Encoded
/** The body of a reply, as over HTTP, or its text. */
export type NewReply = typeof ReplyBody.Encoded | string

/** What names a message. A `Message` does. */
export interface MessageName {
  readonly id: MessageId
  readonly mailboxId: MailboxId
}

export interface SendOptions {
  /** The mail is sent once for each key, however often it is asked for within 24 hours: a repetition gets the first result. */
  readonly idempotencyKey?: string | undefined
}

export interface MessageList {
  /** newest first; long bodies are cut */
  readonly messages: ReadonlyArray<MessageListItem>
  readonly hasMore: boolean
  /** pass it as `after` to read on; null at the end */
  readonly next: string | null
}

export class Messages extends Context.Tag("mailroom/Messages")<
  Messages,
  {
    /** Sends a mail from a mailbox. Returns when the relay has accepted it. */
    readonly send: (
      from: { readonly id: MailboxId },
      mail: NewMail,
      options?: SendOptions,
    ) => Effect.Effect<SentMail, MailroomFailure>
    /** Answers the author of a message, in its thread. */
    readonly reply: (
      message: MessageName,
      body: NewReply,
      options?: SendOptions,
    ) => Effect.Effect<SentMail, MailroomFailure>
    /** Answers everybody whom a message names, in its thread. */
    readonly replyAll: (
      message: MessageName,
      body: NewReply,
      options?: SendOptions,
    ) => Effect.Effect<SentMail, MailroomFailure>
    /** A message with its whole bodies. */
    readonly get: (message: MessageName) => Effect.Effect<Message, MailroomFailure>
    /** A page of the messages of a mailbox that match. It examines 500 messages at most: it may be short, or empty, and not the last. */
    readonly list: (
      mailbox: { readonly id: MailboxId },
      query?: MessageListQuery,
    ) => Effect.Effect<MessageList, MailroomFailure>
  }
>() {
  static readonly layer = Layer.effect(
    Messages,
    Effect.gen(function* () {
      const messages = yield* EngineMessages
      const lists = yield* Lists
      const replies = yield* Replies
      const sending = yield* Sending
      const { principal } = yield* EmbeddedAccount
      const { once } = yield* OnceKeys

      const reply = (audience: Audience) => (message: MessageName, body: NewReply, options?: SendOptions) =>
        atBorder(
          Effect.flatMap(decodeReply(typeof body === "string" ? { bodyText: body } : body), (decoded) =>
            once(
              options?.idempotencyKey,
              replies.reply(principal, message.mailboxId, message.id, audience, decoded),
            ),
          ),
        )

      return {
        send: (from, mail, options) =>
          atBorder(
            Effect.flatMap(decodeSend(mail), (body) =>
              once(options?.idempotencyKey, sending.send(principal, from.id, body)),
            ),
          ),
        reply: reply("sender"),
        replyAll: reply("everybody"),
        get: (message) =>
          atBorder(Effect.map(messages.get(principal, message.mailboxId, message.id), viewMessage)),
        list: (mailbox, query = {}) =>
          atBorder(
            Effect.gen(function* () {
              const { limit, after, ...filter } = yield* decodeTerms(query)
              const cursors = cursorsOfList({ in: mailbox.id, filter })
              const { page } = yield* lists.inMailbox(principal, mailbox.id, {
                filter,
                order: "desc",
                after: yield* cursors.decode(after ?? undefined),
                limit,
                offset: 0,
              })
              const found = yield* Effect.orDie(Effect.forEach(page.items, (item) => decodeItem(item)))
              const next = page.hasMore ? page.last : null
              return { messages: found, hasMore: next !== null, next: next && cursors.encode(next) }
            }),
          ),
      }
    }),
  )
}
