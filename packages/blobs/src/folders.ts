/** Creating folders. */
import type { StorageFailure } from "@mailroom/engine"
import { Effect } from "effect"
import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { errorCode } from "./failure.js"
import { io, isMissing } from "./files.js"

/** Only the service's own user may read mail. */
const MODE = 0o700

/**
 * Creates a folder and those above it that are missing. Returns the topmost one that it created, or null when the folder
 * was there. Not `mkdir` with `recursive`: Node never returns from that where a file system takes no folders (`/proc`).
 */
export const createFolder = (path: string): Effect.Effect<string | null, StorageFailure> => {
  const create = io(() => mkdir(path, { mode: MODE }))
  return create.pipe(
    Effect.as(path),
    Effect.catchIf(
      (failure) => isMissing(failure) && dirname(path) !== path,
      () => Effect.flatMap(createFolder(dirname(path)), (topmost) => Effect.as(create, topmost ?? path)),
    ),
    Effect.catchAll((failure) =>
      errorCode(failure.cause) === "EEXIST"
        ? Effect.flatMap(
            io(() => stat(path)),
            (found) => (found.isDirectory() ? Effect.succeed(null) : Effect.fail(failure)),
          )
        : Effect.fail(failure),
    ),
  )
}
