/** Every contract on SQLite, and the query plan of every statement that the contracts run. */
import { describe, expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { contracts } from "./support/contracts.js"
import {
  isFromStore,
  type Recorded,
  recording,
  sqliteExtended,
  sqliteFile,
  sqliteMemory,
} from "./support/databases.js"

const ran: Recorded = new Map()

for (const contract of contracts) contract("a SQLite file", recording(sqliteFile, ran))
for (const contract of contracts) contract("SQLite in memory, extended by a later version", sqliteExtended)

describe("query plans on SQLite", () => {
  const decodePlan = Schema.decodeUnknown(Schema.Array(Schema.Struct({ detail: Schema.String })))

  // Scans of bounded size: VALUES lists, parameters and the addresses of a thread, subqueries with a limit, jobs that wait for a retry, bounded counts,
  // the start of the queue for search, and the development outbox of at most 1,000 mails.
  const harmless =
    /^SCAN (?:\d+-ROW VALUES CLAUSE|(?:\d+ )?CONSTANT ROWS?|wanted|given|newest|candidates|range|waiting|search_queue|(?:inbound_queue|jobs) USING COVERING INDEX \w+|captured_mails\b.*|platform_keys|json_each (?:EXISTS )?VIRTUAL TABLE INDEX 1:)$/

  // A search reads some segments of the index of words, or of documents, and sorts what it finds there (docs/decisions/0061).
  const searches = /^SELECT d\.message_id AS id.* FROM \(SELECT d\.\* FROM search_(?:words|documents)/s
  const readsSegments =
    /^(?:SCAN search_words VIRTUAL TABLE INDEX 0:M\d|SEARCH d USING (?:COVERING )?INDEX search_documents_segment \(segment_id=\?)/
  const harmlessInSearch =
    /^(?:SCAN search_words VIRTUAL TABLE INDEX 0:M\d|SCAN d$|SCAN l VIRTUAL TABLE|USE TEMP B-TREE FOR)/

  // A bounded count of index entries.
  const countsSoFar = /^SELECT count\(\*\) AS count FROM \(SELECT 1 AS entry FROM .* LIMIT \?\) AS counted$/

  // The first messages of several ranges, each bounded by the same number.
  const mergesRanges =
    /^SELECT (?:candidates\.)?id, .* FROM \(SELECT \* FROM \(SELECT \* FROM \(.* AS ranges\s+ORDER BY/s

  it.scoped("no statement of a store scans a growing table or sorts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statements = [...ran].filter(([text]) => isFromStore(text))
      expect(statements.length).toBeGreaterThan(100)
      const bad: Array<string> = []
      for (const [text, parameters] of statements) {
        const plan = yield* Effect.flatMap(sql.unsafe(`EXPLAIN QUERY PLAN ${text}`, parameters), decodePlan)
        const isSearch = searches.test(text) && plan.some(({ detail }) => readsSegments.test(detail))
        for (const { detail } of plan)
          if (
            (detail.startsWith("SCAN ") && !harmless.test(detail) && !countsSoFar.test(text)) ||
            detail.includes("TEMP B-TREE")
          )
            if (
              !(isSearch && harmlessInSearch.test(detail)) &&
              !(mergesRanges.test(text) && /^(?:SCAN ranges|USE TEMP B-TREE FOR ORDER BY)$/.test(detail))
            )
              bad.push(`${detail}: ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`)
      }
      expect(bad).toEqual([])
    }).pipe(Effect.provide(sqliteMemory)),
  )

  it.scoped("messages of given ids are read by id, and not by an index of the whole mailbox or account", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const byIds = [...ran].filter(
        ([text]) => isFromStore(text) && /SELECT .*listing.*FROM messages\b.*WHERE (?:m\.)?id IN/s.test(text),
      )
      expect(byIds.length).toBeGreaterThan(3)
      for (const [text, parameters] of byIds) {
        const plan = yield* Effect.flatMap(sql.unsafe(`EXPLAIN QUERY PLAN ${text}`, parameters), decodePlan)
        expect(plan.map(({ detail }) => detail).join("\n"), text).toMatch(
          /SEARCH (?:messages|m) USING INDEX sqlite_autoindex_messages_1 \(id=\?\)/,
        )
      }
    }).pipe(Effect.provide(sqliteMemory)),
  )

  it.scoped("rows that an offset skips are read from an index only", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const skipping = [...ran].filter(
        ([text]) => isFromStore(text) && /SELECT id FROM messages.*OFFSET/s.test(text),
      )
      expect(skipping.length).toBeGreaterThan(3)
      for (const [text, parameters] of skipping) {
        const plan = yield* Effect.flatMap(sql.unsafe(`EXPLAIN QUERY PLAN ${text}`, parameters), decodePlan)
        expect(
          plan.some(({ detail }) => detail.startsWith("SEARCH messages USING COVERING INDEX messages_")),
        ).toBe(true)
      }
    }).pipe(Effect.provide(sqliteMemory)),
  )
})
