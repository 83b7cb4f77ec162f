/** Reading a mailbox over the API. */
import { eventually } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import type { Account } from "./account.js"
import { read } from "./http.js"

export const Message = Schema.Struct({
  id: Schema.String,
  threadId: Schema.String,
  messageId: Schema.String,
  inReplyTo: Schema.NullOr(Schema.String),
  direction: Schema.String,
  status: Schema.String,
  fromAddress: Schema.String,
  subject: Schema.String,
  bodyText: Schema.NullOr(Schema.String),
  bodyHtml: Schema.NullOr(Schema.String),
  attachments: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      filename: Schema.String,
      contentType: Schema.String,
      sizeBytes: Schema.Int,
    }),
  ),
})
export type Message = typeof Message.Type

export const OneMessage = Schema.Struct({ message: Message })
const Page = Schema.Struct({
  messages: Schema.Array(Message),
  metadata: Schema.Struct({ hasMore: Schema.Boolean }),
})

const PAGE = 100

/** Every message of the account's mailbox, newest first. */
export const messages = (account: Account): Effect.Effect<ReadonlyArray<Message>> => {
  const from = (offset: number): Effect.Effect<ReadonlyArray<Message>> =>
    Effect.gen(function* () {
      const answer = yield* account.call(
        `GET /v1/mailboxes/${account.mailboxId}/messages?limit=${PAGE}&offset=${offset}`,
      )
      const page = read(Page, answer)
      return page.metadata.hasMore ? [...page.messages, ...(yield* from(offset + PAGE))] : page.messages
    })
  return from(0)
}

/** The messages, once there are as many. */
export const arrived = (account: Account, count: number): Effect.Effect<ReadonlyArray<Message>> =>
  eventually(`${count} messages are there`, messages(account), (found) => found.length >= count)

/** The message with the subject, once it is there. */
export const arrivedAs = (account: Account, subject: string): Effect.Effect<Message> =>
  eventually(
    `"${subject}" is there`,
    Effect.map(messages(account), (found) => found.filter((message) => message.subject === subject)),
    (found) => found.length > 0,
  ).pipe(
    Effect.flatMap(([message]) => Effect.fromNullable(message)),
    Effect.orDie,
  )
