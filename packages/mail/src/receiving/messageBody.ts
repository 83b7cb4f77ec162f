/**
 * The bytes of one message on their way in. They stay in memory while they are few; otherwise they are written to the
 * blob store while more arrive.
 */
import { INLINE_MAX_BYTES } from "@mailroom/domain"
import type { RawContent, MailSpool } from "@mailroom/engine"
import { Chunk, type Context, Effect, Exit, Option, Stream } from "effect"
import type { ReceivingMemory } from "./receivingMemory.js"

/** Bytes of one message that wait for the blob store before its client has to wait: one write, and what follows it. */
const WAITING_MAX = 512 * 1024
/** The same while the sessions together hold as much memory as they may. */
const SCARCE_WAITING_MAX = 64 * 1024

/** Runs an effect and reports how it ended. */
export type Run = <A>(effect: Effect.Effect<A>, onExit: (exit: Exit.Exit<A>) => void) => void

export interface MessageBody {
  /** Takes the next bytes. False: no more until `onRoom`. */
  readonly add: (bytes: Buffer) => boolean
  /** The message is complete. `onContent` follows, now or later. */
  readonly complete: () => void
  /** The message is refused or lost. What was written is removed; `onContent` does not follow. */
  readonly abandon: () => void
  /** Frees the memory of a message that was kept in memory, once nobody needs it. */
  readonly release: () => void
}

export interface MessageBodyOptions {
  readonly spool: Context.Tag.Service<MailSpool>
  readonly run: Run
  readonly memory: ReceivingMemory
  readonly onRoom: () => void
  /** Reports once: the content when it is complete, or the failure of the blob store, also before. */
  readonly onContent: (exit: Exit.Exit<RawContent>) => void
}

export const makeMessageBody = ({
  spool,
  run,
  memory,
  onRoom,
  onContent,
}: MessageBodyOptions): MessageBody => {
  let state: "open" | "complete" | "abandoned" = "open"
  let isStaged = false
  let waiting: Array<Buffer> = []
  let waitingBytes = 0
  let isFull = false
  let wakeWriter: (() => void) | null = null

  const waitingMax = (): number => (memory.isFull() ? SCARCE_WAITING_MAX : WAITING_MAX)

  const takeWaiting = (): Chunk.Chunk<Uint8Array> => {
    const chunks = Chunk.unsafeFromArray<Uint8Array>(waiting)
    waiting = []
    return chunks
  }

  const release = (): void => {
    memory.giveBack(waitingBytes)
    waitingBytes = 0
  }

  /** What waits, as soon as something does. The bytes count as waiting until the writer asks for more. */
  const nextChunks = Effect.async<Chunk.Chunk<Uint8Array>, Option.Option<never>>((resume) => {
    const written = waitingBytes - waiting.reduce((sum, { length }) => sum + length, 0)
    memory.giveBack(written)
    waitingBytes -= written
    if (isFull && waitingBytes < waitingMax()) {
      isFull = false
      onRoom()
    }
    const answer = () => {
      wakeWriter = null
      if (waiting.length > 0 && state !== "abandoned") resume(Effect.succeed(takeWaiting()))
      else resume(Effect.fail(Option.none()))
    }
    if (waiting.length > 0 || state !== "open") answer()
    else wakeWriter = answer
  })

  const stage = (): void => {
    isStaged = true
    run(spool.stage(Stream.repeatEffectChunkOption(nextChunks)), (exit) => {
      release()
      waiting = []
      if (state !== "abandoned") {
        const isEarly = Exit.isSuccess(exit) && state === "open"
        onContent(isEarly ? Exit.die(new Error("the blob store stopped reading a message")) : exit)
      } else if (Exit.isSuccess(exit)) run(spool.discard(exit.value), () => {})
    })
  }

  return {
    add: (bytes) => {
      waiting.push(bytes)
      waitingBytes += bytes.length
      memory.take(bytes.length)
      if (!isStaged && (waitingBytes > INLINE_MAX_BYTES || memory.isFull())) stage()
      wakeWriter?.()
      isFull = isStaged && waitingBytes >= waitingMax()
      return !isFull
    },
    complete: () => {
      state = "complete"
      if (isStaged) return wakeWriter?.()
      const [only] = waiting
      const bytes = waiting.length === 1 && only !== undefined ? only : Buffer.concat(waiting)
      waiting = []
      onContent(Exit.succeed({ kind: "inline", bytes }))
    },
    abandon: () => {
      state = "abandoned"
      waiting = []
      if (isStaged) wakeWriter?.()
      else release()
    },
    release,
  }
}
