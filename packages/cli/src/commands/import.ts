/** `import`: the mails of a Maildir or an mbox file, into a mailbox. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { Effect, Option } from "effect"
import { CliError } from "../CliError.js"
import { exitCodes } from "../exitCodes.js"
import { sizeText } from "../format.js"
import { importAll, type Refusal, type Totals, type Unfinished } from "../importing/importAll.js"
import { openSource } from "../importing/sources.js"
import { common, flag, mailboxOption, optionalText, remote, texts } from "../options.js"
import { Api, oneMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import { safeJson, safeLine } from "../terminal/safeText.js"
import { Shell } from "../terminal/Shell.js"

/** Columns of the progress bar. */
const BAR = 30

const totalsText = ({ imported, existing, refused, gone, bytes }: Totals): string =>
  [
    `${imported} mails`,
    sizeText(bytes),
    ...(existing === 0 ? [] : [`${existing} were there already`]),
    ...(refused === 0 ? [] : [`${refused} were refused`]),
    ...(gone === 0 ? [] : [`${gone} were removed meanwhile`]),
  ].join(", ")

const barText = (part: number): string => {
  const full = Math.floor(part * BAR)
  return `[${"#".repeat(full)}${".".repeat(BAR - full)}] ${Math.floor(part * 100)} %`
}

const refusalText = ({ position, error }: Refusal): string => `${safeLine(position)}: ${safeLine(error)}`

const options = {
  path: Args.text({ name: "path" }).pipe(
    Args.withDescription("a folder, which is a Maildir, or an mbox file"),
  ),
  mboxo: flag("mboxo", "the mbox has one > before From at most, as old programs write it"),
  label: texts("label", "a label of all messages; can be repeated"),
  unread: flag(
    "unread",
    "leave all messages unread; else those of an mbox are read, those of a Maildir as it says",
  ),
  sent: flag("sent", "the mails were sent by the mailbox; else those whose From is its address"),
  from: optionalText("from", "the mail to begin at: a position that an earlier import has printed"),
  mailbox: mailboxOption,
  common,
}

export const importCommand = Command.make(
  "import",
  options,
  ({ path, mboxo, label, unread, sent, from, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const { stderr } = yield* Shell
        const { id, fullAddress } = yield* oneMailbox(mailbox)
        const unfinished: Unfinished = new Set()
        const clear = stderr.isTerminal ? "\r\u001b[K" : ""
        const totals = yield* Api.request(async (mailroom, requestOptions) => {
          const source = await openSource(path, mboxo ? "mboxo" : "mboxrd", Option.getOrUndefined(from))
          const importing = {
            mailboxId: id,
            labels: label,
            isUnread: unread,
            isSent: sent,
            refuse: (refusal: Refusal) =>
              stderr.write(`${clear}${common.json ? safeJson(refusal) : refusalText(refusal)}\n`),
            progress: async (totals: Totals, done: number) => {
              const part = source.size === 0 ? 1 : done / source.size
              if (stderr.isTerminal) await stderr.write(`${clear}${barText(part)}  ${totalsText(totals)}`)
            },
          }
          return importAll(mailroom, source, importing, unfinished, requestOptions)
        }).pipe(
          Effect.onExit(() => (stderr.isTerminal ? output.note("") : Effect.void)),
          // A failure has two lines of its own; this one is for the next run.
          Effect.onError(() => {
            const [first] = unfinished
            return first === undefined || common.json
              ? Effect.void
              : output.note(
                  `Continue with --from ${safeLine(first)}; without it, nothing is imported twice either.`,
                )
          }),
        )
        yield* output.value(totals, () => `Imported ${path} to ${fullAddress}: ${totalsText(totals)}.`)
        if (totals.refused > 0)
          return yield* new CliError({
            exitCode: exitCodes.refused,
            message: totals.refused === 1 ? "A mail was refused." : `${totals.refused} mails were refused.`,
            hint: "The lines above say which and why. All others are imported.",
          })
      }),
    ),
).pipe(
  Command.withDescription(
    "Import old mail from a Maildir or an mbox file; run again, it imports what is missing",
  ),
)
