/**
 * Blobs as files: `<directory>/<shard>/<key>`, where the shard is two hex digits of the key's hash, so that no
 * folder grows too large, and a `/` in the key becomes a `+`, so that one key never stands in another's way.
 * `<directory>/tmp` holds what is being written.
 */
import { Blobs, type ByteRange, type StorageFailure } from "@mailroom/engine"
import { Clock, Effect, Exit, Layer, Option, type Stream } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, link, open, readdir, rename, rm, stat, unlink } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { type BlobsUnusable, blobsUnusable } from "./BlobsUnusable.js"
import { errorCode } from "./failure.js"
import { close, io, isMissing, makeSyncFolder, readRange, syncFolder, writeAll } from "./files.js"
import { createFolder } from "./folders.js"
import { checkKey } from "./key.js"
import { bytesToRead } from "./range.js"

/** An unfinished file untouched for this long (milliseconds) is a crash's leftover, not another process's work. */
const LEFTOVER_AGE = 60 * 60 * 1000

/** Files open at once while many are removed. */
const CONCURRENCY = 8

/** With these a file system refuses a second name: another file has it, or it knows none. */
const noSecondName = ["EEXIST", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]

const shards = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, "0"))

const shardOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 2)

const draftsIn = (root: string): string => join(root, "tmp")

const locate = (root: string, key: string): Effect.Effect<string> =>
  Effect.map(checkKey(key), () => join(root, shardOf(key), key.replaceAll("/", "+")))

/** Only the service's own user may read mail. */
const FILE_MODE = 0o600

interface Draft {
  readonly file: FileHandle
  readonly path: string
}

/** A file under `tmp` for the time of its writing; removed again unless `use` succeeds. */
const withDraft = <A>(root: string, use: (draft: Draft) => Effect.Effect<A, StorageFailure>) => {
  const path = join(draftsIn(root), randomUUID())
  return Effect.acquireUseRelease(
    io(() => open(path, "wx", FILE_MODE)),
    (file) => use({ file, path }),
    (file, exit) =>
      Exit.isSuccess(exit)
        ? close(file)
        : Effect.zipRight(close(file), Effect.ignore(io(() => rm(path, { force: true })))),
  )
}

/** Whether the name is given now: it is not, when another blob has it or the file system has no second names. */
const linked = (draft: Draft, path: string): Promise<boolean> =>
  link(draft.path, path).then(
    () => true,
    (error: unknown) => {
      if (noSecondName.includes(errorCode(error) ?? "")) return false
      throw error
    },
  )

/**
 * Gives a draft the name of a blob, durably. A new name is synced together with the bytes; until both are on the disk
 * nobody was told of it. A name that another blob has is given only to bytes that are on the disk already: after a crash it
 * stands for one or the other.
 */
const publish = async (
  draft: Draft,
  path: string,
  syncShard: (folder: string) => Promise<void>,
): Promise<void> => {
  const folder = dirname(path)
  if (await linked(draft, path)) {
    const steps = await Promise.allSettled([draft.file.sync(), syncShard(folder), unlink(draft.path)])
    const failed = steps.find((step) => step.status === "rejected")
    if (failed === undefined) return
    await unlink(path)
    throw failed.reason
  }
  await draft.file.sync()
  await rename(draft.path, path)
  await syncShard(folder)
}

/** Makes the names of new folders durable, from the blobs' own up to the first that was there before. */
const syncNewFolders = (root: string, firstCreated: string | null) =>
  Effect.gen(function* () {
    yield* io(() => syncFolder(root))
    if (firstCreated === null) return
    for (let folder = root; folder.startsWith(firstCreated); folder = dirname(folder))
      yield* io(() => syncFolder(dirname(folder)))
  })

/** Creates the folders, and writes a file on trial so that a wrong mount shows at the start. */
const prepare = (root: string) =>
  Effect.gen(function* () {
    const firstCreated = yield* createFolder(draftsIn(root))
    for (const shard of shards) yield* createFolder(join(root, shard))
    yield* syncNewFolders(root, firstCreated)
    yield* withDraft(root, ({ file, path }) =>
      io(() => file.writeFile("trial")).pipe(
        Effect.andThen(io(() => file.sync())),
        Effect.andThen(io(() => unlink(path))),
      ),
    )
  })

const removeLeftovers = (root: string) =>
  Effect.gen(function* () {
    const oldest = (yield* Clock.currentTimeMillis) - LEFTOVER_AGE
    const drafts = draftsIn(root)
    for (const name of yield* io(() => readdir(drafts))) {
      const path = join(drafts, name)
      yield* io(() => stat(path)).pipe(
        Effect.flatMap(({ mtimeMs }) =>
          mtimeMs < oldest ? io(() => rm(path, { force: true })) : Effect.void,
        ),
        // Another process may have finished it in between.
        Effect.catchIf(isMissing, () => Effect.void),
      )
    }
  })

export const FileBlobs = {
  /**
   * Blobs under a folder, which is created when it is absent and proven writable. Unfinished files that a crash left
   * there more than an hour ago are removed. Fails with `BlobsUnusable` when the folder cannot serve.
   */
  layer: (directory: string): Layer.Layer<Blobs, BlobsUnusable> =>
    Layer.scoped(
      Blobs,
      Effect.gen(function* () {
        const root = resolve(directory)
        const syncShard = yield* makeSyncFolder
        yield* prepare(root).pipe(
          Effect.andThen(removeLeftovers(root)),
          Effect.mapError((failure) => blobsUnusable(root, failure.cause)),
        )

        const put = Effect.fn("FileBlobs.put")(function* (key: string, content: Stream.Stream<Uint8Array>) {
          const path = yield* locate(root, key)
          return yield* withDraft(root, (draft) =>
            Effect.gen(function* () {
              const sizeBytes = yield* writeAll(draft.file, content)
              // All or nothing: an interruption in between would leave a blob whose name may not last.
              yield* Effect.uninterruptible(io(() => publish(draft, path, syncShard)))
              return { sizeBytes }
            }),
          ).pipe(Effect.orDie)
        })

        const get = Effect.fn("FileBlobs.get")(function* (key: string, range?: ByteRange) {
          const path = yield* locate(root, key)
          return yield* io(() => stat(path)).pipe(
            Effect.map(({ size }) =>
              Option.some({ sizeBytes: size, content: readRange(path, size, bytesToRead(size, range)) }),
            ),
            Effect.catchIf(isMissing, () => Effect.succeedNone),
            Effect.orDie,
          )
        })

        const removeOne = (path: string) =>
          io(() => unlink(path)).pipe(Effect.catchIf(isMissing, () => Effect.void))

        const remove = Effect.fn("FileBlobs.remove")(function* (keys: ReadonlyArray<string>) {
          const paths = yield* Effect.forEach(keys, (key) => locate(root, key))
          const folders = new Set(paths.map((path) => dirname(path)))
          yield* Effect.forEach(paths, removeOne, { concurrency: CONCURRENCY, discard: true }).pipe(
            Effect.andThen(
              Effect.forEach(folders, (folder) => io(() => syncShard(folder)), {
                concurrency: CONCURRENCY,
                discard: true,
              }),
            ),
            Effect.orDie,
          )
        })

        return Blobs.of({ put, get, remove, link: Option.none() })
      }),
    ),
}
