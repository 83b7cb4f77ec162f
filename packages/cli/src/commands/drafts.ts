/** `drafts` and `reviews`. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { at, contentFields, contentOptions } from "../content.js"
import { draftColumns, draftText } from "../draftText.js"
import {
  argument,
  common,
  confirmed,
  limit,
  mailboxOption,
  optionalText,
  remote,
  text,
  texts,
  yes,
} from "../options.js"
import { Api, chosenMailbox, inItsMailbox, oneMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import { printSend } from "./sending.js"

const draftArgument = argument("draft", "id of the draft")

const draftOf = (mailbox: Option.Option<string>, draft: string) =>
  inItsMailbox(mailbox, (id) => Api.request((mailroom, options) => mailroom.drafts.get(id, draft, options)))

const list = Command.make(
  "list",
  {
    status: Options.choice("status", ["DRAFT", "SCHEDULED", "PENDING_REVIEW", "REJECTED", "FAILED"]).pipe(
      Options.withDescription("only drafts in this state"),
      Options.optional,
    ),
    limit,
    mailbox: mailboxOption,
    common,
  },
  ({ status, limit, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const chosen = yield* chosenMailbox(mailbox)
        const query = { status: Option.getOrUndefined(status) }
        yield* output.list(
          yield* Api.items(limit, (mailroom, page, options) =>
            Option.match(chosen, {
              onNone: () => mailroom.drafts.listAll({ ...query, ...page }, options),
              onSome: ({ id }) => mailroom.drafts.list(id, { ...query, ...page }, options),
            }),
          ),
          draftColumns,
        )
      }),
    ),
).pipe(Command.withDescription("List drafts, newest first; without --mailbox, of all mailboxes"))

const show = Command.make(
  "show",
  { draft: draftArgument, mailbox: mailboxOption, common },
  ({ draft, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        yield* output.value(yield* draftOf(mailbox, draft), draftText)
      }),
    ),
).pipe(Command.withDescription("Show a draft whole, with its digest"))

const create = Command.make(
  "create",
  {
    to: texts("to", "a recipient; can be repeated"),
    subject: optionalText("subject", "the subject"),
    ...contentOptions,
    at,
    clientId: optionalText("client-id", "an id of your own: a repeated command shows the draft that has it"),
    mailbox: mailboxOption,
    common,
  },
  ({ to, subject, at, clientId, mailbox, common, ...content }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const body = {
          to,
          subject: Option.getOrUndefined(subject),
          ...(yield* contentFields(content)),
          sendAt: Option.getOrUndefined(at),
          clientId: Option.getOrUndefined(clientId),
        }
        const { id } = yield* oneMailbox(mailbox)
        const draft = yield* Api.request((mailroom, options) => mailroom.drafts.create(id, body, options))
        yield* output.value(draft, draftText)
      }),
    ),
).pipe(Command.withDescription("Create a draft"))

const send = Command.make(
  "send",
  { draft: draftArgument, mailbox: mailboxOption, common },
  ({ draft, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const result = yield* inItsMailbox(mailbox, (id) =>
          Api.request((mailroom, options) => mailroom.drafts.send(id, draft, options)),
        )
        yield* printSend(result)
      }),
    ),
).pipe(Command.withDescription("Send a draft now"))

const remove = Command.make(
  "remove",
  { draft: draftArgument, yes, mailbox: mailboxOption, common },
  ({ draft, yes, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        yield* confirmed(yes, `Delete draft ${draft} with its files?`)
        const deleted = yield* inItsMailbox(mailbox, (id) =>
          Api.request((mailroom, options) => mailroom.drafts.remove(id, draft, options)),
        )
        yield* output.value(deleted, () => `Deleted ${draft}.`)
      }),
    ),
).pipe(Command.withDescription("Delete a draft; cancels its schedule or its review"))

export const drafts = Command.make("drafts").pipe(
  Command.withDescription("Mails that are not sent yet"),
  Command.withSubcommands([list, show, create, send, remove]),
)

const waiting = Command.make("list", { limit, common }, ({ limit, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      yield* output.list(
        yield* Api.items(limit, (mailroom, page, options) => mailroom.reviews.list(page, options)),
        draftColumns,
      )
    }),
  ),
).pipe(Command.withDescription("List the drafts that wait for a review, newest first"))

const approve = Command.make(
  "approve",
  {
    draft: draftArgument,
    digest: text("digest", "digest of the draft that you looked at, as reviews show prints it"),
    common,
  },
  ({ draft, digest, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const result = yield* Api.request((mailroom, options) =>
          mailroom.reviews.approve(draft, { digest }, options),
        )
        yield* printSend(result)
      }),
    ),
).pipe(Command.withDescription("Approve a draft with exactly the content of the digest, and send it"))

const reject = Command.make(
  "reject",
  {
    draft: draftArgument,
    reason: optionalText("reason", "a text for whoever wrote the draft"),
    common,
  },
  ({ draft, reason, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const body = { reason: Option.getOrUndefined(reason) }
        const rejected = yield* Api.request((mailroom, options) =>
          mailroom.reviews.reject(draft, body, options),
        )
        yield* output.value(rejected, ({ id }) => `Rejected draft ${id}.`)
      }),
    ),
).pipe(Command.withDescription("Reject a draft"))

export const reviews = Command.make("reviews").pipe(
  Command.withDescription("Sends that wait until a person approves them"),
  Command.withSubcommands([waiting, show, approve, reject]),
)
