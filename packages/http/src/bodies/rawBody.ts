/** Reads a body of bytes into a file, chunk by chunk, so that a large mail is never in memory as a whole. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Effect } from "effect"

/** Writes a body, which `next` pulls, to a temporary file. The file is removed with the scope. */
export const readToFile = <E>(next: Effect.Effect<Uint8Array | null, E>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { join } = yield* Path.Path
    const path = join(yield* Effect.orDie(files.makeTempDirectoryScoped()), "body")
    const sizeBytes = yield* Effect.scoped(
      Effect.gen(function* () {
        const file = yield* Effect.orDie(files.open(path, { flag: "w" }))
        let size = 0
        for (;;) {
          const chunk = yield* next
          if (chunk === null) return size
          size += chunk.length
          yield* Effect.orDie(file.writeAll(chunk))
        }
      }),
    )
    return { sizeBytes, path }
  })
