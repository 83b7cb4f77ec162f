/** The pieces of a search query's text, each with its position. */
import { Data } from "effect"

/** Why a query does not parse, for the one who wrote it. */
export class SearchProblem extends Data.TaggedError("SearchProblem")<{
  /** UTF-16 units from the start of the query */
  readonly position: number
  readonly message: string
}> {}

export type Piece = { readonly position: number } & (
  | { readonly kind: "(" | ")" | "-" | "OR" | "AND" }
  /** `from:` and what else ends in a colon and is a known name; the value is the piece that follows */
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "phrase"; readonly text: string }
  | { readonly kind: "word"; readonly text: string }
)

const SPACE = /\s+/y
/** Up to a space, a parenthesis or a quote. */
const WORD = /[^\s()"]+/y
const NAME = /([a-z]+):/iy

/** Phones and word processors put these in the place of `"`. */
const CURLY_QUOTES = /[“”„‟]/g

const matchAt = (pattern: RegExp, text: string, position: number): RegExpExecArray | null => {
  pattern.lastIndex = position
  return pattern.exec(text)
}

/** A piece, and where it ends. */
type PieceAndEnd = readonly [Piece, number]

/** The operators and names that may stand in front of a word: after them the same word goes on. */
const pieceOfWord = (text: string, position: number, names: ReadonlySet<string>): PieceAndEnd | null => {
  if (text[position] === "-" && /\S/.test(text[position + 1] ?? ""))
    return [{ kind: "-", position }, position + 1]
  const name = matchAt(NAME, text, position)?.[1]?.toLowerCase()
  return name !== undefined && names.has(name)
    ? [{ kind: "name", name, position }, position + name.length + 1]
    : null
}

/**
 * The pieces of a query in their order. A hyphen is "not" directly in front of something; a colon ends a name only behind one of
 * `names`, so that `12:30` and `https://acme.dev` are words. Throws nothing: an open quote is the one problem there is.
 */
export const piecesOf = (
  written: string,
  names: ReadonlySet<string>,
): ReadonlyArray<Piece> | SearchProblem => {
  const text = written.replace(CURLY_QUOTES, '"')
  const pieces: Array<Piece> = []
  let position = 0
  let isInsideWord = false
  while (position < text.length) {
    const space = matchAt(SPACE, text, position)
    if (space !== null) {
      position += space[0].length
      isInsideWord = false
      continue
    }
    const char = text[position]
    if (char === "(" || char === ")") {
      pieces.push({ kind: char, position })
      position++
      isInsideWord = false
      continue
    }
    if (char === '"') {
      const end = text.indexOf('"', position + 1)
      if (end === -1) return new SearchProblem({ position, message: "this quote is never closed" })
      pieces.push({ kind: "phrase", text: text.slice(position + 1, end), position })
      position = end + 1
      isInsideWord = false
      continue
    }
    const prefixed: PieceAndEnd | null = isInsideWord ? null : pieceOfWord(text, position, names)
    if (prefixed !== null) {
      pieces.push(prefixed[0])
      position = prefixed[1]
      // `from:-x` is the word `-x`; `-from:x` is the negation of a name.
      isInsideWord = prefixed[0].kind === "name"
      continue
    }
    const word = matchAt(WORD, text, position)?.[0] ?? ""
    pieces.push(
      word === "OR" || word === "AND" ? { kind: word, position } : { kind: "word", text: word, position },
    )
    position += word.length
    isInsideWord = false
  }
  return pieces
}
