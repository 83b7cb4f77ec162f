/** Bytes too large for a database row: attachments, and raw mail above 256 kB. */
import { Context, type Effect, type Option, type Stream } from "effect"

export interface Blob {
  readonly sizeBytes: number
  /** the bytes asked for; dies with `StorageFailure` when the store is lost on the way */
  readonly content: Stream.Stream<Uint8Array>
}

/** Inclusive at both ends, as in an HTTP Range. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** What a store says of a blob that it hands out itself. */
export interface LinkedAs {
  readonly contentType: string
  /** the header Content-Disposition */
  readonly disposition: string
}

/**
 * Keys are `/`-separated words of `[A-Za-z0-9._-]`, made by us. All methods die with `StorageFailure` when the
 * store fails.
 */
export class Blobs extends Context.Tag("@mailroom/Blobs")<
  Blobs,
  {
    /** Stores the bytes durably before it succeeds; an existing key is replaced, and never seen half-written. */
    readonly put: (
      key: string,
      content: Stream.Stream<Uint8Array>,
    ) => Effect.Effect<{ readonly sizeBytes: number }>
    /** `sizeBytes` is of the whole blob, also when a range is asked for. A range beyond the end is empty. */
    readonly get: (key: string, range?: ByteRange) => Effect.Effect<Option.Option<Blob>>
    /** Absent keys are no error. */
    readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void>
    /** Makes addresses where clients fetch a blob from the store itself, for some minutes; none when they cannot. */
    readonly link: Option.Option<(key: string, as: LinkedAs) => Effect.Effect<string>>
  }
>() {}
