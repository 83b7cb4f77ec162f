/** npm's Haraka as a peer: it takes mail for everybody, and writes each to a file that it syncs before its 250. */
import { freePort, temporaryFolder } from "@mailroom/test-services"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schedule, type Scope } from "effect"
import { openSession } from "../smtpSession.js"
import { BenchFailure, run } from "./processes.js"

/** Where it is: it is no dependency of ours. */
const folderOfHaraka = process.env["HARAKA"] ?? ""

/** Whether `HARAKA` names the folder of the installed package. */
export const harakaAvailable = folderOfHaraka !== "" && existsSync(join(folderOfHaraka, "bin", "haraka"))

const plugin = `
const fs = require("node:fs")
let serial = 0
exports.hook_rcpt = (next) => next(OK)
exports.hook_queue = (next, connection) => {
  const file = fs.createWriteStream("queued/" + process.pid + "." + serial++, { flush: true })
  file.on("error", () => next(DENYSOFT))
  file.on("close", () => next(OK))
  connection.transaction.message_stream.pipe(file)
}
`

/** Its own defaults, except for the size: without the file it has none. */
const connectionSettings = [
  "[main]",
  "[haproxy]",
  "[headers]",
  "max_lines=1000",
  "max_received=100",
  "[max]",
  "bytes=60000000",
  "mime_parts=1000",
  "line_length=512",
  "data_line_length=992",
  "[message]",
  "helo=hello",
  "close=closing",
  "[uuid]",
  "banner_chars=6",
  "deny_chars=0",
  "",
].join("\n")

const write = async (folder: string, port: number): Promise<void> => {
  for (const name of ["config", "plugins", "queued", "queue"]) await mkdir(join(folder, name))
  const files = {
    "config/smtp.ini": `listen=127.0.0.1:${port}\nnodes=0\n`,
    "config/connection.ini": connectionSettings,
    "config/log.ini": "[main]\nlevel=crit\nformat=default\n",
    "config/plugins": "queue_synced\n",
    "config/me": "peer.example\n",
    "plugins/queue_synced.js": plugin,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

/** Starts one, until the scope closes; its port. */
export const startHaraka: Effect.Effect<number, BenchFailure, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const port = yield* freePort
  yield* Effect.promise(() => write(folder, port))
  const haraka = yield* run({
    command: process.execPath,
    args: [join(folderOfHaraka, "bin", "haraka"), "-c", folder],
    folder,
    env: process.env,
  })
  const greeted = Effect.tryPromise({
    try: async () => (await openSession(port)).close(),
    catch: (error) => new BenchFailure({ message: String(error) }),
  })
  yield* Effect.raceFirst(
    greeted.pipe(Effect.retry({ times: 100, schedule: Schedule.spaced(100) })),
    haraka.watch,
  ).pipe(
    Effect.mapError(({ message }) => new BenchFailure({ message: `Haraka: ${message}\n${haraka.said()}` })),
  )
  return port
})
