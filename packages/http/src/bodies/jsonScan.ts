/**
 * A look at the bytes of a body while they come in. It tells in O(bytes), with a few bytes of state, that a body has more
 * values than its endpoint takes, so that reading stops there and no parser ever sees it.
 */
import { JSON_MAX_DEPTH } from "./limits.js"

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

/** The number of backslashes right before `end`, not looking before `start`. */
const backslashesBefore = (chunk: Uint8Array, start: number, end: number): number => {
  let first = end
  while (first > start && chunk[first - 1] === BACKSLASH) first--
  return end - first
}

/**
 * Counts the values of a JSON text and its nesting, by its brackets and commas outside of strings. Whether the text is
 * JSON is left to the parser.
 */
export const jsonScan = (maxValues: number): BodyScan => {
  const tooMany = `the body has more than ${maxValues} values`
  const tooDeep = `the body is nested deeper than ${JSON_MAX_DEPTH} levels`
  let values = 1
  let depth = 0
  let inString = false
  /** inside a string, right after a backslash that escapes what follows */
  let escaping = false

  /** Goes on inside a string, to behind its end or to the end of the chunk. */
  const skipString = (chunk: Uint8Array, start: number): number => {
    const quote = chunk.indexOf(QUOTE, start)
    const end = quote === -1 ? chunk.length : quote
    const backslashes = backslashesBefore(chunk, start, end)
    const carried = escaping && backslashes === end - start ? 1 : 0
    const isEscaped = (backslashes + carried) % 2 === 1
    escaping = quote === -1 && isEscaped
    inString = quote === -1 || isEscaped
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
      if (depth > JSON_MAX_DEPTH) return tooDeep
      if (values > maxValues) return tooMany
      at++
    }
    return null
  }
}

/** Counts the fields of an urlencoded form. */
export const formScan = (maxFields: number): BodyScan => {
  const tooMany = `the form has more than ${maxFields} fields`
  let fields = 1
  return (chunk) => {
    let next = chunk.indexOf(AMPERSAND)
    while (next !== -1) {
      if (++fields > maxFields) return tooMany
      next = chunk.indexOf(AMPERSAND, next + 1)
    }
    return null
  }
}

/** A body of which nothing is looked at but its size. */
export const noScan: BodyScan = () => null
