/**
 * What is checked of a message while it arrives, byte by byte and across any split of the input: line ends
 * (a bare CR or LF is how mail is smuggled past a less strict server), the number of hops, the size.
 */
import { MESSAGE_MAX_BYTES, RECEIVED_MAX_COUNT } from "@mailroom/domain"
import { bareCarriageReturn, bareLineFeed, type Refusal, tooLarge, tooManyHops } from "./replies.js"

const CR = 0x0d
const LF = 0x0a
const TO_LOWER = 0x20
const field = Buffer.from("received:")

/** The first CR or LF without the other, in bytes that follow `previous`. */
const bareLineEnd = (bytes: Uint8Array, previous: number): Refusal | null => {
  if (bytes.length === 0) return null
  let lineStart = 0
  if (previous === CR) {
    if (bytes[0] !== LF) return bareCarriageReturn
    lineStart = 1
  }
  for (;;) {
    const feed = bytes.indexOf(LF, lineStart)
    const end = feed === -1 ? bytes.length : feed
    const carriage = bytes.indexOf(CR, lineStart)
    // A CR at the very end may be half of a line end.
    if (carriage !== -1 && carriage < end - 1) return bareCarriageReturn
    if (feed === -1) return null
    if (carriage !== feed - 1 || feed === lineStart) return bareLineFeed
    lineStart = feed + 1
  }
}

export interface Inspection {
  /** Looks at the next bytes; the first refusal stays. */
  readonly inspect: (chunk: Uint8Array) => Refusal | null
  /** how many have arrived, refused or not */
  readonly bytes: () => number
}

export const startInspection = (): Inspection => {
  let refused: Refusal | null = null
  let bytes = 0
  let previous = 0
  let inHeader = true
  /** characters of the current line so far */
  let column = 0
  /** how many of them spell the field's name; -1 once they do not */
  let spelled = 0
  let received = 0

  const readHeaderByte = (byte: number): void => {
    if (byte === LF) {
      if (column === 0) inHeader = false
      column = 0
      spelled = 0
    } else if (byte !== CR) {
      column++
      if (spelled >= 0 && spelled < field.length)
        spelled = (byte | TO_LOWER) === field[spelled] ? spelled + 1 : -1
      if (spelled === field.length && column === field.length) received++
    }
  }

  const check = (chunk: Uint8Array): Refusal | null => {
    if (bytes > MESSAGE_MAX_BYTES) return tooLarge
    let at = 0
    for (; at < chunk.length; at++) {
      if (!inHeader) break
      const byte = chunk[at] ?? 0
      if ((byte === LF) !== (previous === CR)) return byte === LF ? bareLineFeed : bareCarriageReturn
      readHeaderByte(byte)
      previous = byte
    }
    const rest = chunk.subarray(at)
    const bare = bareLineEnd(rest, previous)
    previous = rest.at(-1) ?? previous
    return bare ?? (received > RECEIVED_MAX_COUNT ? tooManyHops : null)
  }

  return {
    inspect: (chunk) => {
      bytes += chunk.length
      return (refused ??= check(chunk))
    },
    bytes: () => bytes,
  }
}
