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
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if ((byte === LF) !== (previous === CR)) return byte === LF ? bareLineFeed : bareCarriageReturn
      if (inHeader) readHeaderByte(byte)
      previous = byte
    }
    return received > RECEIVED_MAX_COUNT ? tooManyHops : null
  }

  return {
    inspect: (chunk) => {
      bytes += chunk.length
      return (refused ??= check(chunk))
    },
    bytes: () => bytes,
  }
}
