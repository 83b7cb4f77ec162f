/**
 * Reads the data of a DATA command from chunks that are split anywhere: finds its end, removes stuffed dots
 * (RFC 5321 §4.5.2), and checks line ends, size and number of hops. Copies nothing; compacts a chunk with stuffed dots in
 * place. Of a refused message only the end is searched.
 */
import { MESSAGE_MAX_BYTES, RECEIVED_MAX_COUNT } from "@mailroom/domain"
import { bareCarriageReturn, bareLineFeed, type Reply, tooLarge, tooManyHops } from "./replies.js"

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e
const TO_LOWER = 0x20
const receivedField = Buffer.from("received:")
/** a line end, and the dot that begins the next line */
const lineWithDot = Buffer.from("\r\n.")

/** The state after the last byte. Only a CRLF leads to `lineStart`, so only `CRLF . CRLF` ends a message. */
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
   * Reads `chunk` from offset `start`. Returns the offset after the end of the message, or -1 when it goes on. Changes the
   * chunk when it removes dots.
   */
  readonly read: (chunk: Buffer, start: number) => number
  /** the bytes of the message in the last chunk: a view of it */
  readonly content: () => Buffer
  /** bytes of the message so far, refused or not */
  readonly bytes: () => number
  /** why the message is refused; the first reason stays */
  readonly refusal: () => Reply | null
  /** whether the client goes on for more than the largest size after the message is refused */
  readonly isEndless: () => boolean
}

export const makeMessageReader = (): MessageReader => {
  let position: Position = "lineStart"
  let refusal: Reply | null = null
  let bytes = 0
  /** bytes since the message is refused */
  let refusedBytes = 0
  let content: Buffer = Buffer.alloc(0)
  let inHeader = true
  /** bytes of `Received:` that the header line has matched; -1 when it is another field */
  let matched = 0
  /** whether the header line has no bytes so far */
  let isBlank = true
  let hops = 0

  const refuse = (reply: Reply): void => {
    refusal ??= reply
  }

  const endLine = (): void => {
    position = "lineStart"
    if (inHeader && isBlank) inHeader = false
    matched = 0
    isBlank = true
  }

  /** Counts hops. Takes a line of the header, or a part of one, without its line end. */
  const readHeaderLine = (chunk: Buffer, from: number, to: number): void => {
    if (to > from) isBlank = false
    for (let at = from; at < to && matched >= 0 && matched < receivedField.length; at++)
      matched = ((chunk[at] ?? 0) | TO_LOWER) === receivedField[matched] ? matched + 1 : -1
    if (matched !== receivedField.length) return
    matched = -1
    hops++
    if (hops > RECEIVED_MAX_COUNT) refuse(tooManyHops)
  }

  /** Skips lines of a refused message. Returns the offset of the next one that begins with a dot, or the length of the chunk. */
  const skipLines = (chunk: Buffer, at: number): number => {
    const found = chunk.indexOf(lineWithDot, at)
    const end = found === -1 ? chunk.length : found + 2
    if (chunk[end - 1] === CR) position = "carriageReturn"
    else position = end - 2 >= at && chunk[end - 2] === CR && chunk[end - 1] === LF ? "lineStart" : "inLine"
    return end
  }

  /** Reads from `at` within a line. Returns the offset after its LF, or the length of the chunk. */
  const readLine = (chunk: Buffer, at: number): number => {
    if (refusal !== null) return skipLines(chunk, at)
    const feed = chunk.indexOf(LF, at)
    const end = feed === -1 ? chunk.length : feed
    const carriage = chunk.indexOf(CR, at)
    if (carriage === -1 || carriage >= end) {
      if (feed !== -1) refuse(bareLineFeed)
    } else if (carriage !== end - 1) {
      // The message is refused, so the bytes after the bare CR need no checks.
      refuse(bareCarriageReturn)
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
    /** offset for the next byte to keep, and offset of the first kept byte that was not moved yet */
    let write = start
    let kept = start
    let end = -1
    /** Keeps the bytes up to `until`, and skips those up to `from`. */
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
            // Skipped at once: its LF may be in the next chunk. Without an LF the message is refused.
            skip(at, at + 1)
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
    if (refusal !== null) refusedBytes += content.length
    return end
  }

  return {
    read,
    content: () => content,
    bytes: () => bytes,
    refusal: () => refusal,
    isEndless: () => refusedBytes > MESSAGE_MAX_BYTES,
  }
}
