/** File and folder operations for `FileBlobs`, as effects. */
import type { ByteRange, GiveMemory, StorageFailure } from "@mailroom/engine"
import { Chunk, Effect, Option, type Scope, Stream } from "effect"
import { mkdir, open, stat, type FileHandle } from "node:fs/promises"
import { dirname } from "node:path"
import { blobFailure, errorCode } from "./failures.js"

/** Bytes of one read. */
const READ_SIZE = 256 * 1024

/** A file operation that fails with `StorageFailure`. */
export const io = <A>(operation: () => Promise<A>): Effect.Effect<A, StorageFailure> =>
  Effect.tryPromise({ try: operation, catch: blobFailure })

/** Whether an operation failed because the file does not exist. */
export const isMissing = (failure: StorageFailure): boolean => errorCode(failure.cause) === "ENOENT"

/** Closes a file and ignores errors: everything important was synced before. */
export const close = (file: FileHandle): Effect.Effect<void> => Effect.ignore(io(() => file.close()))

/** Syncs a folder, which makes the names of its files durable. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** `syncFolder` for folders that are synced often. Keeps each open until the scope closes, so a sync is one call of three. */
export const makeSyncFolder: Effect.Effect<(folder: string) => Promise<void>, never, Scope.Scope> =
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Map<string, FileHandle>()),
      (opened) => Effect.forEach(opened.values(), close, { concurrency: "unbounded", discard: true }),
    ),
    (opened) => async (folder) => {
      const known = opened.get(folder)
      if (known !== undefined) return known.sync()
      const handle = await open(folder, "r")
      // A concurrent call may have opened it meanwhile.
      const kept = opened.get(folder) ?? handle
      opened.set(folder, kept)
      await kept.sync()
      if (kept !== handle) await handle.close()
    },
  )

/** Appends pieces to a file with one write, and more only if the system writes less. */
const writePieces = async (file: FileHandle, pieces: ReadonlyArray<Uint8Array>): Promise<void> => {
  let { bytesWritten } = await file.writev(pieces)
  for (const piece of pieces) {
    // Unlike `writev`, `writeFile` continues after a short write. It starts at the current position.
    if (bytesWritten < piece.length) await file.writeFile(piece.subarray(bytesWritten))
    bytesWritten = Math.max(0, bytesWritten - piece.length)
  }
}

/** Appends a stream to a file, one write for each chunk. Returns the number of bytes. */
export const writeAll = (
  file: FileHandle,
  content: Stream.Stream<Uint8Array>,
): Effect.Effect<number, StorageFailure> =>
  Effect.suspend(() => {
    let sizeBytes = 0
    return Stream.runForEachChunk(content, (chunk) => {
      const pieces = Chunk.toReadonlyArray(chunk).filter(({ length }) => length > 0)
      if (pieces.length === 0) return Effect.void
      sizeBytes += pieces.reduce((sum, { length }) => sum + length, 0)
      return io(() => writePieces(file, pieces))
    }).pipe(Effect.map(() => sizeBytes))
  })

const changed = (path: string) => blobFailure(new Error(`${path} changed while it was read`))

/** Opens a file that was `sizeBytes` long when it was looked up. */
const openUnchanged = (
  path: string,
  sizeBytes: number,
): Effect.Effect<FileHandle, StorageFailure, Scope.Scope> =>
  Effect.acquireRelease(
    io(() => open(path, "r")),
    close,
  ).pipe(
    Effect.tap((file) =>
      Effect.filterOrFail(
        io(() => file.stat()),
        (stats) => stats.size === sizeBytes,
        () => changed(path),
      ),
    ),
  )

/**
 * Reads a file, or its first `max` bytes, with one call of the system where that reads all. Fails with `StorageFailure` when
 * the file ends earlier than its size says. When it ends, the system has finished all reads, because closing waits for them.
 */
export const readStart = (
  path: string,
  max: number,
  giveMemory: GiveMemory,
): Effect.Effect<Uint8Array, StorageFailure> =>
  Effect.acquireUseRelease(
    io(() => open(path, "r")),
    (file) =>
      Effect.gen(function* () {
        const { size } = yield* io(() => file.stat())
        const bytes = giveMemory(Math.min(size, max))
        let filled = 0
        while (filled < bytes.length) {
          const { bytesRead } = yield* io(() => file.read(bytes, filled, bytes.length - filled, filled))
          if (bytesRead === 0) return yield* changed(path)
          filled += bytesRead
        }
        return bytes
      }),
    close,
  )

/**
 * Reads a range of a file that was `sizeBytes` long when it was looked up. Dies with `StorageFailure` when the file has
 * been removed, has another size, or ends too early.
 */
export const readRange = (
  path: string,
  sizeBytes: number,
  { start, end }: ByteRange,
): Stream.Stream<Uint8Array> => {
  const readFrom = (file: FileHandle) => (position: number) =>
    position > end
      ? Effect.succeed(Option.none<readonly [Uint8Array, number]>())
      : io(async () => {
          const buffer = Buffer.allocUnsafe(Math.min(READ_SIZE, end + 1 - position))
          const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
          return buffer.subarray(0, bytesRead)
        }).pipe(
          Effect.filterOrFail(
            (bytes) => bytes.length > 0,
            () => changed(path),
          ),
          Effect.map((bytes) => Option.some([bytes, position + bytes.length] as const)),
        )

  return Stream.unwrapScoped(
    Effect.map(openUnchanged(path, sizeBytes), (file) => Stream.unfoldEffect(start, readFrom(file))),
  ).pipe(Stream.orDie)
}

/** Only the user that runs the service may read mail. */
const FOLDER_MODE = 0o700

/**
 * Creates a folder and its missing parents. Returns the topmost folder that it created; null when the folder existed. Not
 * `mkdir` with `recursive`, which never returns on a file system without folders, such as `/proc` (Node 20).
 */
export const createFolder = (path: string): Effect.Effect<string | null, StorageFailure> => {
  const create = io(() => mkdir(path, { mode: FOLDER_MODE }))
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
