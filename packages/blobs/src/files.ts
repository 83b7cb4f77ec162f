/** The file operations that blobs need, as effects. */
import type { ByteRange, StorageFailure } from "@mailroom/engine"
import { Effect, Option, Stream } from "effect"
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

/** Makes the names in a directory durable. */
export const syncDirectory = (directory: string): Effect.Effect<void, StorageFailure> =>
  Effect.acquireUseRelease(
    io(() => open(directory, "r")),
    (handle) => io(() => handle.sync()),
    close,
  )

/** Appends a stream to a file; the number of bytes written. */
export const writeAll = (
  file: FileHandle,
  content: Stream.Stream<Uint8Array>,
): Effect.Effect<number, StorageFailure> =>
  Stream.runFoldEffect(content, 0, (sizeBytes, bytes) =>
    // Unlike `write`, `writeFile` goes on after a short write; it starts where the last one ended.
    Effect.as(
      io(() => file.writeFile(bytes)),
      sizeBytes + bytes.length,
    ),
  )

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
