/** The order by relevance: which messages are compared, and how a message is scored. */
import { Array as Arr } from "effect"
import { truncated } from "../unicode.js"
import { DAY } from "../durations.js"
import type { Instant } from "../time.js"
import { endsAt, wordsIn, wordsOf } from "./matches.js"
import { type SearchableContent, searchedTexts } from "./searchableText.js"
import { type SearchField, searchFields, type SearchQuery, type TextCondition } from "./SearchQuery.js"
import { tokensOf } from "./tokens.js"
import type { HeaderMap } from "../messages/Message.js"

/**
 * Messages of each form of the query that are compared, the newest ones. So relevance costs the same in any amount of mail.
 */
export const RANKED_OF_EACH_FORM = 100
/** UTF-16 units of the text of a mail that count for its score. */
export const SCORED_BODY_MAX_LENGTH = 4_000

const WEIGHTS: Readonly<Record<SearchField, number>> = {
  subject: 8,
  from: 4,
  filename: 4,
  body: 2,
  to: 2,
  cc: 1,
}
/** For all words of the query as one phrase, in these fields. */
const PHRASE: Partial<Readonly<Record<SearchField, number>>> = { subject: 6, body: 3 }
/** For a subject that consists of the words of the query; less, the more other words it has. */
const WHOLE_SUBJECT = 4
/** For each further occurrence of a word in the text, up to five. */
const REPEATED = 0.2
/** For a message of this moment; half of it after 30 days. */
const NEW = 3

/** Free words: those that the query asks for in any field. */
const freeWords = (query: SearchQuery): ReadonlyArray<TextCondition> =>
  wordsOf(query).filter(({ field }) => field === null)

/** All free words of a query in their order; null for fewer than two, or when one is a prefix that others follow. */
const phraseOf = (query: SearchQuery): TextCondition | null => {
  const words = freeWords(query)
  const tokens = words.flatMap((word) => [...word.tokens])
  return words.length < 2 ||
    words.slice(0, -1).some(({ isPrefix }) => isPrefix) ||
    !Arr.isNonEmptyArray(tokens)
    ? null
    : { kind: "text", field: null, tokens, isPrefix: words.at(-1)?.isPrefix ?? false }
}

/** The query, and stricter forms of it whose matches are likely the best: the words in the subject, and as one phrase. */
export const rankedForms = (query: SearchQuery): Arr.NonEmptyReadonlyArray<SearchQuery> => {
  const words = freeWords(query)
  const phrase = phraseOf(query)
  const inSubject = words.map((word): SearchQuery => ({ ...word, field: "subject" }))
  return [
    query,
    ...(inSubject.length === 0 ? [] : [{ kind: "and" as const, of: Arr.append(inSubject, query) }]),
    ...(phrase === null ? [] : [{ kind: "and" as const, of: [phrase, query] as const }]),
  ]
}

/** How many tokens end a match, at most `limit`. */
const occurrences = (tokens: ReadonlyArray<string>, condition: TextCondition, limit: number): number => {
  let count = 0
  for (let last = 0; last < tokens.length && count < limit; last++)
    if (endsAt(tokens, condition, last)) count += 1
  return count
}

/** A message to score. */
export interface ScoredMessage {
  readonly content: SearchableContent
  readonly headers: HeaderMap
  readonly createdAt: Instant
}

/** The score of a message that matches, compared with others at the same time `now`. Higher is better. */
export const relevanceOf = (query: SearchQuery, message: ScoredMessage, now: Instant): number => {
  const texts = searchedTexts(message.content, message.headers)
  const tokens = new Map(
    searchFields.map((field) => [field, tokensOf(truncated(texts[field], SCORED_BODY_MAX_LENGTH))]),
  )
  const words = wordsOf(query)
  const phrase = phraseOf(query)
  let score = NEW / (1 + Math.max(0, now - message.createdAt) / (30 * DAY))
  for (const field of searchFields) {
    const found = tokens.get(field) ?? []
    for (const word of wordsIn(field, words)) {
      const count = occurrences(found, word, 6)
      if (count > 0) score += WEIGHTS[field] + (field === "body" ? REPEATED * (count - 1) : 0)
    }
    if (phrase !== null && occurrences(found, phrase, 1) > 0) score += PHRASE[field] ?? 0
  }
  const subject = tokens.get("subject") ?? []
  const free = freeWords(query)
  if (free.length > 0 && free.every((word) => occurrences(subject, word, 1) > 0))
    score += WHOLE_SUBJECT * Math.min(1, free.flatMap((word) => word.tokens).length / subject.length)
  return score
}
