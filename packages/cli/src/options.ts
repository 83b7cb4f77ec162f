/** Options that several commands have. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Prompt from "@effect/cli/Prompt"
import { Effect, Option } from "effect"
import { failure, usageError } from "./CliError.js"
import { Api } from "./session/Api.js"
import { Output } from "./terminal/Output.js"
import { Shell } from "./terminal/Shell.js"

/** Every option without a value. `normalized` (argv.ts) has to know them: `--name=value` is two words elsewhere. */
export const FLAGS = [
  "all",
  "code",
  "json",
  "link",
  "mboxo",
  "oldest-first",
  "quarantined",
  "sent",
  "server",
  "unread",
  "watch",
  "yes",
] as const

export const flag = (name: (typeof FLAGS)[number], description: string) =>
  Options.boolean(name).pipe(Options.withDescription(description))

export const text = (name: string, description: string) =>
  Options.text(name).pipe(Options.withDescription(description))

export const optionalText = (name: string, description: string) => Options.optional(text(name, description))

export const texts = (name: string, description: string) => Options.repeated(text(name, description))

export const argument = (name: string, description: string) =>
  Args.text({ name }).pipe(Args.withDescription(description))

/** A whole number from `least` to `most`. */
export const integer = (name: string, least: number, most: number, description: string) =>
  Options.integer(name).pipe(
    Options.withDescription(`${description}; ${least} to ${most}`),
    Options.filterMap(
      (value) => (value >= least && value <= most ? Option.some(value) : Option.none()),
      `--${name} is a whole number from ${least} to ${most}`,
    ),
  )

const MOST_ITEMS = 100_000

export const limit = integer("limit", 1, MOST_ITEMS, "how many to print at most").pipe(
  Options.withDefault(50),
)

export const json = flag("json", "print JSON")

/** The options of every command that talks to the service. */
export const common = Options.all({
  json,
  profile: optionalText(
    "profile",
    "the profile to use; by default MAILROOM_PROFILE, or the one of the last login",
  ),
})
export type Common = { readonly json: boolean; readonly profile: Option.Option<string> }

export const mailboxOption = optionalText(
  "mailbox",
  "address or id of the mailbox; by default MAILROOM_MAILBOX, that of the profile, or the only one of the key",
)

export const yes = flag("yes", "do not ask")

/** Runs a command that talks to the service. */
export const remote = <A, E, R>(options: Common, program: Effect.Effect<A, E, R>) =>
  program.pipe(Effect.provide(Api.layer(options)), Effect.provide(Output.layer(options.json)))

/** Asks before something is lost. Without a terminal, `--yes` has to be given. */
export const confirmed = Effect.fnUntraced(function* (isGiven: boolean, question: string) {
  if (isGiven) return
  const { stdin, stderr } = yield* Shell
  if (!stdin.isTerminal || !stderr.isTerminal)
    return yield* usageError(`${question} Nobody is there to say yes.`, "Add --yes.")
  const isConfirmed = yield* Prompt.run(Prompt.confirm({ message: question }))
  if (!isConfirmed) return yield* failure("Nothing was done.", "Answer with y, or add --yes.")
})
