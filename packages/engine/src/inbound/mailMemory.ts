/**
 * Memory that mail of the blob store is read into, used again and again. The system clears each page of new memory at its
 * first use, which takes longer than reading a file that was just written, and used memory waits for a garbage collection.
 */
import { INLINE_MAX_BYTES } from "@mailroom/domain"
import { Effect, Exit, Scope } from "effect"
import type { GiveMemory } from "../ports/Blobs.js"

/** Bytes of memory that is kept for the next mail. */
const IDLE_MAX_BYTES = 32 * 1024 * 1024

/** The next power of two, so that mail of a similar size fits. The pages behind its end are never used, and take no memory. */
const roomFor = (bytes: number): number => 2 ** Math.ceil(Math.log2(Math.max(bytes, INLINE_MAX_BYTES)))

export interface MailMemory {
  /**
   * Memory that is used again after the scope has closed with success: all who were asked about the mails have answered then,
   * or were given up, and what they still say is discarded. After a failure or an interruption another thread may still read
   * the mails, so their memory is left to the garbage collector.
   */
  readonly scoped: Effect.Effect<GiveMemory, never, Scope.Scope>
}

export const makeMailMemory = (idleMaxBytes: number = IDLE_MAX_BYTES): MailMemory => {
  /** the one used last comes last */
  let idle: ReadonlyArray<SharedArrayBuffer> = []

  const take = (bytes: number): SharedArrayBuffer => {
    const room = roomFor(bytes)
    const found = idle.findLast(({ byteLength }) => byteLength === room)
    idle = idle.filter((memory) => memory !== found)
    return found ?? new SharedArrayBuffer(room)
  }

  const keep = (used: ReadonlyArray<SharedArrayBuffer>): void => {
    let left = idleMaxBytes
    idle = [...idle, ...used]
      .toReversed()
      .filter(({ byteLength }) => {
        if (byteLength > left) return false
        left -= byteLength
        return true
      })
      .toReversed()
  }

  return {
    // Not `Effect.acquireRelease`: every batch of mail comes here (`acquireLight`), and most batches take no memory.
    scoped: Effect.flatMap(Effect.scope, (scope) => {
      const used: Array<SharedArrayBuffer> = []
      const release = Scope.addFinalizerExit(scope, (exit) =>
        Effect.sync(() => (Exit.isSuccess(exit) && used.length > 0 ? keep(used) : undefined)),
      )
      return Effect.as(release, (bytes) => {
        const memory = take(bytes)
        used.push(memory)
        return new Uint8Array(memory, 0, bytes)
      })
    }),
  }
}
