/** Conditions of a search query in SQL, on `search_documents AS d` and `messages AS m`. */
import type { SqlClient, Statement } from "@effect/sql"
import type { SearchedFacts, SearchedPart, SearchQuery } from "@mailroom/domain"
import { dialectOf } from "../dialect.js"
import { currentThread } from "../threads/moves.js"
import type { Certainty, WordIndex } from "./WordIndex.js"

/** The bits of `search_documents.facts`. */
const BITS: Readonly<Record<SearchedPart | "automated" | "inbound", number>> = {
  attachment: 1,
  code: 2,
  link: 4,
  invite: 8,
  automated: 16,
  inbound: 32,
}

/** `search_documents.facts` */
export const factBits = ({ has, automated, direction }: SearchedFacts): number =>
  [...has].reduce((bits, part) => bits | BITS[part], 0) |
  (automated ? BITS.automated : 0) |
  (direction === "INBOUND" ? BITS.inbound : 0)

const opposite = { certain: "possible", possible: "certain" } as const

/** The conditions of messages in these segments. Facts and states are exact, also of incomplete rows. */
export const conditionsOf = (sql: SqlClient.SqlClient, words: WordIndex, segments: ReadonlyArray<number>) => {
  const isSet = (bit: number) => sql.literal(`(d.facts & ${bit}) <> 0`)
  const hasLabel = (label: string): Statement.Fragment =>
    dialectOf(sql).searchIndex === "fts5"
      ? sql`EXISTS (SELECT 1 FROM json_each(m.labels) AS l WHERE l.value = ${label})`
      : // Postgres refuses to read JSON with a NUL or half a surrogate pair in it, so the strings are compared as written.
        sql`EXISTS (SELECT 1 FROM regexp_matches(m.labels, ${'"(?:[^"\\\\]|\\\\.)*"'}, 'g') AS l (written)
          WHERE l.written[1] = ${JSON.stringify(label)})`

  const condition = (query: SearchQuery, certainty: Certainty): Statement.Fragment => {
    switch (query.kind) {
      case "and":
        return sql.and(query.of.map((part) => condition(part, certainty)))
      case "or":
        return sql.or(query.of.map((part) => condition(part, certainty)))
      case "not":
        // It certainly does not match where it is not possible that it matches.
        return sql`NOT (${condition(query.of, opposite[certainty])})`
      case "text":
        return words.has(query, segments, certainty)
      case "label":
        return hasLabel(query.label)
      case "thread":
        return sql`${sql.literal(currentThread("m"))} = ${query.threadId}`
      case "has":
        return isSet(BITS[query.part])
      case "is":
        return query.state === "automated"
          ? isSet(BITS.automated)
          : sql.literal(query.state === "unread" ? "m.read_at IS NULL" : "m.read_at IS NOT NULL")
      case "in":
        return query.direction === "INBOUND"
          ? isSet(BITS.inbound)
          : sql.literal(`(d.facts & ${BITS.inbound}) = 0`)
      case "before":
        return sql`d.created_at < ${query.at}`
      case "after":
        return sql`d.created_at >= ${query.at}`
      case "larger":
        return sql`d.size_bytes > ${query.bytes}`
      case "smaller":
        return sql`d.size_bytes < ${query.bytes}`
    }
  }
  return condition
}
