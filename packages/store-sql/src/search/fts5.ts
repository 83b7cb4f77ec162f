/** The words of the search index in SQLite's FTS5. Its row ids are the numbers of `search_documents`. */
import type { SqlClient } from "@effect/sql"
import type { IndexQuery, MailboxId, SearchField, TextCondition } from "@mailroom/domain"
import { Effect, Option, Schema } from "effect"
import { inLists, insertValues } from "../database/batches.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { WORD_COLUMNS } from "../migrations/search.js"
import {
  DOCUMENT_COLUMNS,
  documentValues,
  type IndexedDocument,
  tokenPrefix,
  type WordIndex,
} from "./WordIndex.js"

/** Pages of the index that one merge writes: some 7 ms, in which SQLite answers nobody else. */
const MERGED_PAGES = 16

const columnOf: Readonly<Record<SearchField, (typeof WORD_COLUMNS)[number]>> = {
  subject: "subject",
  from: "sender",
  to: "recipients",
  cc: "cc",
  body: "body",
  filename: "filename",
}

const words = (tokens: ReadonlyArray<string>, segment: number): string => {
  const prefix = tokenPrefix(segment, "w")
  return tokens.map((token) => prefix + token).join(" ")
}

/** Tokens have neither quotes nor spaces in them. */
const textExpression = ({ field, tokens, isPrefix }: TextCondition, segment: number): string =>
  `${field === null ? "" : `{${columnOf[field]}} : `}"${words(tokens, segment)}"${isPrefix ? " *" : ""}`

/** A query in the language of FTS5, for one segment. */
const ftsExpression = (query: IndexQuery, segment: number): string => {
  switch (query.kind) {
    case "text":
      return textExpression(query, segment)
    case "or":
      return `(${query.of.map((part) => ftsExpression(part, segment)).join(" OR ")})`
    case "and": {
      const found = `(${query.of.map((part) => ftsExpression(part, segment)).join(" AND ")})`
      const excluded = query.except.map((part) => ftsExpression(part, segment))
      return excluded.length === 0 ? found : `(${found} NOT (${excluded.join(" OR ")}))`
    }
  }
}

const mailboxExpression = (mailbox: MailboxId, segment: number): string =>
  `{mailbox} : "${tokenPrefix(segment, "z")}${mailbox.replaceAll("-", "")}"`

const changes = rowsOf(Schema.Struct({ count: Schema.Int }))
const numbers = rowsOf(Schema.Struct({ document: Schema.Int, messageId: Schema.String }))

export const fts5Index = (sql: SqlClient.SqlClient): WordIndex => {
  const { join } = transactionOf(sql)
  const insertDocuments = insertValues(sql, "search_documents", DOCUMENT_COLUMNS)
  const insertWords = insertValues(sql, "search_words", ["rowid", ...WORD_COLUMNS])

  const insert = (documents: ReadonlyArray<IndexedDocument>) =>
    Effect.gen(function* () {
      yield* insertDocuments(documents.map((document) => documentValues(document, false)))
      const numbered = yield* inLists(
        documents.map(({ messageId }) => messageId),
        (list) =>
          all(
            numbers,
            sql`SELECT document, message_id AS "messageId" FROM search_documents WHERE message_id IN ${sql.in(list)}`,
          ),
      )
      const numberOf = new Map(numbered.map(({ document, messageId }) => [messageId, document]))
      yield* insertWords(
        documents.map(({ messageId, mailboxId, segmentId, tokens }) => [
          numberOf.get(messageId),
          words(tokens.subject, segmentId),
          words(tokens.from, segmentId),
          words(tokens.to, segmentId),
          words(tokens.cc, segmentId),
          words(tokens.body, segmentId),
          words(tokens.filename, segmentId),
          tokenPrefix(segmentId, "z") + mailboxId.replaceAll("-", ""),
        ]),
      )
    })

  /**
   * FTS5 has a tree of words for each transaction and merges four of a size. A search looks each word up in each tree, for each
   * segment. The migration has set `usermerge` to 2, so this leaves one tree of a size.
   */
  const merge = Effect.gen(function* () {
    const changed = first(changes, sql`SELECT total_changes() AS count`)
    const before = yield* changed
    yield* run(sql`INSERT INTO search_words (search_words, rank) VALUES ('merge', ${MERGED_PAGES})`)
    // FTS5 says so: a merge that had nothing to do changes less than two rows.
    return Option.getOrElse(
      Option.zipWith(yield* changed, before, (a, b) => a.count - b.count >= 2),
      () => false,
    )
  })

  return {
    insert,
    merge: join(merge),
    matching: (query, mailbox, segments) => {
      if (query === null && mailbox === null)
        return sql`search_documents AS d WHERE d.segment_id IN ${sql.in(segments)}`
      // Each segment by itself: FTS5 compares all parts of an OR at each step, and a segment without one of the words ends at once.
      const expression = segments
        .map((segment) =>
          [
            ...(query === null ? [] : [ftsExpression(query, segment)]),
            ...(mailbox === null ? [] : [mailboxExpression(mailbox, segment)]),
          ].join(" AND "),
        )
        .map((inSegment) => `(${inSegment})`)
        .join(" OR ")
      // CROSS JOIN makes SQLite read the index of words first.
      return sql`search_words CROSS JOIN search_documents AS d
        WHERE search_words MATCH ${expression} AND d.document = search_words.rowid`
    },
    has: (condition, segments) => {
      const expression = segments.map((segment) => textExpression(condition, segment)).join(" OR ")
      return sql`d.document IN (SELECT rowid FROM search_words WHERE search_words MATCH ${expression})`
    },
    isCertain: null,
  }
}
