import { Effect, type Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** An empty folder that is gone with the scope. */
export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "mailroom-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true })),
)
