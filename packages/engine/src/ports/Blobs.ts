/** The blob store: attachments, and raw mail above 256 kB. */
import { Context, type Effect, type Option, type Stream } from "effect"

export interface Blob {
  readonly sizeBytes: number
  /** the bytes of the requested range; dies with `StorageFailure` when the store fails during the read */
  readonly content: Stream.Stream<Uint8Array>
}

/** Byte positions from 0, inclusive at both ends like an HTTP Range. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Gives memory for so many bytes that other threads can read: a view of a `SharedArrayBuffer`. What it holds is left from
 * its last use.
 */
export type GiveMemory = (bytes: number) => Uint8Array

/** Response headers of a blob that the store itself serves. */
export interface LinkedAs {
  readonly contentType: string
  /** the header Content-Disposition */
  readonly disposition: string
}

/**
 * Keys are words of `[A-Za-z0-9._-]` separated by `/`, chosen by the engine. All methods die with `StorageFailure` when
 * the store fails.
 */
export class Blobs extends Context.Tag("@mailroom/Blobs")<
  Blobs,
  {
    /** Stores the bytes; durable when it succeeds. Replaces an existing blob atomically: no reader sees a part of it. */
    readonly put: (
      key: string,
      content: Stream.Stream<Uint8Array>,
    ) => Effect.Effect<{ readonly sizeBytes: number }>
    /**
     * None for an absent key. `sizeBytes` is the size of the whole blob, also with a range. A range beyond the end is
     * empty.
     */
    readonly get: (key: string, range?: ByteRange) => Effect.Effect<Option.Option<Blob>>
    /**
     * Reads a whole blob, or its first `max` bytes, into shared memory (`SharedArrayBuffer`), which another thread can read
     * without a copy: into memory of `giveMemory`, by default into new memory. When `read` ends, nothing writes to that
     * memory any more, also when it fails or is interrupted. None for an absent key.
     */
    readonly read: (
      key: string,
      max?: number,
      giveMemory?: GiveMemory,
    ) => Effect.Effect<Option.Option<Uint8Array>>
    /** Removes blobs. Ignores absent keys. */
    readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void>
    /**
     * Makes a URL, valid for some minutes, where clients fetch a blob from the store itself. None: this store has no
     * such URLs.
     */
    readonly link: Option.Option<(key: string, as: LinkedAs) => Effect.Effect<string>>
  }
>() {}
