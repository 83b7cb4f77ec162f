/** The command `mailroom`: reads the command line, runs the command, reports failures. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Terminal from "@effect/platform/Terminal"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Cause, Console, Effect, HashMap, Layer, Option } from "effect"
import { normalized } from "./argv.js"
import { CliError, cliError, usageError } from "./CliError.js"
import { accountCommands } from "./commands/account.js"
import { dev } from "./commands/dev.js"
import { doctor } from "./commands/doctor.js"
import { domains } from "./commands/domains.js"
import { drafts, reviews } from "./commands/drafts.js"
import { exportCommand } from "./commands/export.js"
import { importCommand } from "./commands/import.js"
import { keys } from "./commands/keys.js"
import { listen } from "./commands/listen.js"
import { mailboxes } from "./commands/mailboxes.js"
import { mcp } from "./commands/mcp.js"
import { readingCommands } from "./commands/reading.js"
import { sendingCommands } from "./commands/sending.js"
import { threads } from "./commands/threads.js"
import { webhooks } from "./commands/webhooks.js"
import { type ExitCode, exitCodes } from "./exitCodes.js"
import { shortHelp, withoutStyles } from "./help.js"
import { safeJson, safeLine } from "./terminal/safeText.js"
import { hasColours, Shell } from "./terminal/Shell.js"
import { VERSION } from "./version.js"

const commands = [
  ...accountCommands,
  mailboxes,
  ...sendingCommands,
  ...readingCommands,
  listen,
  threads,
  drafts,
  reviews,
  keys,
  webhooks,
  domains,
  exportCommand,
  importCommand,
  mcp,
  dev,
  doctor,
] as const

const root = Command.make("mailroom").pipe(
  Command.withDescription("Mailboxes for software agents: send, receive, wait for and search mail"),
  Command.withSubcommands(commands),
)

/** The commands below each command; of one without any, `@effect/cli` has that command itself. */
const subcommands: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  commands.flatMap(({ descriptor }) => {
    const inner = new Set(HashMap.keys(CommandDescriptor.getSubcommands<unknown>(descriptor)))
    return [...CommandDescriptor.getNames<unknown>(descriptor)].map((name) => [name, inner] as const)
  }),
)

/** The command that the first words name, such as `mailroom drafts create`. */
const commandIn = ([name = "", inner = ""]: ReadonlyArray<string>): string => {
  const below = subcommands.get(name)
  if (below === undefined) return "mailroom"
  return below.has(inner) && inner !== name ? `mailroom ${name} ${inner}` : `mailroom ${name}`
}

const run = Command.run(root, { name: "Mailroom", version: VERSION, executable: "mailroom" })

/** The reason why a command line is wrong, on one line. */
const problemOf = (error: ValidationError.ValidationError): string =>
  withoutStyles(HelpDoc.toAnsiText(error.error)).replace(/\s+/g, " ").trim()

/** Prints the help of a command, without colours where there are none. Messages about errors are printed by `report`. */
const withHelpConsole = <A, E, R>(shell: Shell["Type"], command: string, program: Effect.Effect<A, E, R>) =>
  Console.consoleWith((console) =>
    Effect.withConsole(program, {
      ...console,
      log: (text: string) =>
        Effect.promise(() => {
          const help = shortHelp(text, command)
          return shell.stdout.write(`${hasColours(shell, shell.stdout) ? help : withoutStyles(help)}\n`)
        }),
      error: () => Effect.void,
    }),
  )

/** The failure in a cause. A defect is a fault of the program: it has no stack trace for the person who typed the command. */
const failureIn = (cause: Cause.Cause<unknown>, command: string): CliError => {
  const error = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
  const hint = `${command} --help shows how it is used.`
  if (ValidationError.isValidationError(error)) return usageError(problemOf(error), hint)
  const failure = cliError(error)
  const { exitCode, message, code } = failure
  return code === "VALIDATION_FAILED" ? new CliError({ exitCode, message, code, hint }) : failure
}

/** Prints a failure on the standard error: what, and what to do. With `--json`, as JSON on one line. */
const report = (shell: Shell["Type"], isJson: boolean, { message, hint, code, exitCode }: CliError) => {
  const red = hasColours(shell, shell.stderr) ? "\u001b[31m" : ""
  const plain = red === "" ? "" : "\u001b[39m"
  const text = isJson
    ? safeJson({ error: message, hint, code, exitCode })
    : `${red}${safeLine(message)}${plain}\n${safeLine(hint)}`
  return Effect.promise(() => shell.stderr.write(`${text}\n`))
}

/** Runs the command that these words are, without the name of the program. Never fails; the result is the exit code. */
export const runCommand = (words: ReadonlyArray<string>): Effect.Effect<ExitCode, never, Shell> =>
  Effect.flatMap(Shell, (shell) => {
    const command = commandIn(words)
    return withHelpConsole(shell, command, run(["node", "mailroom", ...normalized(words)])).pipe(
      Effect.as<ExitCode>(exitCodes.ok),
      Effect.catchAllCause((cause) => {
        const quits = Option.exists(Cause.failureOption(cause), Terminal.isQuitException)
        if (quits || Cause.isInterruptedOnly(cause)) return Effect.succeed(exitCodes.interrupted)
        const error = failureIn(cause, command)
        return Effect.as(report(shell, words.includes("--json"), error), error.exitCode)
      }),
    )
  }).pipe(
    Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer)),
    Effect.provide(CliConfig.layer({ isCaseSensitive: true, showBuiltIns: false })),
  )
