/** `mailboxes`: list, create, get, update, remove. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { Mailbox } from "@mailroom/client"
import { Effect, Option } from "effect"
import { fieldLines, timeText } from "../format.js"
import { argument, common, confirmed, integer, limit, optionalText, remote, yes } from "../options.js"
import { Api, oneMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import type { Column } from "../terminal/table.js"

const columns: ReadonlyArray<Column<Mailbox>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "ADDRESS", value: ({ fullAddress }) => fullAddress },
  { title: "STATUS", value: ({ status }) => status },
  { title: "NAME", value: ({ displayName }) => displayName ?? "", shrinks: true },
]

const described = (mailbox: Mailbox): string =>
  fieldLines([
    ["Id", mailbox.id],
    ["Address", mailbox.fullAddress],
    ["Name", mailbox.displayName],
    ["Status", mailbox.status],
    ["Stopped", mailbox.sendingStopped?.reason],
    ["Sent today", `${mailbox.dailySendCount} of ${mailbox.dailySendLimit}`],
    ["Received", `${mailbox.receivedThisMonth} this month`],
    ["Review of sends", mailbox.outboundPolicy],
    ["Receives from", mailbox.receivePolicy],
    ["Quarantines", mailbox.quarantine?.join(", ")],
    ["Created", timeText(mailbox.createdAt)],
  ])

const settings = {
  name: optionalText("name", "display name in the From header of sent mail"),
  outboundPolicy: Options.choice("outbound-policy", ["open", "review_new", "review"]).pipe(
    Options.withDescription("which sends wait for a review: none, those to new recipients, or all"),
    Options.optional,
  ),
  reviewHours: integer("review-hours", 1, 168, "hours until an undecided review rejects a send").pipe(
    Options.optional,
  ),
  receivePolicy: Options.choice("receive-policy", ["open", "allowlisted"]).pipe(
    Options.withDescription(
      "who may write to it: everybody, or only senders on its allow lists and the owner",
    ),
    Options.optional,
  ),
}

const which = argument("mailbox", "address or id of the mailbox")

const list = Command.make("list", { common, limit }, ({ common, limit }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      yield* output.list(
        yield* Api.items(limit, (mailroom, _, options) => mailroom.mailboxes.list(options)),
        columns,
      )
    }),
  ),
).pipe(Command.withDescription("List the mailboxes of the key"))

const create = Command.make(
  "create",
  {
    address: argument("address", "the local part, before the @"),
    domain: optionalText("domain", "id of a VERIFIED domain; by default the domain of the service"),
    ...settings,
    common,
  },
  ({ address, domain, name, outboundPolicy, reviewHours, receivePolicy, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const body = {
          address,
          domainId: Option.getOrUndefined(domain),
          displayName: Option.getOrUndefined(name),
          outboundPolicy: Option.getOrUndefined(outboundPolicy),
          reviewTtlHours: Option.getOrUndefined(reviewHours),
          receivePolicy: Option.getOrUndefined(receivePolicy),
        }
        const mailbox = yield* Api.request((mailroom, options) => mailroom.mailboxes.create(body, options))
        yield* output.value(mailbox, described)
      }),
    ),
).pipe(Command.withDescription("Create a mailbox"))

const get = Command.make("get", { which, common }, ({ which, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      yield* output.value(yield* oneMailbox(Option.some(which)), described)
    }),
  ),
).pipe(Command.withDescription("Show a mailbox"))

const update = Command.make(
  "update",
  {
    which,
    ...settings,
    status: Options.choice("status", ["ACTIVE", "paused"]).pipe(
      Options.withDescription("a paused mailbox receives and cannot send"),
      Options.optional,
    ),
    common,
  },
  ({ which, name, outboundPolicy, reviewHours, receivePolicy, status, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const { id } = yield* oneMailbox(Option.some(which))
        const body = {
          displayName: Option.getOrUndefined(name),
          outboundPolicy: Option.getOrUndefined(outboundPolicy),
          reviewTtlHours: Option.getOrUndefined(reviewHours),
          receivePolicy: Option.getOrUndefined(receivePolicy),
          status: Option.getOrUndefined(status),
        }
        const mailbox = yield* Api.request((mailroom, options) =>
          mailroom.mailboxes.update(id, body, options),
        )
        yield* output.value(mailbox, described)
      }),
    ),
).pipe(Command.withDescription("Change the settings of a mailbox, pause or start it"))

const remove = Command.make("remove", { which, yes, common }, ({ which, yes, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      const { id, fullAddress } = yield* oneMailbox(Option.some(which))
      yield* confirmed(yes, `Delete ${fullAddress} and all its messages for good?`)
      const deleted = yield* Api.request((mailroom, options) => mailroom.mailboxes.remove(id, options))
      yield* output.value(deleted, () => `Deleted ${fullAddress}.`)
    }),
  ),
).pipe(Command.withDescription("Delete a mailbox and its messages for good"))

export const mailboxes = Command.make("mailboxes").pipe(
  Command.withDescription("Addresses that receive and send"),
  Command.withSubcommands([list, create, get, update, remove]),
)
