import { describe, expect, it } from "@effect/vitest"
import { SecretKeyFile, SecretKeyUnusable } from "@mailroom/security"
import { Effect, Logger, Redacted } from "effect"
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "secret-key-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true })),
)

const load = (path: string) => Effect.map(SecretKeyFile.loadOrCreate(path), Redacted.value)

/** Returns the result, and the warnings and errors that were logged. */
const withLog = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.map(Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)), (value) => ({
      value,
      lines,
    }))
  })

describe("SecretKeyFile", () => {
  it.scoped("creates 32 random bytes, base64url, for its user only, folders included", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const path = join(folder, "data", "secret.key")
      const { value: key, lines } = yield* withLog(load(path))
      expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(lines).toEqual([])
      expect((yield* Effect.promise(() => stat(path))).mode & 0o777).toBe(0o600)
      expect((yield* Effect.promise(() => readFile(path, "utf8"))).trim()).toBe(key)
      expect(yield* Effect.promise(() => readdir(join(folder, "data")))).toEqual(["secret.key"])
      expect(yield* load(join(folder, "other.key"))).not.toBe(key)
    }),
  )

  it.scoped("reads the key that it created before", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "secret.key")
      expect(yield* load(path)).toBe(yield* load(path))
    }),
  )

  it.scoped("reads a key that the operator wrote, without white space around it", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "secret.key")
      yield* Effect.promise(() => writeFile(path, "  a key of my own\r\n", { mode: 0o600 }))
      expect(yield* load(path)).toBe("a key of my own")
    }),
  )

  it.scoped("returns the same key to all concurrent starts", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const starts = Array.from({ length: 20 }, () => load(join(folder, "secret.key")))
      expect(new Set(yield* Effect.all(starts, { concurrency: "unbounded" })).size).toBe(1)
      expect(yield* Effect.promise(() => readdir(folder))).toEqual(["secret.key"])
    }),
  )

  it.scoped("warns when others may read the file, and uses it", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "secret.key")
      const key = yield* load(path)
      yield* Effect.promise(() => chmod(path, 0o644))
      const again = yield* withLog(load(path))
      expect(again.value).toBe(key)
      expect(again.lines).toEqual([
        `Others on this machine may read the secret key in ${path}: chmod 600 ${path}`,
      ])
    }),
  )

  it.scoped("refuses an empty file instead of creating a key that opens nothing", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "secret.key")
      yield* Effect.promise(() => writeFile(path, " \n", { mode: 0o600 }))
      const failure = yield* Effect.flip(load(path))
      expect(failure).toBeInstanceOf(SecretKeyUnusable)
      expect(failure.message).toMatch(/^The secret key in \S+ is empty\. .+$/)
      expect(yield* Effect.promise(() => readFile(path, "utf8"))).toBe(" \n")
    }),
  )

  it.scoped("refuses a file that it can neither read nor create, with one line that names it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.promise(() => writeFile(join(folder, "file"), "x"))
      for (const [path, code] of [
        [folder, "EISDIR"],
        [join(folder, "file", "secret.key"), "ENOTDIR"],
      ] as const) {
        const failure = yield* Effect.flip(load(path))
        expect(failure).toBeInstanceOf(SecretKeyUnusable)
        expect(failure.message).toBe(
          `The secret key in ${path} can be neither read nor created (${code}). ` +
            "Let the user that runs the service read and write there, or set SECRET_KEY.",
        )
      }
    }),
  )

  it.scoped("hides the key when it is printed", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "secret.key")
      const key = yield* SecretKeyFile.loadOrCreate(path)
      expect(inspect(key) + JSON.stringify(key)).not.toContain(Redacted.value(key))
    }),
  )
})
