/**
 * The words of the search index in a `tsvector` of Postgres. It holds at most 16,383 positions, 255 for each word, and
 * 1 MB. A document beyond that is incomplete: it has a marker beside its words, by which a query finds it whenever it
 * might match. Its stored text is evaluated when the words and positions that are stored do not decide.
 */
import type { SqlClient } from "@effect/sql"
import {
  hasPhrase,
  type IndexQuery,
  type MailboxId,
  type SearchField,
  searchFields,
  type TextCondition,
  withoutOrder,
} from "@mailroom/domain"
import { Effect } from "effect"
import { insertValues } from "../database/batches.js"
import { run } from "../database/Table.js"
import {
  DOCUMENT_COLUMNS,
  documentValues,
  type IndexedDocument,
  tokenPrefix,
  type WordIndex,
} from "./WordIndex.js"

/** The highest position that Postgres keeps as it is; higher ones become this one. */
const POSITION_MAX = 16_382
/** Positions of one word in one field. */
const POSITIONS_OF_WORD = 255
/** Bytes of all words with their positions; Postgres takes 1,048,575. */
const VECTOR_MAX_BYTES = 1_000_000

const kindOf: Readonly<Record<SearchField, "s" | "t" | "u" | "v" | "w" | "x">> = {
  subject: "s",
  to: "t",
  cc: "u",
  from: "v",
  body: "w",
  filename: "x",
}

/** Marks documents that lack positions, and documents that lack words. */
const lacking = { order: "p", words: "w" } as const

const marker = (what: keyof typeof lacking, segment: number): string =>
  `'${tokenPrefix(segment, "y")}${lacking[what]}'`

const mailboxLexeme = (mailbox: MailboxId, segment: number): string =>
  `'${tokenPrefix(segment, "z")}${mailbox}'`

/** The text of a `tsvector`, and whether it lacks words or positions of the document. */
export const vectorOf = ({
  tokens,
  segmentId,
  mailboxId,
}: Pick<IndexedDocument, "tokens" | "segmentId" | "mailboxId">): {
  readonly vector: string
  readonly isIncomplete: boolean
} => {
  let lacksOrder = false
  let lacksWords = false
  let bytes = 0
  const entries: Array<string> = []
  // The text comes last: when there are too many words, it is the text that lacks some.
  for (const field of ["subject", "from", "to", "cc", "filename", "body"] as const) {
    const prefix = tokenPrefix(segmentId, kindOf[field])
    const positions = new Map<string, Array<number>>()
    for (const [index, token] of tokens[field].entries()) {
      const known = positions.get(token)
      const at = known ?? []
      if (known === undefined) positions.set(token, at)
      if (index < POSITION_MAX && at.length < POSITIONS_OF_WORD) at.push(index + 1)
      else lacksOrder = true
    }
    for (const [token, at] of positions) {
      // Postgres aligns positions to two bytes and counts them in two more.
      bytes += Buffer.byteLength(token) + prefix.length + 3 + 2 * at.length
      if (bytes > VECTOR_MAX_BYTES) {
        lacksWords = true
        break
      }
      entries.push(`'${prefix}${token}'${at.length === 0 ? "" : `:${at.join(",")}`}`)
    }
  }
  const markers = [
    mailboxLexeme(mailboxId, segmentId),
    ...(lacksOrder ? [marker("order", segmentId)] : []),
    ...(lacksWords ? [marker("words", segmentId)] : []),
  ]
  return { vector: [...markers, ...entries].join(" "), isIncomplete: lacksOrder || lacksWords }
}

const oneOf = (alternatives: ReadonlyArray<string>): string => `(${alternatives.join(" | ")})`

/** Tokens have neither quotes nor backslashes in them. */
const textExpression = ({ field, tokens, isPrefix }: TextCondition, segment: number): string =>
  oneOf(
    (field === null ? searchFields : [field]).map((one) => {
      const prefix = tokenPrefix(segment, kindOf[one])
      return `(${tokens.map((token) => `'${prefix}${token}'`).join(" <-> ")}${isPrefix ? ":*" : ""})`
    }),
  )

/** A query in the language of `tsquery`, for one segment. `excluding` makes the parts that must not match. */
const expressionOf = (
  query: IndexQuery,
  segment: number,
  excluding: (part: IndexQuery, segment: number) => string,
): string => {
  switch (query.kind) {
    case "text":
      return textExpression(query, segment)
    case "or":
      return oneOf(query.of.map((part) => expressionOf(part, segment, excluding)))
    case "and":
      return `(${[
        ...query.of.map((part) => expressionOf(part, segment, excluding)),
        ...query.except.map((part) => `!${excluding(part, segment)}`),
      ].join(" & ")})`
  }
}

/** The words and positions of a document as if it had all of them. */
const storedExpression = (query: IndexQuery, segment: number): string =>
  expressionOf(query, segment, storedExpression)

/** Finds the documents that match, and the incomplete ones that might. */
const possibleExpression = (query: IndexQuery, segment: number): string =>
  oneOf([
    storedExpression(query, segment),
    ...(hasPhrase(query)
      ? [`(${marker("order", segment)} & ${expressionOf(withoutOrder(query), segment, certainExpression)})`]
      : []),
    marker("words", segment),
  ])

/** Finds the documents that match, whatever they lack: what is stored is true, and what must not match must not be possible. */
const certainExpression = (query: IndexQuery, segment: number): string =>
  expressionOf(query, segment, possibleExpression)

const expressionFor = { certain: certainExpression, possible: possibleExpression } as const

export const tsvectorIndex = (sql: SqlClient.SqlClient): WordIndex => {
  const insert = insertValues(sql, "search_documents", [...DOCUMENT_COLUMNS, "tokens"])
  /** Table of the documents that match one of the expressions; GIN finds them, whatever the planner believes. */
  const found = (expressions: ReadonlyArray<string>) =>
    sql`search_documents_matching(ARRAY(
      SELECT value::tsquery FROM json_array_elements_text(${JSON.stringify(expressions)})))`
  const among = (expressions: ReadonlyArray<string>) =>
    sql`d.document IN (SELECT w.document FROM ${found(expressions)} AS w)`
  return {
    insert: (documents) =>
      insert(
        documents.map((document) => {
          const { vector, isIncomplete } = vectorOf(document)
          return [...documentValues(document, isIncomplete), vector]
        }),
      ),
    // Each segment by itself: GIN looks at all lexemes of a query at each step.
    matching: (query, mailbox, segments, certainty) => {
      if (query === null && mailbox === null)
        return sql`search_documents AS d WHERE d.segment_id IN ${sql.in(segments)}`
      const expressions = segments.map((segment) =>
        [
          ...(query === null ? [] : [expressionFor[certainty](query, segment)]),
          ...(mailbox === null ? [] : [mailboxLexeme(mailbox, segment)]),
        ].join(" & "),
      )
      return sql`${found(expressions)} AS d WHERE true`
    },
    has: (condition, segments, certainty) =>
      among(segments.map((segment) => expressionFor[certainty](condition, segment))),
    isCertain: (query, segments) =>
      among(
        segments.map((segment) => {
          const incomplete = oneOf([marker("order", segment), marker("words", segment)])
          return `${incomplete} & ${certainExpression(query, segment)}`
        }),
      ),
    // GIN is one tree and a list of pending entries, which a look reads whole, for each segment.
    merge: Effect.as(run(sql`SELECT gin_clean_pending_list('search_documents_tokens')`), false),
  }
}
