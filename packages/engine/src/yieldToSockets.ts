/** Lets the event loop turn. */
import { Effect } from "effect"

/**
 * Yields to the event loop, so that it serves its sockets. SQLite answers within the call, and decoding holds the loop too: without this,
 * a hundred fibers at such work would delay every request until all of them have ended.
 */
export const yieldToSockets: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => resume(Effect.void))
})
