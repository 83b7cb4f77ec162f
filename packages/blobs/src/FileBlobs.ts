/**
 * Blobs as files `<directory>/<shard>/<key>`. The shard is two hex digits of the key's hash, so that folders stay small.
 * A `/` in the key becomes a `+`, so that no key needs another as its folder. Files are written in `<directory>/tmp` and
 * then moved.
 */
import { Blobs, type ByteRange, newSharedMemory, type StorageFailure } from "@mailroom/engine"
import { Clock, Effect, Exit, Layer, Option, type Stream } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, link, open, readdir, rename, rm, stat, unlink } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { type BlobsUnusable, errorCode, folderUnusable } from "./failures.js"
import {
  close,
  createFolder,
  io,
  isMissing,
  makeSyncFolder,
  readRange,
  readStart,
  syncFolder,
  writeAll,
} from "./files.js"
import { bytesToRead, checkKey } from "./arguments.js"

/** Milliseconds. An unfinished file that is older was left by a crash; a younger one may be another process's. */
const LEFTOVER_AGE = 60 * 60 * 1000

/** Files that are removed concurrently. */
const CONCURRENCY = 8

/**
 * Files of more bytes are synced one at a time. Such a sync takes one of the four threads that do the file operations of the process,
 * and the disk for some milliseconds, and the mail of other tenants waits for both.
 */
const LARGE_BYTES = 1024 * 1024

/** Error codes of `link` when the name exists or the file system has no hard links. */
const LINK_REFUSED = ["EEXIST", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]

const shards = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, "0"))

const shardOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 2)

const draftsIn = (root: string): string => join(root, "tmp")

const locate = (root: string, key: string): Effect.Effect<string> =>
  Effect.map(checkKey(key), () => join(root, shardOf(key), key.replaceAll("/", "+")))

/** Only the user that runs the service may read mail. */
const FILE_MODE = 0o600

interface Draft {
  readonly file: FileHandle
  readonly path: string
}

/** Runs `use` with a new file under `tmp`, and removes the file unless `use` succeeds. */
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

/** Links a draft under a name. Returns false when the name exists or the file system has no hard links. */
const tryLink = (draft: Draft, path: string): Promise<boolean> =>
  link(draft.path, path).then(
    () => true,
    (error: unknown) => {
      if (LINK_REFUSED.includes(errorCode(error) ?? "")) return false
      throw error
    },
  )

/**
 * Gives a draft the name of a blob, durably. A new name and the bytes are synced at the same time, because nobody uses the
 * blob before `put` returns. An existing name is replaced only after the bytes are synced, so that after a crash it stands
 * for the old or the new blob, and never for a part.
 */
const publish = async (
  draft: Draft,
  path: string,
  syncShard: (folder: string) => Promise<void>,
): Promise<void> => {
  const folder = dirname(path)
  if (await tryLink(draft, path)) {
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

/** Makes new folders durable: syncs every folder from the root up to the parent of the first new one. */
const syncNewFolders = (root: string, firstCreated: string | null) =>
  Effect.gen(function* () {
    yield* io(() => syncFolder(root))
    if (firstCreated === null) return
    for (let folder = root; folder.startsWith(firstCreated); folder = dirname(folder))
      yield* io(() => syncFolder(dirname(folder)))
  })

/** Creates the folders and writes a test file, so that an unusable mount is found at the start. */
const prepare = (root: string) =>
  Effect.gen(function* () {
    const firstCreated = yield* createFolder(draftsIn(root))
    for (const shard of shards) yield* createFolder(join(root, shard))
    yield* syncNewFolders(root, firstCreated)
    yield* withDraft(root, ({ file, path }) =>
      io(() => file.writeFile("test")).pipe(
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
        // Another process may have published it meanwhile.
        Effect.catchIf(isMissing, () => Effect.void),
      )
    }
  })

export const FileBlobs = {
  /**
   * Blobs in a folder. Creates the folder when absent, checks that it is writable, and removes unfinished files that are
   * older than an hour. Fails with `BlobsUnusable` when the folder cannot hold blobs.
   */
  layer: (directory: string): Layer.Layer<Blobs, BlobsUnusable> =>
    Layer.scoped(
      Blobs,
      Effect.gen(function* () {
        const root = resolve(directory)
        const syncShard = yield* makeSyncFolder
        yield* prepare(root).pipe(
          Effect.andThen(removeLeftovers(root)),
          Effect.mapError((failure) => folderUnusable(root, failure.cause)),
        )

        const largeSync = yield* Effect.makeSemaphore(1)

        const put = Effect.fn("FileBlobs.put")(function* (key: string, content: Stream.Stream<Uint8Array>) {
          const path = yield* locate(root, key)
          return yield* withDraft(root, (draft) =>
            Effect.gen(function* () {
              const sizeBytes = yield* writeAll(draft.file, content)
              // An interruption in between would leave a blob whose name is not durable.
              const published = Effect.uninterruptible(io(() => publish(draft, path, syncShard)))
              yield* sizeBytes > LARGE_BYTES ? largeSync.withPermits(1)(published) : published
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

        const read = Effect.fn("FileBlobs.read")(function* (
          key: string,
          max = Infinity,
          giveMemory = newSharedMemory,
        ) {
          const path = yield* locate(root, key)
          return yield* Effect.asSome(readStart(path, max, giveMemory)).pipe(
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

        return Blobs.of({ put, get, read, remove, link: Option.none() })
      }),
    ),
}
