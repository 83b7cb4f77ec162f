/** Where the words of a query are in a text. */
import type { SearchField, SearchQuery, TextCondition } from "./SearchQuery.js"
import { SPACELESS, tokensOf } from "./tokens.js"

/** The conditions on words that a match makes true: those that are not excluded. */
export const wordsOf = (query: SearchQuery): ReadonlyArray<TextCondition> => {
  switch (query.kind) {
    case "text":
      return [query]
    case "and":
    case "or":
      return query.of.flatMap(wordsOf)
    default:
      return []
  }
}

/** The conditions that words in this field can make true. */
export const wordsIn = (field: SearchField, conditions: ReadonlyArray<TextCondition>) =>
  conditions.filter((condition) => condition.field === null || condition.field === field)

/** Whether the tokens of the condition end at `last`. */
export const endsAt = (tokens: ReadonlyArray<string>, condition: TextCondition, last: number): boolean => {
  const start = last - condition.tokens.length + 1
  return (
    start >= 0 &&
    condition.tokens.every((token, index) => {
      const found = tokens[start + index]
      return condition.isPrefix && index === condition.tokens.length - 1
        ? found !== undefined && found.startsWith(token)
        : found === token
    })
  )
}

/** A part of a text that is one word, or one character of a script without spaces. */
const PIECE = new RegExp(
  [
    `[${SPACELESS}]\\p{M}*`,
    "[\\p{Extended_Pictographic}\\p{Regional_Indicator}]",
    `(?:(?![${SPACELESS}])[\\p{L}\\p{N}\\p{M}\\u00ad\\u200b-\\u200f\\u2060-\\u2064])+`,
  ].join("|"),
  "gu",
)

/** A range of UTF-16 units. */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * The ranges of `text` that match one of the conditions, in their order and apart from each other. Reads up to `enough`
 * UTF-16 units behind the start of the first.
 */
export const rangesIn = (
  text: string,
  conditions: ReadonlyArray<TextCondition>,
  enough: number,
): ReadonlyArray<Range> => {
  const tokens: Array<string> = []
  const pieces: Array<Range> = []
  const ranges: Array<Range> = []
  if (conditions.length === 0) return ranges
  for (const piece of text.matchAll(PIECE)) {
    const [first] = ranges
    if (first !== undefined && piece.index > first.start + enough) break
    for (const token of tokensOf(piece[0])) {
      tokens.push(token)
      pieces.push({ start: piece.index, end: piece.index + piece[0].length })
      const last = tokens.length - 1
      const lengths = conditions
        .filter((condition) => endsAt(tokens, condition, last))
        .map((condition) => condition.tokens.length)
      if (lengths.length === 0) continue
      let start = pieces[last - Math.max(...lengths) + 1]?.start ?? piece.index
      // A longer match takes in the shorter ones that it covers.
      for (let before = ranges.at(-1); before !== undefined && before.end > start; before = ranges.at(-1)) {
        start = Math.min(start, before.start)
        ranges.pop()
      }
      ranges.push({ start, end: piece.index + piece[0].length })
    }
  }
  return ranges
}
