/** `export`: the messages of a mailbox, as a Maildir or an mbox file. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { ConnectionError, type Mailroom, NotFoundError, type RequestOptions } from "@mailroom/client"
import { Effect } from "effect"
import { failure } from "../CliError.js"
import { type ExportTarget, openMaildir, openMbox } from "../exporting.js"
import { sizeText } from "../format.js"
import { common, mailboxOption, remote } from "../options.js"
import { Api, oneMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import { Shell } from "../terminal/Shell.js"

const PAGE = 100

/** Ids name files, so one with a path in it is refused. */
const FILE_NAME = /^[\w-]{1,100}$/

interface Totals {
  /** messages that this run has added */
  exported: number
  /** how many of them are quarantined */
  quarantined: number
  /** messages that an earlier run had added */
  earlier: number
  bytes: number
}

/** How often a mail is downloaded again when the connection broke within it: the client repeats a request up to its body. */
const REPETITIONS = 2

const download = async (
  mailroom: Mailroom,
  mailboxId: string,
  id: string,
  options: RequestOptions,
): Promise<Buffer> => {
  for (let repetition = 0; ; repetition++)
    try {
      const response = await mailroom.messages.raw(mailboxId, id, { include: "quarantined" }, options)
      return Buffer.from(await response.arrayBuffer())
    } catch (error) {
      if (!(error instanceof ConnectionError) || repetition === REPETITIONS) throw error
    }
}

/** Adds every message that the target does not have, oldest first, quarantined ones included. A message that is deleted meanwhile is left out. */
const exportAll = async (
  mailroom: Mailroom,
  mailboxId: string,
  target: ExportTarget,
  options: RequestOptions,
  progress: (totals: Totals) => Promise<void>,
): Promise<Totals> => {
  const totals: Totals = { exported: 0, quarantined: 0, earlier: 0, bytes: 0 }
  const query = { order: "asc", limit: PAGE, include: "quarantined" } as const
  for await (const { id, fromAddress, createdAt, readAt, quarantined } of mailroom.messages.list(
    mailboxId,
    query,
    options,
  )) {
    if (!FILE_NAME.test(id))
      throw failure(`The service has a message with the id ${id}.`, "This is no service of Mailroom.")
    if (target.has(id)) {
      totals.earlier += 1
      continue
    }
    try {
      const raw = await download(mailroom, mailboxId, id, options)
      await target.add({ id, fromAddress, createdAt, isRead: readAt !== null, raw })
      totals.exported += 1
      if (quarantined !== null) totals.quarantined += 1
      totals.bytes += raw.length
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
    }
    await progress(totals)
  }
  return totals
}

const totalsText = ({ exported, quarantined, earlier, bytes }: Totals): string =>
  [
    `${exported} messages, ${sizeText(bytes)}`,
    ...(quarantined === 0 ? [] : [`${quarantined} of them quarantined`]),
    ...(earlier === 0 ? [] : [`${earlier} were there already`]),
  ].join("; ")

export const exportCommand = Command.make(
  "export",
  {
    path: Args.text({ name: "path" }).pipe(
      Args.withDescription("the folder of the Maildir, or the mbox file"),
    ),
    format: Options.choice("format", ["maildir", "mbox"]).pipe(
      Options.withDescription("a file for each message, or one file for all"),
      Options.withDefault("maildir"),
    ),
    mailbox: mailboxOption,
    common,
  },
  ({ path, format, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const { stderr } = yield* Shell
        const { id, fullAddress } = yield* oneMailbox(mailbox)
        const progress = async (totals: Totals) => {
          if (stderr.isTerminal) await stderr.write(`\r${totalsText(totals)}\u001b[K`)
        }
        const totals = yield* Api.request(async (mailroom, options) => {
          const target = await (format === "mbox" ? openMbox(path) : openMaildir(path))
          return exportAll(mailroom, id, target, options, progress)
        })
        if (stderr.isTerminal) yield* output.note("")
        yield* output.value(totals, () => `Exported ${fullAddress} to ${path}: ${totalsText(totals)}.`)
      }),
    ),
).pipe(Command.withDescription("Export a mailbox, oldest message first; run again, it adds what is missing"))
