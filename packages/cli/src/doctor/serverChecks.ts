/** Checks what the settings of a service name, on its machine: the relay, the disk and the database. */
import { dotEnv } from "@mailroom/server/config/dotEnv"
import { configProblem } from "@mailroom/server/config/variable"
import { serverConfig, type ServerConfig } from "@mailroom/server/config/variables"
import { Effect, Redacted, Stream } from "effect"
import { existsSync, type StatsFs } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { failure } from "../CliError.js"
import { type Finding, finding, ok, problem, skipped, warning } from "./Finding.js"
import { reasonOf, smtpServer } from "./network.js"

/** Parts of a disk that should be free. The service refuses mail when the disk is full. */
const SCARCE = 0.1
const FULL = 0.02

const GIGABYTE = 1_000_000_000

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** The disk of a folder, or of the nearest folder above it that is there. */
const diskOf = async (folder: string): Promise<{ readonly at: string; readonly disk: StatsFs }> => {
  try {
    return { at: folder, disk: await statfs(folder) }
  } catch (error) {
    if (!isAbsent(error)) throw error
    return diskOf(dirname(folder))
  }
}

const diskCheck = (folder: string) =>
  Effect.promise(async () => {
    const of = finding("disk", folder)
    try {
      const { at, disk } = await diskOf(folder)
      const { bavail, blocks, bsize } = disk
      const free = bavail / blocks
      const text = `${((bavail * bsize) / GIGABYTE).toFixed(1)} GB are free, ${Math.floor(free * 100)} %.`
      if (free < FULL) return of(problem(text, "Make room now: a full disk refuses mail."))
      if (free < SCARCE) return of(warning(text, "Make room, or use a larger disk."))
      if (at !== folder)
        return of(
          warning(
            `It is not there yet. ${text}`,
            "The service makes it when it starts. If it runs, run this in its working folder.",
          ),
        )
      return of(ok(text))
    } catch (error) {
      return of(problem(`It cannot be used: ${reasonOf(error)}.`, "Check DATABASE_URL and BLOB_URL."))
    }
  })

const foldersOf = ({ database, blobs }: ServerConfig): ReadonlyArray<string> => [
  ...(database.kind === "file" ? [resolve(dirname(database.filename))] : []),
  ...(blobs.kind === "file" ? [resolve(blobs.directory)] : []),
]

const RELAY_PORT = 25

const relayCheck = ({ outbound }: ServerConfig) =>
  Effect.promise(async () => {
    if (outbound.kind === "capture")
      return finding(
        "relay",
        "OUTBOUND_URL",
      )(warning("There is no relay: mail stays in the development outbox.", "Set OUTBOUND_URL to a relay."))
    const { hostname, port, protocol } = new URL(Redacted.value(outbound.url))
    const of = finding("relay", hostname)
    if (protocol === "smtps:")
      return of(
        skipped(
          "A relay with TLS from the first byte is not spoken to.",
          "Send a mail to see that it works.",
        ),
      )
    try {
      const { banner } = await smtpServer(hostname, port === "" ? RELAY_PORT : Number(port))
      return of(
        banner.startsWith("220") ? ok(banner.trim()) : problem(banner.trim(), "Ask who runs the relay."),
      )
    } catch (error) {
      return of(problem(`No connection: ${reasonOf(error)}.`, "Check OUTBOUND_URL and the firewall."))
    }
  })

/**
 * Compares the counts in the database with the rows that they count, and corrects them, as `npm run doctor` does
 * (docs/decisions/0048). The engine is loaded for this check alone.
 */
const databaseCheck = (config: ServerConfig): Effect.Effect<ReadonlyArray<Finding>> => {
  const { database } = config
  if (database.kind === "memory") return Effect.succeed([])
  const of = finding("database", database.kind === "file" ? resolve(database.filename) : "Postgres")
  if (database.kind === "file" && !existsSync(database.filename))
    return Effect.succeed([of(skipped("No service has started with it yet.", "Start the service first."))])
  const lines = Effect.tryPromise({
    try: () => import("@mailroom/server/doctor/counts"),
    catch: (error) =>
      new Error(`${reasonOf(error)}. Run npm run doctor in the folder of the service instead.`),
  }).pipe(Effect.flatMap(({ counts }) => Stream.runCollect(counts.run(config))))
  return Effect.match(lines, {
    onFailure: ({ message }) => [of(problem(message, "Check DATABASE_URL."))],
    onSuccess: (found) => {
      const wrong = [...found].flatMap(({ kind, text }) => (kind === "finding" ? [text] : []))
      return wrong.length === 0
        ? [of(ok("All counts are those of their rows."))]
        : wrong.map((text) =>
            of(problem(text, "It is corrected. Tell the makers of Mailroom how it came about.")),
          )
    },
  })
}

/** The checks, with the settings of the environment and of `.env`. */
export const serverChecks = Effect.gen(function* () {
  const config = yield* serverConfig
  const folders = [...new Set(foldersOf(config))]
  return [
    yield* relayCheck(config),
    ...(yield* Effect.forEach(folders, diskCheck)),
    ...(yield* databaseCheck(config)),
  ]
}).pipe(
  Effect.provide(dotEnv),
  Effect.mapError((error) =>
    failure(configProblem(error), "Run this where the service runs, with its settings."),
  ),
)
