/** `webhooks`. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { Delivery, Webhook } from "@mailroom/client"
import { Effect, Option } from "effect"
import { eventsOption } from "../eventKinds.js"
import { fieldLines, timeText } from "../format.js"
import { argument, common, confirmed, limit, mailboxOption, optionalText, remote, yes } from "../options.js"
import { Api, chosenMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import type { Column } from "../terminal/table.js"

const columns: ReadonlyArray<Column<Webhook>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "STATUS", value: ({ status }) => status },
  { title: "URL", value: ({ url }) => url, shrinks: true },
  { title: "EVENTS", value: ({ events }) => events.join(","), shrinks: true },
]

const deliveryColumns: ReadonlyArray<Column<Delivery>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "TIME", value: ({ createdAt }) => timeText(createdAt) },
  { title: "STATUS", value: ({ status }) => status },
  { title: "EVENT", value: ({ event }) => event },
  { title: "ATTEMPTS", value: ({ attempts }) => String(attempts) },
  {
    title: "RESPONSE",
    value: ({ responseStatus, lastError }) => String(responseStatus ?? lastError ?? ""),
    shrinks: true,
  },
]

const described = (webhook: Webhook): string =>
  fieldLines([
    ["Id", webhook.id],
    ["URL", webhook.url],
    ["Status", webhook.status],
    ["Events", webhook.events.join(", ")],
    ["Mailbox", webhook.mailboxId ?? "all"],
    ["Failures", String(webhook.failureCount)],
    ["Last used", timeText(webhook.lastTriggeredAt)],
  ])

const webhookArgument = argument("webhook", "id of the webhook")

const list = Command.make("list", { limit, common }, ({ limit, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      yield* output.list(
        yield* Api.items(limit, (mailroom, _, options) => mailroom.webhooks.list(options)),
        columns,
      )
    }),
  ),
).pipe(Command.withDescription("List webhooks, oldest first"))

const create = Command.make(
  "create",
  {
    url: argument("url", "https URL at a public address; mailroom listen forwards to other ones"),
    events: eventsOption.pipe(Options.atLeast(1)),
    mailbox: mailboxOption,
    common,
  },
  ({ url, events, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const chosen = yield* chosenMailbox(mailbox)
        const mailboxId = Option.getOrUndefined(Option.map(chosen, ({ id }) => id))
        const created = yield* Api.request((mailroom, options) =>
          mailroom.webhooks.create({ url, events, mailboxId }, options),
        )
        yield* output.value(created, ({ id, secret }) =>
          fieldLines([
            ["Id", id],
            ["Secret", secret],
          ]),
        )
        yield* output.note("No other command shows this secret again.")
      }),
    ),
).pipe(Command.withDescription("Create a webhook, and print its secret"))

const get = Command.make("get", { webhook: webhookArgument, common }, ({ webhook, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      const found = yield* Api.request((mailroom, options) => mailroom.webhooks.get(webhook, options))
      yield* output.value(found, described)
    }),
  ),
).pipe(Command.withDescription("Show a webhook"))

const update = Command.make(
  "update",
  {
    webhook: webhookArgument,
    url: optionalText("url", "the new URL"),
    events: eventsOption.pipe(Options.repeated),
    status: Options.choice("status", ["ACTIVE", "PAUSED"]).pipe(
      Options.withDescription("ACTIVE starts it, PAUSED stops all attempts"),
      Options.optional,
    ),
    common,
  },
  ({ webhook, url, events, status, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const body = {
          url: Option.getOrUndefined(url),
          events: events.length === 0 ? undefined : events,
          status: Option.getOrUndefined(status),
        }
        const updated = yield* Api.request((mailroom, options) =>
          mailroom.webhooks.update(webhook, body, options),
        )
        yield* output.value(updated, described)
      }),
    ),
).pipe(Command.withDescription("Change, pause or start a webhook"))

const test = Command.make("test", { webhook: webhookArgument, common }, ({ webhook, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      const delivery = yield* Api.request((mailroom, options) => mailroom.webhooks.test(webhook, {}, options))
      yield* output.value(
        delivery,
        ({ id }) => `Delivery ${id}: mailroom webhooks deliveries ${webhook} shows its result.`,
      )
    }),
  ),
).pipe(Command.withDescription("Deliver a test event"))

const deliveries = Command.make(
  "deliveries",
  { webhook: webhookArgument, limit, common },
  ({ webhook, limit, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        yield* output.list(
          yield* Api.items(limit, (mailroom, page, options) =>
            mailroom.webhooks.deliveries(webhook, page, options),
          ),
          deliveryColumns,
        )
      }),
    ),
).pipe(Command.withDescription("List the deliveries of a webhook, newest first, for 30 days"))

const remove = Command.make("remove", { webhook: webhookArgument, yes, common }, ({ webhook, yes, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      yield* confirmed(yes, `Delete webhook ${webhook} and its deliveries?`)
      const deleted = yield* Api.request((mailroom, options) => mailroom.webhooks.remove(webhook, options))
      yield* output.value(deleted, () => `Deleted ${webhook}.`)
    }),
  ),
).pipe(Command.withDescription("Delete a webhook and its deliveries"))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Deliveries of events to a URL"),
  Command.withSubcommands([list, create, get, update, test, deliveries, remove]),
)
