/**
 * Reads the content of a DATA command (RFC 5321 §4.5.2) from chunks that are split anywhere: finds its end, removes the
 * dots that the client stuffed, and checks line ends, size and number of hops. Works on bytes and makes no copy; a chunk
 * with stuffed dots is compacted in place.
 */
import { MESSAGE_MAX_BYTES, RECEIVED_MAX_COUNT } from "@mailroom/domain"
import { bareCarriageReturn, bareLineFeed, type Reply, tooLarge, tooManyHops } from "./replies.js"

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e
const TO_LOWER = 0x20
const receivedField = Buffer.from("received:")

/** What the last byte was part of. Only a CRLF leads to `lineStart`, so only `CRLF . CRLF` ends a message. */
type Position =
  | "lineStart"
  | "inLine"
  /** after a CR that needs its LF */
  | "carriageReturn"
  /** after a dot at the start of a line: stuffed, or the end */
  | "dot"
  /** after such a dot and a CR */
  | "dotCarriageReturn"

export interface MessageReader {
  /**
   * Reads `chunk` from offset `start` on. Returns the offset behind the end of the message, or -1 when it goes on.
   * Changes the chunk's bytes when dots are removed.
   */
  readonly read: (chunk: Buffer, start: number) => number
  /** the message's bytes in what was read last; a part of the chunk */
  readonly content: () => Buffer
  /** bytes of the message so far, refused or not */
  readonly bytes: () => number
  /** why the message is refused; the first reason stays */
  readonly refusal: () => Reply | null
}

export const makeMessageReader = (): MessageReader => {
  let position: Position = "lineStart"
  let refusal: Reply | null = null
  let bytes = 0
  let content: Buffer = Buffer.alloc(0)
  let inHeader = true
  /** Of the header line: how many bytes spell `Received:` so far; -1 once it is another field. */
  let spelled = 0
  /** whether the header line has no bytes so far */
  let isBlank = true
  let hops = 0

  const refuse = (reply: Reply): void => {
    refusal ??= reply
  }

  const endLine = (): void => {
    position = "lineStart"
    if (inHeader && isBlank) inHeader = false
    spelled = 0
    isBlank = true
  }

  /** Looks at the bytes of one line, or a part of it, without its line end. */
  const readHeaderLine = (chunk: Buffer, from: number, to: number): void => {
    if (to > from) isBlank = false
    for (let at = from; at < to && spelled >= 0 && spelled < receivedField.length; at++)
      spelled = ((chunk[at] ?? 0) | TO_LOWER) === receivedField[spelled] ? spelled + 1 : -1
    if (spelled !== receivedField.length) return
    spelled = -1
    hops++
    if (hops > RECEIVED_MAX_COUNT) refuse(tooManyHops)
  }

  /** Reads on within a line, from `at` to behind its LF or the end of the chunk. */
  const readLine = (chunk: Buffer, at: number): number => {
    const feed = chunk.indexOf(LF, at)
    const end = feed === -1 ? chunk.length : feed
    const carriage = chunk.indexOf(CR, at)
    if (carriage === -1 || carriage >= end) {
      if (feed !== -1) refuse(bareLineFeed)
    } else if (carriage !== end - 1) {
      // The bytes behind a bare CR are a part of the line. It is refused, so they need not be looked at.
      refuse(bareCarriageReturn)
      if (feed !== -1 && chunk[feed - 1] !== CR) refuse(bareLineFeed)
    }
    if (inHeader) readHeaderLine(chunk, at, carriage === -1 ? end : Math.min(carriage, end))
    if (feed === -1) {
      position = chunk[end - 1] === CR ? "carriageReturn" : "inLine"
      return end
    }
    if (feed > at && chunk[feed - 1] === CR) endLine()
    else position = "inLine"
    return feed + 1
  }

  const read = (chunk: Buffer, start: number): number => {
    /** where the next byte to keep goes, and from where bytes are kept that were not moved yet */
    let write = start
    let kept = start
    let end = -1
    /** Keeps what was read up to `until`, and goes on keeping from `from`. */
    const skip = (until: number, from: number): void => {
      if (write !== kept) chunk.copyWithin(write, kept, until)
      write += until - kept
      kept = from
    }

    let at = start
    while (at < chunk.length) {
      switch (position) {
        case "lineStart":
          if (chunk[at] === DOT) {
            skip(at, at + 1)
            at++
            position = "dot"
          } else at = readLine(chunk, at)
          break
        case "inLine":
          at = readLine(chunk, at)
          break
        case "carriageReturn":
          if (chunk[at] === LF) {
            at++
            endLine()
          } else {
            refuse(bareCarriageReturn)
            position = "inLine"
          }
          break
        case "dot":
          if (chunk[at] === CR) {
            at++
            position = "dotCarriageReturn"
          } else position = "inLine"
          break
        case "dotCarriageReturn":
          if (chunk[at] === LF) {
            end = at + 1
            kept = end
            at = chunk.length
          } else {
            refuse(bareCarriageReturn)
            position = "inLine"
          }
          break
      }
    }
    if (end === -1) skip(chunk.length, chunk.length)
    content = chunk.subarray(start, write)
    bytes += content.length
    if (bytes > MESSAGE_MAX_BYTES) refuse(tooLarge)
    return end
  }

  return { read, content: () => content, bytes: () => bytes, refusal: () => refusal }
}
