/** A Postgres that waits for the disk, as one in service does, and processes on it. */
import { startPostgres, temporaryFolder } from "@mailroom/test-services"
import { Effect, type Scope } from "effect"
import { join } from "node:path"
import type { Start } from "./mailroom.js"
import { BenchFailure } from "./processes.js"

export const durablePostgres: Effect.Effect<string, BenchFailure, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => startPostgres({ durable: true }),
      catch: (error) => new BenchFailure({ message: String(error) }),
    }),
    ({ stop }) => Effect.promise(stop),
  ),
  ({ url }) => url,
)

/** What the processes of one service are started with. */
export const sharedSettings = (
  database: string,
): Effect.Effect<NonNullable<Start["settings"]>, never, Scope.Scope> =>
  Effect.map(temporaryFolder, (folder) => ({
    DATABASE_URL: database,
    BLOB_URL: `file:${join(folder, "blobs")}`,
    SECRET_KEY: "a key of the benchmark, and of nothing else",
  }))
