import { describe, expect, it } from "@effect/vitest"
import { blobFailure, BlobsUnusable, FileBlobs } from "@mailroom/blobs"
import { Blobs, storageFailureIn } from "@mailroom/engine"
import { temporaryFolder } from "@mailroom/test-services"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Option, Stream } from "effect"
import { readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { blobsContract } from "./blobs.contract.js"

blobsContract(
  "FileBlobs",
  Layer.unwrapScoped(Effect.map(temporaryFolder, (folder) => FileBlobs.layer(join(folder, "data", "blobs")))),
)

const filesIn = (folder: string) =>
  Effect.promise(async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  })

const theOnlyFileIn = (folder: string) =>
  Effect.map(filesIn(folder), (files) => {
    expect(files).toHaveLength(1)
    return files[0] ?? ""
  })

const hello = Stream.make(new TextEncoder().encode("hello"))

/** Runs `use` on blobs in a new folder. */
const withBlobs = <A, E, R>(use: (folder: string) => Effect.Effect<A, E, R | Blobs>) =>
  Effect.flatMap(temporaryFolder, (folder) => Effect.provide(use(folder), FileBlobs.layer(folder)))

const reasonOfDeath = (exit: Exit.Exit<unknown>) =>
  Exit.isFailure(exit)
    ? Option.getOrNull(Option.map(storageFailureIn(exit.cause), ({ reason }) => reason))
    : null

describe("FileBlobs on the disk", () => {
  it.scoped("keeps blobs across restarts", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const put = Effect.flatMap(Blobs, (blobs) => blobs.put("raw/kept", hello))
      const get = Effect.flatMap(Blobs, (blobs) => blobs.get("raw/kept"))
      yield* Effect.provide(put, FileBlobs.layer(folder))
      expect(Option.getOrThrow(yield* Effect.provide(get, FileBlobs.layer(folder))).sizeBytes).toBe(5)
    }),
  )

  it.scoped("keeps files readable by the service's user only", () =>
    withBlobs((folder) =>
      Effect.gen(function* () {
        yield* Effect.flatMap(Blobs, (blobs) => blobs.put("raw/secret", hello))
        const file = yield* theOnlyFileIn(folder)
        expect((yield* Effect.promise(() => stat(file))).mode & 0o777).toBe(0o600)
        expect((yield* Effect.promise(() => readFile(file))).toString()).toBe("hello")
      }),
    ),
  )

  it.scoped("leaves no file behind when a put is interrupted", () =>
    withBlobs((folder) =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const underway = yield* Deferred.make<void>()
        const endless = Stream.concat(
          hello,
          Stream.fromEffect(Effect.zipRight(Deferred.succeed(underway, undefined), Effect.never)),
        )
        const fiber = yield* Effect.fork(blobs.put("raw/interrupted", endless))
        yield* Deferred.await(underway)
        expect(yield* filesIn(folder)).toHaveLength(1)
        yield* Fiber.interrupt(fiber)
        expect(yield* filesIn(folder)).toEqual([])
        expect(yield* blobs.get("raw/interrupted")).toEqual(Option.none())
      }),
    ),
  )

  it.scoped("leaves no file behind when the content fails", () =>
    withBlobs((folder) =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        yield* Effect.exit(blobs.put("raw/broken", Stream.concat(hello, Stream.dieMessage("sender is gone"))))
        expect(yield* filesIn(folder)).toEqual([])
      }),
    ),
  )

  it.scopedLive("removes old unfinished files at the start, and no new ones", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.provide(Effect.void, FileBlobs.layer(folder))
      const leftover = join(folder, "tmp", "leftover")
      const current = join(folder, "tmp", "current")
      yield* Effect.promise(async () => {
        await writeFile(leftover, "half a mail")
        await writeFile(current, "half a mail")
        await utimes(leftover, new Date(), new Date(Date.now() - 2 * 60 * 60 * 1000))
      })
      yield* Effect.provide(Effect.void, FileBlobs.layer(folder))
      expect(yield* filesIn(folder)).toEqual([current])
    }),
  )

  it.scoped("dies with a storage failure when the file disappears before it is read", () =>
    withBlobs((folder) =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        yield* blobs.put("raw/lost", hello)
        const blob = Option.getOrThrow(yield* blobs.get("raw/lost"))
        const file = yield* theOnlyFileIn(folder)
        yield* Effect.promise(() => rm(file))
        expect(reasonOfDeath(yield* Effect.exit(Stream.runDrain(blob.content)))).toBe("unexpected")
      }),
    ),
  )

  it.scoped("dies with a storage failure when the file ends while it is read", () =>
    withBlobs((folder) =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        yield* blobs.put("raw/cut", Stream.make(new Uint8Array(4 * 1024 * 1024)))
        const blob = Option.getOrThrow(yield* blobs.get("raw/cut"))
        const file = yield* theOnlyFileIn(folder)
        const exit = yield* Effect.exit(
          Stream.runForEach(blob.content, () => Effect.promise(() => truncate(file, 1))),
        )
        expect(reasonOfDeath(exit)).toBe("unexpected")
      }),
    ),
  )

  it.scoped("dies with a storage failure when another blob of another size replaces it", () =>
    withBlobs(() =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        yield* blobs.put("raw/replaced", hello)
        const blob = Option.getOrThrow(yield* blobs.get("raw/replaced"))
        yield* blobs.put("raw/replaced", Stream.concat(hello, hello))
        expect(reasonOfDeath(yield* Effect.exit(Stream.runDrain(blob.content)))).toBe("unexpected")
      }),
    ),
  )

  it.scoped("dies with a storage failure when the folder is lost", () =>
    withBlobs((folder) =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        yield* Effect.promise(() => rm(folder, { recursive: true }))
        expect(reasonOfDeath(yield* Effect.exit(blobs.put("raw/x", hello)))).toBe("unexpected")
      }),
    ),
  )
})

describe("FileBlobs at the start", () => {
  const startIn = (folder: string) => Effect.exit(Effect.provide(Blobs, FileBlobs.layer(folder)))

  it.scoped("refuses an unusable folder with one line that names it and says what to do", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "file")
      yield* Effect.promise(() => writeFile(file, "not a folder"))
      for (const directory of [file, join(file, "below")]) {
        const exit = yield* startIn(directory)
        const failure = Exit.isFailure(exit) ? Option.getOrNull(Cause.failureOption(exit.cause)) : null
        expect(failure).toBeInstanceOf(BlobsUnusable)
        expect(failure?.message).toBe(
          `The folder for blobs ${directory} cannot be used: a file stands in its place or above it. ` +
            "Move that file away, or use another folder.",
        )
      }
    }),
  )

  it.scoped("removes its test file", () =>
    withBlobs((folder) =>
      Effect.gen(function* () {
        expect(yield* filesIn(folder)).toEqual([])
      }),
    ),
  )
})

describe("the storage failure of a file system's error", () => {
  const systemError = (code: string) => Object.assign(new Error(code), { code })

  it("is `full` without space or quota", () => {
    expect(["ENOSPC", "EDQUOT"].map((code) => blobFailure(systemError(code)).reason)).toEqual([
      "full",
      "full",
    ])
  })

  it("is `unavailable` for conditions that can end", () => {
    for (const code of ["EACCES", "EPERM", "EROFS", "EIO", "EMFILE", "ESTALE"])
      expect(blobFailure(systemError(code)).reason).toBe("unavailable")
  })

  it("is `unexpected` for everything else", () => {
    for (const cause of [systemError("EISDIR"), systemError("ENOENT"), new Error("odd"), "odd"])
      expect(blobFailure(cause).reason).toBe("unexpected")
  })
})
