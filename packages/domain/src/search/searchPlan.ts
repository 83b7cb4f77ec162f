/** How an index answers a search query: the part that its words decide, and the conditions that are left. */
import { Array as Arr } from "effect"
import type { SearchQuery, TextCondition } from "./SearchQuery.js"

/** A condition on words alone, of the form that every index can look up: each exclusion stands beside something to find. */
export type IndexQuery =
  | TextCondition
  | { readonly kind: "or"; readonly of: Arr.NonEmptyReadonlyArray<IndexQuery> }
  | {
      readonly kind: "and"
      readonly of: Arr.NonEmptyReadonlyArray<IndexQuery>
      readonly except: ReadonlyArray<IndexQuery>
    }

export interface SearchPlan {
  /** matches every message that the query matches, and perhaps more; null: no word narrows the query */
  readonly words: IndexQuery | null
  /** conditions that `words` does not decide, on what never changes; the query is all of them, `words` and `onState` */
  readonly onContent: ReadonlyArray<SearchQuery>
  /** the same, with conditions on what may change: labels, thread, read mark */
  readonly onState: ReadonlyArray<SearchQuery>
}

const all = (of: ReadonlyArray<IndexQuery>, except: ReadonlyArray<IndexQuery>): IndexQuery | null => {
  if (!Arr.isNonEmptyReadonlyArray(of)) return null
  return of.length === 1 && except.length === 0 ? of[0] : { kind: "and", of, except }
}

const any = (of: ReadonlyArray<IndexQuery>): IndexQuery | null => {
  if (!Arr.isNonEmptyReadonlyArray(of)) return null
  return of.length === 1 ? of[0] : { kind: "or", of }
}

const conjuncts = (query: SearchQuery): ReadonlyArray<SearchQuery> =>
  query.kind === "and" ? query.of.flatMap(conjuncts) : [query]

/** The same query for an index; null when it has other conditions than words, or an exclusion by itself. */
const exact = (query: SearchQuery): IndexQuery | null => {
  switch (query.kind) {
    case "text":
      return query
    case "or": {
      const parts = query.of.flatMap((part) => exact(part) ?? [])
      return parts.length === query.of.length ? any(parts) : null
    }
    case "and": {
      const found: Array<IndexQuery> = []
      const except: Array<IndexQuery> = []
      for (const part of conjuncts(query)) {
        const isExcluded = part.kind === "not"
        const words = exact(isExcluded ? part.of : part)
        if (words === null) return null
        ;(isExcluded ? except : found).push(words)
      }
      return all(found, except)
    }
    default:
      return null
  }
}

/** A query for an index that matches all that `query` matches, and perhaps more; null: everything. */
const necessary = (query: SearchQuery): IndexQuery | null => {
  const same = exact(query)
  if (same !== null) return same
  switch (query.kind) {
    case "and":
      return all(
        query.of.flatMap((part) => necessary(part) ?? []),
        [],
      )
    case "or": {
      const parts = query.of.flatMap((part) => necessary(part) ?? [])
      return parts.length === query.of.length ? any(parts) : null
    }
    default:
      return null
  }
}

const isOnState = (query: SearchQuery): boolean => {
  switch (query.kind) {
    case "and":
    case "or":
      return query.of.some(isOnState)
    case "not":
      return isOnState(query.of)
    case "label":
    case "thread":
      return true
    case "is":
      return query.state !== "automated"
    default:
      return false
  }
}

export const searchPlan = (query: SearchQuery): SearchPlan => {
  const words: Array<IndexQuery> = []
  const excluded: Array<{ readonly query: SearchQuery; readonly words: IndexQuery }> = []
  const left: Array<SearchQuery> = []
  for (const part of conjuncts(query)) {
    const same = exact(part)
    const without = part.kind === "not" ? exact(part.of) : null
    if (same !== null) words.push(same)
    else if (without !== null) excluded.push({ query: part, words: without })
    else {
      const wider = necessary(part)
      if (wider !== null) words.push(wider)
      left.push(part)
    }
  }
  const hasWords = words.length > 0
  const rest = hasWords ? left : [...left, ...excluded.map((one) => one.query)]
  return {
    words: all(
      words,
      excluded.map((one) => one.words),
    ),
    onContent: rest.filter((part) => !isOnState(part)),
    onState: rest.filter(isOnState),
  }
}

/** Finds what `query` finds, whatever the order of words: a phrase is only its words. What it excludes stays. */
export const withoutOrder = (query: IndexQuery): IndexQuery => {
  switch (query.kind) {
    case "text":
      return query.tokens.length === 1
        ? query
        : {
            kind: "and",
            of: Arr.map(query.tokens, (token, index): IndexQuery => ({
              kind: "text",
              field: query.field,
              tokens: [token],
              isPrefix: query.isPrefix && index === query.tokens.length - 1,
            })),
            except: [],
          }
    case "or":
      return { kind: "or", of: Arr.map(query.of, withoutOrder) }
    case "and":
      return {
        kind: "and",
        of: Arr.map(query.of, withoutOrder),
        except: query.except,
      }
  }
}

/** Whether a part of the query depends on the order of words. */
export const hasPhrase = (query: IndexQuery): boolean => {
  switch (query.kind) {
    case "text":
      return query.tokens.length > 1
    case "or":
      return query.of.some(hasPhrase)
    case "and":
      return query.of.some(hasPhrase) || query.except.some(hasPhrase)
  }
}

/** The number of tokens of a query, which its cost grows with. */
export const tokenCount = (query: SearchQuery): number => {
  switch (query.kind) {
    case "text":
      return query.tokens.length
    case "and":
    case "or":
      return query.of.reduce((sum, part) => sum + tokenCount(part), 0)
    case "not":
      return tokenCount(query.of)
    default:
      return 0
  }
}
