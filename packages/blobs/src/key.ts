/** What a blob's key may be. */
import { Effect } from "effect"

const KEY = /^(?!\.\.?(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._-]+)*$/

// A key becomes one file name, and 255 bytes is the longest one that common file systems take.
const MAX_LENGTH = 255

/**
 * The key, when it is `/`-separated words of `[A-Za-z0-9._-]`, none of them `.` or `..`, of at most 255 characters
 * in all. Keys are made by us, so any other is a fault of ours: it dies.
 */
export const checkKey = (key: string): Effect.Effect<string> =>
  key.length <= MAX_LENGTH && KEY.test(key)
    ? Effect.succeed(key)
    : Effect.dieMessage(`${JSON.stringify(key.slice(0, 300))} is not a key of a blob`)
