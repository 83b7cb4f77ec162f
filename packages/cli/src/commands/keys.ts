/** `keys`. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { ApiKey } from "@mailroom/client"
import { Effect, Option } from "effect"
import { timeText } from "../format.js"
import { argument, common, confirmed, limit, remote, texts, yes } from "../options.js"
import { Api, oneMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import type { Column } from "../terminal/table.js"

const columns: ReadonlyArray<Column<ApiKey>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "KEY", value: ({ prefix }) => `${prefix}…` },
  { title: "STATUS", value: ({ enabled }) => (enabled ? "valid" : "revoked") },
  { title: "LAST USED", value: ({ lastUsedAt }) => timeText(lastUsedAt) },
  { title: "PERMISSIONS", value: ({ permissions }) => permissions.join(",") },
  { title: "NAME", value: ({ name }) => name, shrinks: true },
]

const list = Command.make("list", { limit, common }, ({ limit, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      yield* output.list(
        yield* Api.items(limit, (mailroom, _, options) => mailroom.keys.list(options)),
        columns,
      )
    }),
  ),
).pipe(Command.withDescription("List the keys of the account, newest first"))

const create = Command.make(
  "create",
  {
    name: argument("name", "label of the key"),
    mailboxes: texts("mailbox", "a mailbox in its scope, by address or id; without any, it has full access"),
    permissions: Options.choice("permission", ["read", "send", "draft", "manage", "review"]).pipe(
      Options.withDescription("what it may do; can be repeated"),
      Options.repeated,
    ),
    common,
  },
  ({ name, mailboxes, permissions, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const scope = yield* Effect.forEach(mailboxes, (mailbox) => oneMailbox(Option.some(mailbox)))
        const body = {
          name,
          mailboxIds: scope.length === 0 ? undefined : scope.map(({ id }) => id),
          permissions: permissions.length === 0 ? undefined : permissions,
        }
        const created = yield* Api.request((mailroom, options) => mailroom.keys.create(body, options))
        yield* output.value(created, ({ key }) => key)
        yield* output.note("No other command shows this key again.")
      }),
    ),
).pipe(Command.withDescription("Create a key, and print it alone"))

const revoke = Command.make(
  "revoke",
  { key: argument("key", "id of the key"), yes, common },
  ({ key, yes, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        yield* confirmed(yes, `Revoke key ${key} at once?`)
        const revoked = yield* Api.request((mailroom, options) => mailroom.keys.revoke(key, options))
        yield* output.value(revoked, () => `Revoked ${key}.`)
      }),
    ),
).pipe(Command.withDescription("Revoke a key at once"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([list, create, revoke]),
)
