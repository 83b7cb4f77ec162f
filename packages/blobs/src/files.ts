/** The file operations that blobs need, as effects. */
import type { ByteRange, StorageFailure } from "@mailroom/engine"
import { Chunk, Effect, Option, type Scope, Stream } from "effect"
import { open, type FileHandle } from "node:fs/promises"
import { blobFailure, errorCode } from "./failure.js"

/** Read in pieces of this many bytes. */
const PIECE = 256 * 1024

/** A file operation, with its error in the words of the port. */
export const io = <A>(operation: () => Promise<A>): Effect.Effect<A, StorageFailure> =>
  Effect.tryPromise({ try: operation, catch: blobFailure })

/** Whether an operation failed because there is no such file. */
export const isMissing = (failure: StorageFailure): boolean => errorCode(failure.cause) === "ENOENT"

/** Closes a file. Nothing is lost when that fails: what matters was synced before. */
export const close = (file: FileHandle): Effect.Effect<void> => Effect.ignore(io(() => file.close()))

/** Makes the names in a folder durable. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * `syncFolder` for folders that are synced again and again: each stays open until the scope closes, which makes one call
 * of three.
 */
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
      // Another call may have opened it meanwhile.
      const kept = opened.get(folder) ?? handle
      opened.set(folder, kept)
      await kept.sync()
      if (kept !== handle) await handle.close()
    },
  )

/** Appends pieces to a file, all in one write as long as the system takes them whole. */
const writePieces = async (file: FileHandle, pieces: ReadonlyArray<Uint8Array>): Promise<void> => {
  let { bytesWritten } = await file.writev(pieces)
  for (const piece of pieces) {
    // Unlike `writev`, `writeFile` goes on after a short write; it starts where the last one ended.
    if (bytesWritten < piece.length) await file.writeFile(piece.subarray(bytesWritten))
    bytesWritten = Math.max(0, bytesWritten - piece.length)
  }
}

/** Appends a stream to a file, each of its chunks with one write; the number of bytes written. */
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

/**
 * The bytes of a file that was `sizeBytes` long when it was looked up. Dies with `StorageFailure` when the file
 * is gone, is another one by now or ends too early.
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
          const buffer = Buffer.allocUnsafe(Math.min(PIECE, end + 1 - position))
          const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
          return buffer.subarray(0, bytesRead)
        }).pipe(
          Effect.filterOrFail(
            (bytes) => bytes.length > 0,
            () => changed(path),
          ),
          Effect.map((bytes) => Option.some([bytes, position + bytes.length] as const)),
        )

  const opened = Effect.acquireRelease(
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

  return Stream.unwrapScoped(Effect.map(opened, (file) => Stream.unfoldEffect(start, readFrom(file)))).pipe(
    Stream.orDie,
  )
}
