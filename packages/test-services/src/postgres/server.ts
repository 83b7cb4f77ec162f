/** A real Postgres from npm, for tests and benchmarks. Nothing needs to be installed or running. */
import { Effect } from "effect"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { freePort } from "../freePort.js"
import { openTemporaryFolder, postgresLibrary } from "./binaries.js"

export interface PostgresServer {
  /** URL of the database `postgres`, with a user that may create others */
  readonly url: string
  /** Stops the server and removes its data. */
  readonly stop: () => Promise<void>
}

/** Enough for test files that run concurrently, each with one or two services. */
const SETTINGS = ["max_connections=300", "max_wal_size=4GB", "listen_addresses=127.0.0.1"]

/** Tests need no durability, so they do not wait for the disk. */
const FOR_TESTS = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "shared_buffers=256MB"]

/** As docs/operations.md recommends for a machine of 4 GB. */
const AS_IN_PRODUCTION = ["shared_buffers=1GB"]

/** Starts a server in a new folder. `durable`: with the settings of production, so that each commit waits for the disk. */
export const startPostgres = async ({ durable }: { readonly durable: boolean }): Promise<PostgresServer> => {
  const folder = await mkdtemp(join(await openTemporaryFolder(), "mailroom-postgres-"))
  // When we are root, the server runs as another user, which needs access to the folder.
  await chmod(folder, 0o755)
  const { default: EmbeddedPostgres } = await postgresLibrary(folder)
  const port = await Effect.runPromise(freePort)
  const log: Array<string> = []
  const settings = [...SETTINGS, ...(durable ? AS_IN_PRODUCTION : FOR_TESTS)]
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--no-sync"],
    postgresFlags: ["-k", "", ...settings.flatMap((setting) => ["-c", setting])],
    onLog: (line) => log.push(line),
    onError: (problem) => log.push(String(problem)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    throw new Error(`Postgres does not start: ${log.slice(-20).join("\n")}`, { cause })
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
