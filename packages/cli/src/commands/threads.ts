/** `threads`. */
import * as Command from "@effect/cli/Command"
import type { Thread, ThreadWithMessages } from "@mailroom/client"
import { Effect, Option } from "effect"
import { fieldLines, timeText } from "../format.js"
import { argument, common, limit, mailboxOption, remote } from "../options.js"
import { Api, chosenMailbox, inItsMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import { safeText } from "../terminal/safeText.js"
import type { Column } from "../terminal/table.js"

const columns: ReadonlyArray<Column<Thread>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "TIME", value: ({ lastMessageAt }) => timeText(lastMessageAt) },
  { title: "MAILS", value: ({ messageCount }) => String(messageCount) },
  { title: "WITH", value: ({ participants }) => participants.join(", "), shrinks: true },
  { title: "SUBJECT", value: ({ subject }) => subject, shrinks: true },
]

const list = Command.make("list", { limit, mailbox: mailboxOption, common }, ({ limit, mailbox, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      const chosen = yield* chosenMailbox(mailbox)
      yield* output.list(
        yield* Api.items(limit, (mailroom, page, options) =>
          mailroom.threads.listAll(
            { ...page, ...(Option.isSome(chosen) && { mailboxId: chosen.value.id }) },
            options,
          ),
        ),
        columns,
      )
    }),
  ),
).pipe(Command.withDescription("List conversations, newest activity first"))

const threadText = ({ subject, messages }: ThreadWithMessages): string =>
  [
    fieldLines([["Subject", subject]]),
    ...messages.map(
      ({ id, fromAddress, toAddresses, createdAt, extractedText, bodyText }) =>
        `${fieldLines([
          ["From", fromAddress],
          ["To", toAddresses.join(", ")],
          ["Time", timeText(createdAt)],
          ["Id", id],
        ])}\n\n${safeText(extractedText ?? bodyText ?? "").trimEnd()}`,
    ),
  ].join("\n\n")

const show = Command.make(
  "show",
  { thread: argument("thread", "id of the thread"), mailbox: mailboxOption, common },
  ({ thread, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const found = yield* inItsMailbox(mailbox, (id) =>
          Api.request((mailroom, options) => mailroom.threads.get(id, thread, {}, options)),
        )
        yield* output.value(found, threadText)
      }),
    ),
).pipe(Command.withDescription("Show the messages of a conversation, oldest first, without quotes"))

export const threads = Command.make("threads").pipe(
  Command.withDescription("Conversations"),
  Command.withSubcommands([list, show]),
)
