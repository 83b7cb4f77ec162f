/** A real Postgres for tests and benchmarks, from npm: nothing to install, no service to run. */
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { openTemporaryFolder, postgresLibrary } from "./binaries.js"

export interface PostgresServer {
  /** of its database `postgres`, whose user may create others */
  readonly url: string
  /** Stops it and removes all it has. */
  readonly stop: () => Promise<void>
}

/** Tests lose nothing when the machine loses power: they need not wait for its disk. */
const WITHOUT_DISK = ["fsync=off", "full_page_writes=off", "synchronous_commit=off"]

/** Enough for the test files that run side by side, each with a service or two. */
const SETTINGS = [
  "max_connections=300",
  "shared_buffers=256MB",
  "max_wal_size=4GB",
  "listen_addresses=127.0.0.1",
]

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/**
 * Starts a server in a folder of its own. `durable` has it wait for the disk at every commit, as a server that keeps
 * something does.
 */
export const startPostgres = async ({ durable }: { readonly durable: boolean }): Promise<PostgresServer> => {
  const folder = await mkdtemp(join(await openTemporaryFolder(), "mailroom-postgres-"))
  // As root the server runs as a user of its own, who has to get into it.
  await chmod(folder, 0o755)
  const { default: EmbeddedPostgres } = await postgresLibrary(folder)
  const port = await freePort()
  const log: Array<string> = []
  const settings = durable ? SETTINGS : [...SETTINGS, ...WITHOUT_DISK]
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
