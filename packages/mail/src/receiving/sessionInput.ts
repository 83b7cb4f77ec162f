/** Splits the bytes of a client into command lines and messages, and holds them back while the client waits for a reply. */
import { ADDRESS_COMMAND_LINE_MAX, COMMAND_LINE_ABUSE } from "@mailroom/domain"
import type { ReceivingMemory } from "./contentWriter.js"

const CR = 0x0d
const LF = 0x0a
const nothing = Buffer.alloc(0)

/** Reads command lines from chunks that are split anywhere. Keeps no more of a line than a command may have. */
interface LineReader {
  /** Reads `chunk` from `start`. Returns the offset after the line end, or the length of the chunk. */
  readonly read: (chunk: Buffer, start: number) => number
  /**
   * The result of the last `read`. `text` is without its LF or CRLF, cut at `ADDRESS_COMMAND_LINE_MAX` bytes; `length` is in
   * bytes with the line end.
   */
  readonly last: () =>
    | { readonly kind: "line"; readonly text: string; readonly length: number }
    | { readonly kind: "part" }
    /** more than `COMMAND_LINE_ABUSE` bytes without a line end */
    | { readonly kind: "abuse" }
}

const makeLineReader = (): LineReader => {
  /** the start of an incomplete line */
  let kept: Buffer = nothing
  let length = 0
  let last: ReturnType<LineReader["last"]> = { kind: "part" }

  return {
    read: (chunk, start) => {
      const feed = chunk.indexOf(LF, start)
      const end = feed === -1 ? chunk.length : feed
      const part = chunk.subarray(start, Math.min(end, start + ADDRESS_COMMAND_LINE_MAX - kept.length))
      length += end - start
      if (length > COMMAND_LINE_ABUSE) last = { kind: "abuse" }
      else if (feed === -1) {
        // A copy: a few bytes must not keep the whole chunk in memory.
        kept = Buffer.concat([kept, part])
        last = { kind: "part" }
      } else {
        const line = kept.length === 0 ? part : Buffer.concat([kept, part])
        const text = line.toString("utf8", 0, line.at(-1) === CR ? line.length - 1 : line.length)
        last = { kind: "line", text, length: length + 1 }
        kept = nothing
        length = 0
      }
      return feed === -1 ? end : feed + 1
    },
    last: () => last,
  }
}

export type Mode =
  | "commands"
  | "message"
  /**
   * The client has to wait: for a storage request, for the blob store at the end of a message, or for a reply that is
   * delayed. Bytes that it sends in the meantime are held back.
   */
  | "waiting"
  | "handshake"
  | "ended"

export interface InputEvents {
  /** A command without its line end, and its length in bytes with it. */
  readonly onCommand: (line: string, length: number) => void
  /** The client sent more than `COMMAND_LINE_ABUSE` bytes without a line end. */
  readonly onAbuse: () => void
  /** Bytes of a message from offset `at`. Returns the offset of the next command, or the length when the message goes on. */
  readonly onMessage: (bytes: Buffer, at: number) => number
  /** Bytes are held back: read no more from the client. */
  readonly onHold: () => void
  /** The bytes that were held back are read. */
  readonly onRoom: () => void
  /** Bytes are held back, and the memory for all sessions is full. */
  readonly onMemoryFull: () => void
}

export interface SessionInput {
  readonly isIn: (mode: Mode) => boolean
  readonly enter: (mode: Exclude<Mode, "ended">) => void
  readonly read: (bytes: Buffer) => void
  /** Reads commands again, first those that the client sent while it waited. */
  readonly proceed: () => void
  /** Drops the bytes that are held back, and all later ones. */
  readonly end: () => void
}

export const makeSessionInput = (memory: ReceivingMemory, events: InputEvents): SessionInput => {
  let mode: Mode = "commands"
  let held: Buffer = nothing
  const lines = makeLineReader()

  const isIn = (other: Mode): boolean => mode === other

  const hold = (bytes: Buffer): void => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes])
    memory.take(bytes.length)
    if (memory.isFull()) events.onMemoryFull()
    else events.onHold()
  }

  const readLine = (bytes: Buffer, at: number): number => {
    const next = lines.read(bytes, at)
    const last = lines.last()
    if (last.kind === "line") events.onCommand(last.text, last.length)
    else if (last.kind === "abuse") events.onAbuse()
    return next
  }

  const read = (bytes: Buffer): void => {
    let at = 0
    while (at < bytes.length) {
      if (isIn("commands")) at = readLine(bytes, at)
      else if (isIn("message")) at = events.onMessage(bytes, at)
      else {
        if (isIn("waiting")) hold(bytes.subarray(at))
        return
      }
    }
  }

  return {
    isIn,
    enter: (next) => {
      mode = next
    },
    read,
    proceed: () => {
      mode = "commands"
      const bytes = held
      held = nothing
      memory.release(bytes.length)
      read(bytes)
      if (bytes.length > 0 && held.length === 0 && !isIn("ended")) events.onRoom()
    },
    end: () => {
      mode = "ended"
      memory.release(held.length)
      held = nothing
    },
  }
}
