/**
 * Takes the raw bytes of one message, header and body, while it arrives, and makes them a `RawContent`: a message of up to
 * `INLINE_MAX_BYTES` stays in memory, a larger one streams to the blob store. All sessions share a limit of memory.
 */
import { INLINE_MAX_BYTES } from "@mailroom/domain"
import type { RawContent, MailSpool } from "@mailroom/engine"
import { Chunk, type Context, Effect, Exit, Option, Stream } from "effect"

/**
 * Bytes that all sessions may hold in memory. Above, every message streams to the blob store, however small it is, and a
 * session that has to hold commands back is closed.
 */
const RECEIVING_MEMORY_MAX = 64 * 1024 * 1024

/** Counts the bytes that the sessions of a receiver hold in memory. */
export interface ReceivingMemory {
  readonly take: (bytes: number) => void
  readonly release: (bytes: number) => void
  readonly isFull: () => boolean
}

export const makeReceivingMemory = (max: number = RECEIVING_MEMORY_MAX): ReceivingMemory => {
  let held = 0
  return {
    take: (bytes) => {
      held += bytes
    },
    release: (bytes) => {
      held -= bytes
    },
    isFull: () => held > max,
  }
}

/** Bytes of one message that may wait for the blob store, before we read no more of it: one write and the next. */
const WAITING_MAX = 512 * 1024
/** The same while the memory of all sessions is full. */
const SCARCE_WAITING_MAX = 64 * 1024

/**
 * Pieces below this many bytes are copied into blocks of `BLOCK_BYTES`. A buffer costs some 300 bytes beside its content: a client that
 * sends byte after byte would otherwise take hundreds of times the memory that is counted.
 */
const SMALL_PIECE_BYTES = 4 * 1024
const BLOCK_BYTES = 16 * 1024

/** Runs an effect and calls `onExit` with its exit. */
export type Run = <A>(effect: Effect.Effect<A>, onExit: (exit: Exit.Exit<A>) => void) => void

export interface ContentWriter {
  /** Takes the next bytes. false: add no more until `onRoom`. */
  readonly add: (bytes: Buffer) => boolean
  /** No more bytes follow. Calls `onContent` at once for a message in memory, else when the blob is durable. */
  readonly complete: () => void
  /** The message is refused or its connection lost. Discards its bytes and does not call `onContent`. */
  readonly abandon: () => void
  /** Frees the memory of the message, after its content was used. */
  readonly release: () => void
}

export interface ContentWriterOptions {
  readonly spool: Context.Tag.Service<MailSpool>
  readonly run: Run
  readonly memory: ReceivingMemory
  readonly onRoom: () => void
  /** Called once, with the complete content or a failure of the blob store, which may come before the end. */
  readonly onContent: (exit: Exit.Exit<RawContent>) => void
}

export const makeContentWriter = ({
  spool,
  run,
  memory,
  onRoom,
  onContent,
}: ContentWriterOptions): ContentWriter => {
  let state: "open" | "complete" | "abandoned" = "open"
  let isStaged = false
  let waiting: Array<Buffer> = []
  /** the block whose beginning is the last of `waiting`; null when that is a piece as it came */
  let block: Buffer | null = null
  let waitingBytes = 0
  let isFull = false
  let wakeBlobStore: (() => void) | null = null

  const waitingMax = (): number => (memory.isFull() ? SCARCE_WAITING_MAX : WAITING_MAX)

  const takeWaiting = (): Array<Buffer> => {
    const taken = waiting
    waiting = []
    block = null
    return taken
  }

  /** Adds a piece to those that wait. A small piece after a small piece is copied behind it. */
  const keep = (piece: Buffer): void => {
    const last = waiting.at(-1)
    const joins =
      last !== undefined &&
      piece.length < SMALL_PIECE_BYTES &&
      (block === null ? last.length < SMALL_PIECE_BYTES : last.length + piece.length <= BLOCK_BYTES)
    if (!joins) {
      block = null
      waiting.push(piece)
      return
    }
    if (block === null) {
      block = Buffer.allocUnsafe(BLOCK_BYTES)
      last.copy(block)
    }
    piece.copy(block, last.length)
    waiting[waiting.length - 1] = block.subarray(0, last.length + piece.length)
  }

  const release = (): void => {
    memory.release(waitingBytes)
    waitingBytes = 0
  }

  /** The bytes for the blob store, once there are some. They count as waiting until the store pulls the next ones. */
  const nextChunks = Effect.async<Chunk.Chunk<Uint8Array>, Option.Option<never>>((resume) => {
    const written = waitingBytes - waiting.reduce((sum, { length }) => sum + length, 0)
    memory.release(written)
    waitingBytes -= written
    if (isFull && waitingBytes < waitingMax()) {
      isFull = false
      onRoom()
    }
    const answer = () => {
      wakeBlobStore = null
      if (waiting.length > 0 && state !== "abandoned")
        resume(Effect.succeed(Chunk.unsafeFromArray<Uint8Array>(takeWaiting())))
      else resume(Effect.fail(Option.none()))
    }
    if (waiting.length > 0 || state !== "open") answer()
    else wakeBlobStore = answer
  })

  const stage = (): void => {
    isStaged = true
    run(spool.stage(Stream.repeatEffectChunkOption(nextChunks)), (exit) => {
      release()
      takeWaiting()
      if (state !== "abandoned") {
        const isEarly = Exit.isSuccess(exit) && state === "open"
        onContent(isEarly ? Exit.die(new Error("the blob store stopped reading a message")) : exit)
      } else if (Exit.isSuccess(exit)) run(spool.discard(exit.value), () => {})
    })
  }

  return {
    add: (bytes) => {
      keep(bytes)
      waitingBytes += bytes.length
      memory.take(bytes.length)
      if (!isStaged && (waitingBytes > INLINE_MAX_BYTES || memory.isFull())) stage()
      wakeBlobStore?.()
      isFull = isStaged && waitingBytes >= waitingMax()
      return !isFull
    },
    complete: () => {
      state = "complete"
      if (isStaged) return wakeBlobStore?.()
      const pieces = takeWaiting()
      const [only] = pieces
      const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
      onContent(Exit.succeed({ kind: "inline", bytes }))
    },
    abandon: () => {
      state = "abandoned"
      takeWaiting()
      if (isStaged) wakeBlobStore?.()
      else release()
    },
    release,
  }
}
