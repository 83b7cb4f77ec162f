/** What a session reads from its client: lines of commands, a message, or nothing while the client waits for a reply. */
import { makeLineReader } from "./lineReader.js"
import type { ReceivingMemory } from "./receivingMemory.js"

const nothing = Buffer.alloc(0)

export type Mode =
  | "commands"
  | "message"
  /** The client has to wait for a reply. Bytes that it sends meanwhile are held. */
  | "waiting"
  | "handshake"
  | "ended"

export interface InputEvents {
  /** A command without its line end, and how many bytes it had with it. */
  readonly onCommand: (line: string, length: number) => void
  /** The client sent more than `COMMAND_LINE_ABUSE` bytes without a line end. */
  readonly onAbuse: () => void
  /** Bytes of a message, from `at` on. Returns where the next command begins, or the length when all are of the message. */
  readonly onMessage: (bytes: Buffer, at: number) => number
  /** Bytes are held: the client is to stop sending. */
  readonly onHold: () => void
  /** The bytes that were held are read. */
  readonly onRoom: () => void
  /** Bytes are held, and the memory for all sessions is full. */
  readonly onFull: () => void
}

export interface SessionInput {
  readonly isIn: (mode: Mode) => boolean
  readonly enter: (mode: Exclude<Mode, "ended">) => void
  readonly read: (bytes: Buffer) => void
  /** Reads commands from now on, first those that the client sent while it waited. */
  readonly proceed: () => void
  /** Drops what is held, and everything that comes. */
  readonly end: () => void
}

export const makeSessionInput = (memory: ReceivingMemory, events: InputEvents): SessionInput => {
  let mode: Mode = "commands"
  let held: Buffer = nothing
  const lines = makeLineReader()

  const isIn = (asked: Mode): boolean => mode === asked

  const hold = (bytes: Buffer): void => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes])
    memory.take(bytes.length)
    if (memory.isFull()) events.onFull()
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
      memory.giveBack(bytes.length)
      read(bytes)
      if (bytes.length > 0 && held.length === 0 && !isIn("ended")) events.onRoom()
    },
    end: () => {
      mode = "ended"
      memory.giveBack(held.length)
      held = nothing
    },
  }
}
