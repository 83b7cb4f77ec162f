/**
 * A process that puts many messages into a mailbox through the store, which takes seconds where SMTP takes minutes.
 * They are copies of messages that did arrive, each with ids and a time of its own.
 */
import { AccountId, MailboxId, MessageId, MessageListItem, timestamp } from "@mailroom/domain"
import { type MessageRecord, MessageStore } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { aMessage, idAt } from "./harness/records.js"
import { storesBeside } from "./harness/stores.js"
import { task } from "./harness/tasks.js"

const Settings = Schema.Struct({
  /** the database of a service that runs */
  filename: Schema.String,
  accountId: AccountId,
  mailboxId: MailboxId,
  messages: Schema.Int,
  templates: Schema.NonEmptyArray(MessageListItem),
})

/** Messages of one insert. */
const BATCH = 200
/** Between two messages, milliseconds. */
const SPACING = 1000

const copyAt = (
  template: MessageListItem,
  accountId: AccountId,
  mailboxId: MailboxId,
  instant: number,
): MessageRecord => {
  const id = MessageId.make(idAt(instant))
  const time = timestamp(instant)
  const { status, labels, ...content } = template
  return aMessage(
    accountId,
    {
      ...content,
      id,
      mailboxId,
      messageId: `<${id}@sender.example>`,
      createdAt: time,
      receivedAt: time,
    },
    instant,
    { status, labels },
  )
}

task(Settings, async ({ filename, accountId, mailboxId, messages, templates }) => {
  const start = Date.now() - messages * SPACING
  const fill = Effect.gen(function* () {
    const store = yield* MessageStore
    for (let from = 0; from < messages; from += BATCH) {
      const serials = Array.from({ length: Math.min(BATCH, messages - from) }, (_, n) => from + n)
      yield* store.insert(
        serials.map((serial) =>
          copyAt(
            templates[serial % templates.length] ?? templates[0],
            accountId,
            mailboxId,
            start + serial * SPACING,
          ),
        ),
      )
    }
  })
  await Effect.runPromise(Effect.provide(fill, storesBeside(filename)))
  return { messages }
})
