/** A blob store whose keys a test can read, and whose writes it can make fail. */
import { Blobs, StorageFailure } from "@mailroom/engine"
import { Context, Effect, Layer } from "effect"

export class BlobShelf extends Context.Tag("test/BlobShelf")<
  BlobShelf,
  {
    /** sorted */
    readonly keys: Effect.Effect<ReadonlyArray<string>>
    /** Makes all writes fail from now on, or none. */
    readonly full: (full: boolean) => Effect.Effect<void>
  }
>() {}

/** Wraps the blob store. */
export const watchedBlobs: Layer.Layer<Blobs | BlobShelf, never, Blobs> = Layer.effectContext(
  Effect.map(Blobs, (blobs) => {
    const keys = new Set<string>()
    let isFull = false
    const put: Blobs["Type"]["put"] = (key, content) =>
      isFull
        ? Effect.die(new StorageFailure({ reason: "full", cause: "no space left" }))
        : Effect.tap(blobs.put(key, content), () => Effect.sync(() => keys.add(key)))
    const remove: Blobs["Type"]["remove"] = (gone) =>
      Effect.zipRight(
        blobs.remove(gone),
        Effect.sync(() => gone.forEach((key) => keys.delete(key))),
      )
    const full = (on: boolean) =>
      Effect.sync(() => {
        isFull = on
      })
    return Context.make(Blobs, { ...blobs, put, remove }).pipe(
      Context.add(BlobShelf, { keys: Effect.sync(() => [...keys].sort()), full }),
    )
  }),
)

export const blobKeys = Effect.flatMap(BlobShelf, (shelf) => shelf.keys)
