/** The words of the search index in SQLite's FTS5. Its row ids are the numbers of `search_documents`. */
import type { SqlClient } from "@effect/sql"
import type { IndexQuery, MailboxId, SearchField, TextCondition } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { inLists, insertValues } from "../database/batches.js"
import { all, rowsOf } from "../database/Table.js"
import { WORD_COLUMNS } from "../migrations/search.js"
import {
  DOCUMENT_COLUMNS,
  documentValues,
  type IndexedDocument,
  tokenPrefix,
  type WordIndex,
} from "./WordIndex.js"

type Segments = ReadonlyArray<number>

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
const textExpression = ({ field, tokens, isPrefix }: TextCondition, segments: Segments): string => {
  const phrases = segments.map((segment) => `"${words(tokens, segment)}"${isPrefix ? " *" : ""}`)
  return `${field === null ? "" : `{${columnOf[field]}} : `}(${phrases.join(" OR ")})`
}

/** A query in the language of FTS5. */
export const ftsExpression = (query: IndexQuery, segments: Segments): string => {
  switch (query.kind) {
    case "text":
      return textExpression(query, segments)
    case "or":
      return `(${query.of.map((part) => ftsExpression(part, segments)).join(" OR ")})`
    case "and": {
      const found = `(${query.of.map((part) => ftsExpression(part, segments)).join(" AND ")})`
      const excluded = query.except.map((part) => ftsExpression(part, segments))
      return excluded.length === 0 ? found : `(${found} NOT (${excluded.join(" OR ")}))`
    }
  }
}

const mailboxToken = (mailbox: MailboxId, segment: number): string =>
  tokenPrefix(segment, "z") + mailbox.replaceAll("-", "")

const mailboxExpression = (mailbox: MailboxId, segments: Segments): string =>
  `{mailbox} : (${segments.map((segment) => `"${mailboxToken(mailbox, segment)}"`).join(" OR ")})`

const numbers = rowsOf(Schema.Struct({ document: Schema.Int, messageId: Schema.String }))

export const fts5Index = (sql: SqlClient.SqlClient): WordIndex => {
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
          mailboxToken(mailboxId, segmentId),
        ]),
      )
    })

  return {
    insert,
    matching: (query, mailbox, segments) => {
      const expressions = [
        ...(query === null ? [] : [ftsExpression(query, segments)]),
        ...(mailbox === null ? [] : [mailboxExpression(mailbox, segments)]),
      ]
      // CROSS JOIN makes SQLite read the index of words first.
      return expressions.length === 0
        ? sql`search_documents AS d WHERE d.segment_id IN ${sql.in(segments)}`
        : sql`search_words CROSS JOIN search_documents AS d
          WHERE search_words MATCH ${expressions.join(" AND ")} AND d.document = search_words.rowid`
    },
    has: (condition, segments) =>
      sql`d.document IN (SELECT rowid FROM search_words WHERE search_words MATCH ${textExpression(condition, segments)})`,
  }
}
