/** Where the Postgres of the tests can run: its user must be able to read its binaries. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { chmod, mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { mayEveryoneEnter } from "../dist/src/postgres/binaries.js"
import { temporaryFolder } from "../dist/src/temporaryFolder.js"

const folder = Effect.tap(temporaryFolder, (path) => Effect.promise(() => mkdir(join(path, "inner"))))

it.scopedLive("a folder that everybody may enter is closed by one above it that they may not", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const enter = Effect.promise(() => mayEveryoneEnter(join(path, "inner")))
    yield* Effect.promise(() => chmod(path, 0o755))
    expect(yield* enter).toBe(yield* Effect.promise(() => mayEveryoneEnter(tmpdir())))
    yield* Effect.promise(() => chmod(path, 0o700))
    expect(yield* enter).toBe(false)
  }),
)
