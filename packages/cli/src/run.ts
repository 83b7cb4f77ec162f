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
import { type CliError, cliError, usageError } from "./CliError.js"
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
import { safeJson, safeLine } from "./terminal/safeText.js"
import { hasColours, Shell } from "./terminal/Shell.js"
import { VERSION } from "./version.js"

const root = Command.make("mailroom").pipe(
  Command.withDescription("Mailboxes for software agents: send, receive, wait for and search mail"),
  Command.withSubcommands([
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
  ]),
)

const names: ReadonlySet<string> = new Set(HashMap.keys(CommandDescriptor.getSubcommands(root.descriptor)))

const run = Command.run(root, { name: "Mailroom", version: VERSION, executable: "mailroom" })

const STYLES = /\u001b\[[\d;]*m/g

/** The reason why a command line is wrong, on one line. */
const problemOf = (error: ValidationError.ValidationError): string =>
  HelpDoc.toAnsiText(error.error).replace(STYLES, "").replace(/\s+/g, " ").trim()

/** The command line that prints the help of the command that the words name. */
const helpFor = ([name = ""]: ReadonlyArray<string>): string =>
  names.has(name) ? `mailroom ${name} --help` : "mailroom --help"

/** Prints the help of `@effect/cli`, without colours where there are none. Its messages about errors are printed by `report`. */
const withHelpConsole = <A, E, R>(shell: Shell["Type"], program: Effect.Effect<A, E, R>) =>
  Console.consoleWith((console) =>
    Effect.withConsole(program, {
      ...console,
      log: (text: string) =>
        Effect.promise(() =>
          shell.stdout.write(`${hasColours(shell, shell.stdout) ? text : text.replace(STYLES, "")}\n`),
        ),
      error: () => Effect.void,
    }),
  )

/** The failure in a cause. A defect is a fault of the program: it has no stack trace for the person who typed the command. */
const failureIn = (cause: Cause.Cause<unknown>, words: ReadonlyArray<string>): CliError => {
  const error = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
  return ValidationError.isValidationError(error)
    ? usageError(problemOf(error), `${helpFor(words)} shows how it is used.`)
    : cliError(error)
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
  Effect.flatMap(Shell, (shell) =>
    withHelpConsole(shell, run(["node", "mailroom", ...normalized(words)])).pipe(
      Effect.as<ExitCode>(exitCodes.ok),
      Effect.catchAllCause((cause) => {
        const quits = Option.exists(Cause.failureOption(cause), Terminal.isQuitException)
        if (quits || Cause.isInterruptedOnly(cause)) return Effect.succeed(exitCodes.interrupted)
        const error = failureIn(cause, words)
        return Effect.as(report(shell, words.includes("--json"), error), error.exitCode)
      }),
    ),
  ).pipe(
    Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer)),
    Effect.provide(CliConfig.layer({ isCaseSensitive: true, showBuiltIns: false })),
  )
