/** Checking the arguments of the port `Blobs`: keys and ranges. */
import type { ByteRange } from "@mailroom/engine"
import { Effect } from "effect"

const KEY = /^(?!\.\.?(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._-]+)*$/

/** A key becomes one file name; 255 bytes is the maximum of common file systems. */
const KEY_MAX_LENGTH = 255

/**
 * Returns the key if it is at most 255 characters of `/`-separated words of `[A-Za-z0-9._-]`, none of them `.` or `..`.
 * Otherwise it dies, because this service makes all keys.
 */
export const checkKey = (key: string): Effect.Effect<string> =>
  key.length <= KEY_MAX_LENGTH && KEY.test(key)
    ? Effect.succeed(key)
    : Effect.dieMessage(`${JSON.stringify(key.slice(0, 300))} is not a key of a blob`)

/** The first and the last byte to read. Nothing is to be read when `end` is less than `start`. */
export const bytesToRead = (sizeBytes: number, range: ByteRange | undefined): ByteRange => ({
  start: Math.max(0, range?.start ?? 0),
  end: Math.min(sizeBytes - 1, range?.end ?? sizeBytes - 1),
})
