/**
 * Parses the text of a search (`invoice from:acme -is:read "due on" OR overdue`) into a tree.
 *
 * Conditions that stand beside each other must all match. `OR` joins its two neighbours, and binds closer than that:
 * `a b OR c` is a mail with `a`, and with `b` or `c`. Words without a letter, a digit or an emoji say nothing and are
 * ignored, so that `R&D - plan` is three words.
 */
import { Array as Arr, Either, Schema } from "effect"
import { ThreadId } from "../ids.js"
import { type Instant, instantOf, isDateTime } from "../time.js"
import { type Piece, piecesOf, SearchProblem } from "./lexer.js"
import {
  type SearchCondition,
  type SearchField,
  searchedParts,
  searchedStates,
  searchFields,
  type SearchQuery,
} from "./SearchQuery.js"
import { isCharacter, tokensOf } from "./tokens.js"

/** UTF-16 units of a query. */
export const SEARCH_QUERY_MAX_LENGTH = 1000
/** Words, phrases and other conditions of a query. */
export const SEARCH_CONDITIONS_MAX = 50
/** Parentheses and negations inside each other. */
export const SEARCH_DEPTH_MAX = 10
/** Characters in front of a `*`: one alone would match a tenth of all words. */
export const SEARCH_PREFIX_MIN_LENGTH = 2

type Parsed<A> = Either.Either<A, SearchProblem>

const problem = (position: number, message: string): Parsed<never> =>
  Either.left(new SearchProblem({ position, message }))

const oneOf = <const A extends ReadonlyArray<string>>(
  accepted: A,
  name: string,
  text: string,
  position: number,
): Parsed<A[number]> => {
  const found = accepted.find((value) => value === text.toLowerCase())
  return found === undefined
    ? problem(position, `${name}: must be ${accepted.slice(0, -1).join(", ")} or ${accepted.at(-1)}`)
    : Either.right(found)
}

const dateOf = (name: string, text: string, position: number): Parsed<Instant> => {
  if (!isDateTime(text))
    return problem(position, `${name}: must be a date such as 2026-03-01, or a date and time in ISO 8601`)
  return Either.right(instantOf(text))
}

const SIZE = /^(\d{1,12}(?:\.\d{1,3})?)(b|kb?|mb?)?$/i
const UNITS: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 * 1024 }

const bytesOf = (name: string, text: string, position: number): Parsed<number> => {
  const [, amount, unit = "b"] = SIZE.exec(text) ?? []
  return amount === undefined
    ? problem(position, `${name}: must be a size such as 500k or 5M`)
    : Either.right(Math.floor(Number(amount) * (UNITS[unit[0]?.toLowerCase() ?? "b"] ?? 1)))
}

const isThreadId = Schema.is(ThreadId)

/** The conditions that are not on words, by their name. */
const facts: Readonly<Record<string, (text: string, position: number) => Parsed<SearchCondition>>> = {
  label: (label) => Either.right({ kind: "label", label }),
  thread: (text, position) =>
    isThreadId(text)
      ? Either.right({ kind: "thread", threadId: text })
      : problem(position, "thread: must be the id of a thread"),
  has: (text, position) =>
    Either.map(oneOf(searchedParts, "has", text, position), (part) => ({ kind: "has", part })),
  is: (text, position) =>
    Either.map(oneOf(searchedStates, "is", text, position), (state) => ({ kind: "is", state })),
  in: (text, position) =>
    Either.map(oneOf(["inbound", "outbound"], "in", text, position), (direction) => ({
      kind: "in",
      direction: direction === "inbound" ? "INBOUND" : "OUTBOUND",
    })),
  before: (text, position) => Either.map(dateOf("before", text, position), (at) => ({ kind: "before", at })),
  after: (text, position) => Either.map(dateOf("after", text, position), (at) => ({ kind: "after", at })),
  larger: (text, position) =>
    Either.map(bytesOf("larger", text, position), (bytes) => ({ kind: "larger", bytes })),
  smaller: (text, position) =>
    Either.map(bytesOf("smaller", text, position), (bytes) => ({ kind: "smaller", bytes })),
}

const names: ReadonlySet<string> = new Set([...searchFields, ...Object.keys(facts)])

const isField = (name: string): name is SearchField => searchFields.some((field) => field === name)

/** A word or a phrase. */
type TextPiece = Extract<Piece, { readonly text: string }>

/** Null: nothing to search for. */
type Found = SearchQuery | null

const joined = (kind: "and" | "or", parts: ReadonlyArray<SearchQuery>): Found => {
  const [first, ...rest] = parts
  if (first === undefined) return null
  return rest.length === 0 ? first : { kind, of: [first, ...rest] }
}

const textCondition = (piece: TextPiece, field: SearchField | null): Parsed<Found> => {
  const tokens = tokensOf(piece.text)
  if (!Arr.isNonEmptyReadonlyArray(tokens)) return Either.right(null)
  const last = Arr.lastNonEmpty(tokens)
  const isPrefix = piece.kind === "word" && piece.text.endsWith("*") && !isCharacter(last)
  return isPrefix && last.length < SEARCH_PREFIX_MIN_LENGTH
    ? problem(piece.position, `* needs at least ${SEARCH_PREFIX_MIN_LENGTH} letters in front of it`)
    : Either.right({ kind: "text", field, tokens, isPrefix })
}

/** Reads the pieces from the left to the right. */
class Parser {
  private next = 0
  private conditions = 0

  constructor(
    private readonly pieces: ReadonlyArray<Piece>,
    private readonly length: number,
  ) {}

  private peek(): Piece | undefined {
    return this.pieces[this.next]
  }

  /** Where the next piece begins; the end of the query behind the last. */
  private get position(): number {
    return this.peek()?.position ?? this.length
  }

  whole(): Parsed<SearchQuery> {
    return Either.flatMap(this.conjunction(null, 0), (found) => {
      if (this.peek() !== undefined) return problem(this.position, "this parenthesis was never opened")
      return found === null ? problem(0, "there is no word to search for") : Either.right(found)
    })
  }

  /** Up to a closing parenthesis or the end. `field` is the one whose parentheses these are. */
  private conjunction(field: SearchField | null, depth: number): Parsed<Found> {
    const parts: Array<SearchQuery> = []
    while (this.peek() !== undefined && this.peek()?.kind !== ")") {
      const part = this.disjunction(field, depth)
      if (Either.isLeft(part)) return part
      if (part.right !== null) parts.push(part.right)
      const after = this.peek()
      if (after?.kind === "AND") {
        this.next++
        if ((this.peek()?.kind ?? ")") === ")")
          return problem(after.position, "AND needs a condition behind it")
      }
    }
    return Either.right(joined("and", parts))
  }

  private disjunction(field: SearchField | null, depth: number): Parsed<Found> {
    const parts: Array<SearchQuery> = []
    for (;;) {
      const part = this.negation(field, depth)
      if (Either.isLeft(part)) return part
      if (part.right !== null) parts.push(part.right)
      if (this.peek()?.kind !== "OR") return Either.right(joined("or", parts))
      this.next++
    }
  }

  private negation(field: SearchField | null, depth: number): Parsed<Found> {
    if (this.peek()?.kind !== "-") return this.condition(field, depth)
    if (depth >= SEARCH_DEPTH_MAX) return this.tooDeep()
    this.next++
    return Either.map(this.negation(field, depth + 1), (of) => (of === null ? null : { kind: "not", of }))
  }

  private condition(field: SearchField | null, depth: number): Parsed<Found> {
    const piece = this.peek()
    if (piece === undefined) return problem(this.length, "a condition is missing at the end")
    this.next++
    if (piece.kind === "(") return this.group(piece, field, depth)
    if (piece.kind !== "name" && piece.kind !== "word" && piece.kind !== "phrase")
      return problem(piece.position, `a condition is missing in front of ${piece.kind}`)
    this.conditions++
    if (this.conditions > SEARCH_CONDITIONS_MAX)
      return problem(piece.position, `a query has at most ${SEARCH_CONDITIONS_MAX} conditions`)
    return piece.kind === "name"
      ? this.named(piece.name, piece.position, field, depth)
      : textCondition(piece, field)
  }

  private group(open: Piece, field: SearchField | null, depth: number): Parsed<Found> {
    if (depth >= SEARCH_DEPTH_MAX) return this.tooDeep()
    return Either.flatMap(this.conjunction(field, depth + 1), (found) => {
      if (this.peek()?.kind !== ")") return problem(open.position, "this parenthesis is never closed")
      this.next++
      return Either.right(found)
    })
  }

  private named(name: string, at: number, outer: SearchField | null, depth: number): Parsed<Found> {
    if (outer !== null) return problem(at, `${name}: cannot stand inside the parentheses of ${outer}:`)
    const value = this.peek()
    if (isField(name) && value?.kind === "(") {
      this.next++
      return this.group(value, name, depth)
    }
    if (value === undefined || (value.kind !== "word" && value.kind !== "phrase") || value.text === "")
      return problem(at, `${name}: needs a value`)
    this.next++
    if (!isField(name)) return facts[name]?.(value.text, value.position) ?? Either.right(null)
    return Either.flatMap(textCondition(value, name), (found) =>
      found === null ? problem(value.position, `${name}: needs a word`) : Either.right(found),
    )
  }

  private tooDeep(): Parsed<never> {
    return problem(this.position, `parentheses and negations go at most ${SEARCH_DEPTH_MAX} deep`)
  }
}

/** The tree of a query, or what is wrong with it and where. Takes time linear in the length of the query. */
export const parseSearchQuery = (text: string): Parsed<SearchQuery> => {
  if (text.length > SEARCH_QUERY_MAX_LENGTH)
    return problem(SEARCH_QUERY_MAX_LENGTH, `a query has at most ${SEARCH_QUERY_MAX_LENGTH} characters`)
  const pieces = piecesOf(text, names)
  return pieces instanceof SearchProblem ? Either.left(pieces) : new Parser(pieces, text.length).whole()
}
