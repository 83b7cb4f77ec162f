/** `domains`. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { DnsRecord, DnsRecords, Domain, DomainWithRecords } from "@mailroom/client"
import { Effect, Schedule } from "effect"
import { CliError } from "../CliError.js"
import { exitCodes } from "../exitCodes.js"
import { argument, common, confirmed, flag, integer, limit, remote, yes } from "../options.js"
import { Api } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import type { Column } from "../terminal/table.js"

const domainColumns: ReadonlyArray<Column<Domain>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "DOMAIN", value: ({ domain }) => domain },
  { title: "STATUS", value: ({ status }) => status },
]

/** Nothing may be cut here: people copy the values. */
const recordColumns: ReadonlyArray<Column<DnsRecord>> = [
  { title: "STATE", value: ({ state }) => state },
  { title: "TYPE", value: ({ type }) => type },
  { title: "NAME", value: ({ host }) => host },
  {
    title: "VALUE",
    value: ({ value, priority }) => (priority === undefined ? value : `${priority} ${value}`),
  },
]

const recordsOf = ({ mx, spf, dkim, dmarc }: DnsRecords): ReadonlyArray<DnsRecord> => [
  mx,
  spf,
  ...dkim,
  dmarc,
]

/** Prints a domain with the table of its records; as JSON, the answer of the service. */
const print = Effect.fnUntraced(function* (answer: DomainWithRecords) {
  const output = yield* Output
  if (output.isJson) return yield* output.json(answer)
  yield* output.list({ items: recordsOf(answer.dnsRecords), hasMore: false }, recordColumns)
  yield* output.note(`${answer.domain.domain} is ${answer.domain.status}. Its id is ${answer.domain.id}.`)
})

/** The domain of this id or name. */
const domainOf = (name: string) =>
  Effect.flatMap(
    Api.request((mailroom, options) => mailroom.domains.list(options)),
    ({ items }) => {
      const found = items.find(({ id, domain }) => id === name || domain === name.toLowerCase())
      return found === undefined
        ? new CliError({
            exitCode: exitCodes.nothing,
            message: `There is no domain ${name}.`,
            hint: "mailroom domains list shows the domains; mailroom domains add adds one.",
          })
        : Effect.succeed(found)
    },
  )

const list = Command.make("list", { limit, common }, ({ limit, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      yield* output.list(
        yield* Api.items(limit, (mailroom, _, options) => mailroom.domains.list(options)),
        domainColumns,
      )
    }),
  ),
).pipe(Command.withDescription("List the domains of the account, oldest first"))

const add = Command.make(
  "add",
  { domain: argument("domain", "the domain name"), common },
  ({ domain, common }) =>
    remote(
      common,
      Effect.flatMap(
        Api.request((mailroom, options) => mailroom.domains.create({ domain }, options)),
        print,
      ),
    ),
).pipe(Command.withDescription("Add a domain, and print the DNS records to publish"))

const domainArgument = argument("domain", "name or id of the domain")

const show = Command.make("show", { domain: domainArgument, common }, ({ domain, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const { id } = yield* domainOf(domain)
      yield* print(yield* Api.request((mailroom, options) => mailroom.domains.get(id, options)))
    }),
  ),
).pipe(Command.withDescription("Show the DNS records of a domain, and their state"))

const LONGEST_WATCH = 259_200

const check = (id: string) => Api.request((mailroom, options) => mailroom.domains.verify(id, options))

const verify = Command.make(
  "verify",
  {
    domain: domainArgument,
    watch: flag("watch", "check again every 15 s until the domain is verified"),
    timeout: integer("timeout", 1, LONGEST_WATCH, "seconds to watch").pipe(Options.withDefault(3600)),
    common,
  },
  ({ domain, watch, timeout, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const { id } = yield* domainOf(domain)
        const again = check(id).pipe(
          Effect.tap(({ dnsRecords, verification }) =>
            verification.allVerified
              ? Effect.void
              : output.note(
                  recordsOf(dnsRecords)
                    .map(({ type, host, state }) => `${host} ${type} ${state}`)
                    .join(", "),
                ),
          ),
          Effect.repeat({
            until: ({ verification }) => verification.allVerified,
            schedule: Schedule.spaced("15 seconds").pipe(Schedule.upTo(timeout * 1000)),
          }),
          Effect.zipRight(check(id)),
        )
        const checked = yield* watch ? again : check(id)
        yield* print(checked)
        if (!checked.verification.allVerified)
          return yield* new CliError({
            exitCode: exitCodes.nothing,
            message: `${checked.domain.domain} is not verified yet.`,
            hint: "Publish the records that are not VALID; changes of DNS can take an hour to be seen.",
          })
      }),
    ),
).pipe(Command.withDescription("Check the DNS records now; exits with 3 while they are not valid"))

const remove = Command.make("remove", { domain: domainArgument, yes, common }, ({ domain, yes, common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      const found = yield* domainOf(domain)
      yield* confirmed(yes, `Remove ${found.domain}?`)
      const deleted = yield* Api.request((mailroom, options) => mailroom.domains.remove(found.id, options))
      yield* output.value(deleted, () => `Removed ${found.domain}.`)
    }),
  ),
).pipe(Command.withDescription("Remove a domain without mailboxes"))

export const domains = Command.make("domains").pipe(
  Command.withDescription("Custom domains"),
  Command.withSubcommands([list, add, show, verify, remove]),
)
