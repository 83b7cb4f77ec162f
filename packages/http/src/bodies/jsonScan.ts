/**
 * A look at the bytes of a body while they come in. It tells in O(bytes), with a few bytes of state, that a body has more
 * in it than its endpoint takes, so that reading stops there and no parser ever sees it.
 */
import { JSON_MAX_DEPTH, JSON_VALUE_MAX_BYTES } from "./limits.js"

/** Looks at the next bytes. Returns what is wrong with the body, for its sender; null as long as nothing is. */
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
 * Bounds the values of a JSON text, its nesting, and the bytes outside of its strings: numbers of a million digits, and
 * blanks. Whether the text is JSON is left to the parser.
 */
export const jsonScan = (maxValues: number): BodyScan => {
  const maxOutside = maxValues * JSON_VALUE_MAX_BYTES
  let values = 1
  let depth = 0
  let outside = 0
  let inString = false
  /** inside a string, right after the backslash of an escape */
  let escaping = false

  /** Goes on inside a string with escapes, byte by byte, to behind its end or to the end of the chunk. */
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

  /** Goes on inside a string: returns where it ends, or the length of the chunk. A file as base64 is one native search. */
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

/** A body of which nothing is looked at but its size. */
export const noScan: BodyScan = () => null
