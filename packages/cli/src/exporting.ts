/** Files that messages are exported to. Both know what they have, so an export that was interrupted continues. */
import { constants } from "node:fs"
import {
  access,
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises"
import { join } from "node:path"
import { failure } from "./CliError.js"

export interface Exported {
  readonly id: string
  readonly fromAddress: string
  /** ISO 8601 */
  readonly createdAt: string
  readonly isRead: boolean
  /** the mail as it was received or sent */
  readonly raw: Buffer
}

export interface ExportTarget {
  readonly has: (id: string) => boolean
  readonly add: (message: Exported) => Promise<void>
}

/** A Maildir (https://cr.yp.to/proto/maildir.html). Files are named by the id of their message. */
export const openMaildir = async (path: string): Promise<ExportTarget> => {
  for (const folder of ["tmp", "new", "cur"])
    await mkdir(join(path, folder), { recursive: true, mode: 0o700 })
  const names = [...(await readdir(join(path, "cur"))), ...(await readdir(join(path, "new")))]
  const known = new Set(names.map((name) => name.split(":")[0]))
  return {
    has: (id) => known.has(id),
    add: async ({ id, isRead, raw }) => {
      const draft = join(path, "tmp", id)
      await writeFile(draft, raw, { mode: 0o600 })
      await rename(draft, join(path, "cur", `${id}:2,${isRead ? "S" : ""}`))
    },
  }
}

/** `Mon Nov 23 09:15:56 2026`, UTC (RFC 4155). */
const asctime = (timestamp: string): string => {
  const [day = "", date = "", month = "", year = "", time = ""] = new Date(timestamp)
    .toUTCString()
    .split(/,? /)
  return `${day} ${month} ${date} ${time} ${year}`
}

/** A message in mboxrd: with line feeds, and `>` before every line that begins with `From ` or with `>` and that. */
export const mboxEntry = ({ fromAddress, createdAt, raw }: Exported): Buffer => {
  const body = raw
    .toString("latin1")
    .replaceAll("\r\n", "\n")
    .replaceAll(/^(>*From )/gm, ">$1")
  const sender = /^\S+$/.test(fromAddress) ? fromAddress : "MAILER-DAEMON"
  const end = body.endsWith("\n") ? "\n" : "\n\n"
  return Buffer.from(`From ${sender} ${asctime(createdAt)}\n${body}${end}`, "latin1")
}

const exists = (path: string): Promise<boolean> =>
  access(path, constants.F_OK).then(
    () => true,
    () => false,
  )

/**
 * An mbox file. `{path}.ids` has a line for each message: its id, and the size of the mbox after it. A message that was written
 * in part is cut off when the export continues. A shorter file has lost messages that the index names, so it is refused.
 */
export const openMbox = async (path: string): Promise<ExportTarget> => {
  const index = `${path}.ids`
  const isContinued = await exists(index)
  if (!isContinued && (await exists(path)))
    throw failure(`${path} is there already, and no export of this command.`, "Name another file.")
  const lines = isContinued ? (await readFile(index, "utf8")).split("\n").slice(0, -1) : []
  const known = new Set(lines.map((line) => line.split(" ")[0]))
  let size = Number(lines.at(-1)?.split(" ")[1] ?? 0)
  const found = (await exists(path)) ? (await stat(path)).size : 0
  if (found < size)
    throw failure(
      `${path} has ${found} bytes, and ${index} names messages in ${size}: it was moved or shortened.`,
      "Put the file back, or name another one to export everything again.",
    )
  // Both are for the owner alone. The index comes first: a file without one is not continued, even an empty one.
  await appendFile(index, "", { mode: 0o600 })
  await appendFile(path, "", { mode: 0o600 })
  await truncate(path, size)
  return {
    has: (id) => known.has(id),
    add: async (message) => {
      const entry = mboxEntry(message)
      await appendFile(path, entry)
      size += entry.length
      await appendFile(index, `${message.id} ${size}\n`)
    },
  }
}
