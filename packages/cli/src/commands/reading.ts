/** `inbox`, `read`, `search`, `wait`. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { Message, WaitAnswer } from "@mailroom/client"
import { Effect, Option, Stream } from "effect"
import { CliError, usageError } from "../CliError.js"
import { exitCodes } from "../exitCodes.js"
import { filterOptions, filterQuery } from "../filters.js"
import { messageColumns, messageText } from "../messageText.js"
import { argument, common, flag, integer, limit, mailboxOption, optionalText, remote } from "../options.js"
import { Api, chosenMailbox, inItsMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import { safeLine } from "../terminal/safeText.js"
import { arrivals, positionNow, waitFor } from "../watch.js"

const quarantined = flag("quarantined", "also messages in quarantine, which are hidden otherwise")

const included = (isIncluded: boolean) => (isIncluded ? ({ include: "quarantined" } as const) : {})

const directionOf = (sent: boolean, all: boolean): "INBOUND" | "OUTBOUND" | undefined => {
  if (all) return undefined
  return sent ? "OUTBOUND" : "INBOUND"
}

const orderOf = (oldestFirst: boolean): "asc" | "desc" => (oldestFirst ? "asc" : "desc")

const inbox = Command.make(
  "inbox",
  {
    ...filterOptions,
    sent: flag("sent", "sent messages instead of received ones"),
    all: flag("all", "received and sent messages"),
    oldestFirst: flag("oldest-first", "oldest first instead of newest first"),
    quarantined,
    watch: flag("watch", "afterwards, print messages as they arrive, until Ctrl-C"),
    limit,
    mailbox: mailboxOption,
    common,
  },
  ({ sent, all, oldestFirst, quarantined, watch, limit, mailbox, common, ...filters }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const chosen = yield* chosenMailbox(mailbox)
        const narrowed = {
          ...(yield* filterQuery(filters)),
          direction: directionOf(sent, all),
        }
        const query = { ...narrowed, order: orderOf(oldestFirst), ...included(quarantined) }
        if (watch && all) return yield* usageError("--watch takes one direction.", "Leave out --all.")
        const listed = Api.items(limit, (mailroom, page, options) =>
          Option.match(chosen, {
            onNone: () => mailroom.messages.listAll({ ...query, ...page }, options),
            onSome: ({ id }) => mailroom.messages.list(id, { ...query, ...page }, options),
          }),
        )
        if (!watch) return yield* output.list(yield* listed, messageColumns)
        const position = yield* positionNow(chosen)
        const { items } = yield* listed
        yield* output.rows(oldestFirst ? items : items.toReversed(), messageColumns)
        // A message that arrived between the two requests is in both.
        const shown = new Set(items.map(({ id }) => id))
        yield* arrivals(chosen, narrowed, position).pipe(
          Stream.filter(({ id }) => !shown.has(id)),
          Stream.runForEach((message) => output.rows([message], messageColumns)),
        )
      }),
    ),
).pipe(Command.withDescription("List received messages, newest first; without --mailbox, of all mailboxes"))

const headerText = (headers: Message["headers"]): string =>
  Object.entries(headers)
    .flatMap(([name, values]) =>
      (typeof values === "string" ? [values] : values).map((value) => `${name}: ${value}`),
    )
    .map(safeLine)
    .join("\n")

const withoutText = ({ bodyHtml, extractedText }: Message): string => {
  if (bodyHtml === null) return "The message has no text."
  return `The message is HTML alone${extractedText === null ? "" : ", and this is its text"}. --format html prints it.`
}

const read = Command.make(
  "read",
  {
    message: argument("message", "id of the message"),
    format: Options.choice("format", ["text", "html", "raw", "headers"]).pipe(
      Options.withDescription("raw is the mail as it was received; on a terminal without control characters"),
      Options.withDefault("text"),
    ),
    quarantined,
    mailbox: mailboxOption,
    common,
  },
  ({ message, format, quarantined, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const query = included(quarantined)
        if (format === "raw") {
          const bytes = yield* inItsMailbox(mailbox, (id) =>
            Api.request(async (mailroom, options) => {
              const response = await mailroom.messages.raw(id, message, query, options)
              return new Uint8Array(await response.arrayBuffer())
            }),
          )
          return yield* output.isTerminal ? output.text(new TextDecoder().decode(bytes)) : output.bytes(bytes)
        }
        const found = yield* inItsMailbox(mailbox, (id) =>
          Api.request((mailroom, options) => mailroom.messages.get(id, message, query, options)),
        )
        if (output.isJson) return yield* output.json(found)
        switch (format) {
          case "text":
            yield* output.write(messageText(found))
            if (found.bodyText === null) yield* output.note(withoutText(found))
            return
          case "html":
            return yield* found.bodyHtml === null
              ? output.note("The message has no HTML. --format text prints its text.")
              : output.text(found.bodyHtml)
          case "headers":
            return yield* output.write(headerText(found.headers))
        }
      }),
    ),
).pipe(Command.withDescription("Print a message"))

const search = Command.make(
  "search",
  {
    query: argument("query", "such as 'invoice from:acme.com -is:read \"due on\"'"),
    sort: Options.choice("sort", ["relevance", "date"]).pipe(
      Options.withDescription("the best of the newest matches first, or every match, newest first"),
      Options.optional,
    ),
    limit,
    mailbox: mailboxOption,
    common,
  },
  ({ query, sort, limit, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const chosen = yield* chosenMailbox(mailbox)
        const asked = { q: query, sort: Option.getOrUndefined(sort) }
        yield* output.list(
          yield* Api.items(limit, (mailroom, page, options) =>
            Option.match(chosen, {
              onNone: () => mailroom.messages.searchAll({ ...asked, ...page }, options),
              onSome: ({ id }) => mailroom.messages.search(id, { ...asked, ...page }, options),
            }),
          ),
          messageColumns,
        )
      }),
    ),
).pipe(Command.withDescription("Search messages; without --mailbox, of all mailboxes"))

const LONGEST_WAIT = 86_400

const nothingCame = new CliError({
  exitCode: exitCodes.nothing,
  message: "No message came in time.",
  hint: "Wait longer with --timeout, or begin earlier with --since, such as --since 5m.",
})

interface Wanted {
  readonly code: boolean
  readonly link: boolean
}

/** Prints what a wait found: the message, its first code, or its first link. */
const printFound = Effect.fnUntraced(function* (answer: WaitAnswer, { code, link }: Wanted) {
  const output = yield* Output
  const { message } = answer
  if (output.isJson) yield* output.json(answer)
  if (message === null) return yield* nothingCame
  if (output.isJson) return
  if (!code && !link) return yield* output.write(messageText(message))
  // The service waited for a message that has them.
  if (code) yield* output.write(safeLine(message.codes[0]?.code ?? ""))
  if (link) yield* output.write(safeLine(message.links[0]?.url ?? ""))
})

const wait = Command.make(
  "wait",
  {
    ...filterOptions,
    timeout: integer("timeout", 0, LONGEST_WAIT, "seconds to wait").pipe(Options.withDefault(30)),
    code: flag("code", "wait for a message with a login code, and print the code alone"),
    link: flag("link", "wait for a message with a link, and print the first link alone"),
    after: optionalText("after", "`after` of an earlier wait: continues where it ended"),
    mailbox: mailboxOption,
    common,
  },
  ({ timeout, code, link, after, mailbox, common, ...filters }) =>
    remote(
      common,
      Effect.gen(function* () {
        const chosen = yield* chosenMailbox(mailbox)
        const query = {
          ...(yield* filterQuery(filters)),
          timeout,
          after: Option.getOrUndefined(after),
          hasCode: code ? true : undefined,
          hasLink: link ? true : undefined,
        }
        const answer = yield* waitFor(chosen, query)
        yield* printFound(answer, { code, link })
      }),
    ),
).pipe(Command.withDescription("Wait for a message and print it; exits with 3 when none came in time"))

export const readingCommands = [inbox, read, search, wait] as const
