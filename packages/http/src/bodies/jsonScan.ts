/**
 * Scans the bytes of a body while they come in. In O(bytes), with a few bytes of state, it finds a body with more values
 * than its endpoint takes, so that reading stops and no parser sees the body.
 */
import { JSON_MAX_DEPTH, JSON_VALUE_MAX_BYTES } from "./limits.js"

/** Scans the next bytes. Returns what is wrong with the body, as a text for its sender; null while nothing is. */
export type BodyScan = (chunk: Uint8Array) => string | null

const QUOTE = 0x22
const AMPERSAND = 0x26
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/**
 * Bounds the values of a JSON text, its nesting, and the bytes outside of its strings, such as blanks and numbers of a
 * million digits. The parser finds out whether the text is JSON.
 */
export const jsonScan = (maxValues: number): BodyScan => {
  const maxOutside = maxValues * JSON_VALUE_MAX_BYTES
  let values = 1
  let depth = 0
  let outside = 0
  let inString = false
  /** inside a string, right after the backslash of an escape */
  let escaping = false

  /** Skips a string with escapes byte by byte. Returns the position after it, or the length of the chunk. */
  const skipEscapes = (chunk: Uint8Array, start: number): number => {
    let at = escaping ? start + 1 : start
    for (; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) {
        inString = false
        escaping = false
        return at + 1
      }
    }
    escaping = at > chunk.length
    return chunk.length
  }

  /** Skips a string. Returns the position after it, or the length of the chunk. A file in base64 takes one native search. */
  const skipString = (chunk: Uint8Array, start: number): number => {
    const quote = chunk.indexOf(QUOTE, start)
    const end = quote === -1 ? chunk.length : quote
    if (escaping || chunk.subarray(start, end).includes(BACKSLASH)) return skipEscapes(chunk, start)
    inString = quote === -1
    return quote === -1 ? end : quote + 1
  }

  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (inString) {
        at = skipString(chunk, at)
        continue
      }
      switch (chunk[at]) {
        case QUOTE:
          inString = true
          break
        case OPENING_BRACE:
        case OPENING_BRACKET:
          values++
          depth++
          break
        case CLOSING_BRACE:
        case CLOSING_BRACKET:
          depth--
          break
        case COMMA:
          values++
          break
      }
      if (depth > JSON_MAX_DEPTH) return `the body is nested deeper than ${JSON_MAX_DEPTH} levels`
      if (values > maxValues) return `the body has more than ${maxValues} values`
      if (++outside > maxOutside) return `the body has more than ${maxOutside} bytes outside of its strings`
      at++
    }
    return null
  }
}

/** Bounds the fields of an urlencoded form. */
export const formScan = (maxFields: number): BodyScan => {
  let fields = 1
  return (chunk) => {
    for (let next = chunk.indexOf(AMPERSAND); next !== -1; next = chunk.indexOf(AMPERSAND, next + 1))
      if (++fields > maxFields) return `the form has more than ${maxFields} fields`
    return null
  }
}

/** Scans nothing: only the size of the body is bounded. */
export const noScan: BodyScan = () => null
