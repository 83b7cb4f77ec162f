/** Every contract on Postgres, and the query plan of every statement that the contracts run. */
import { describe, expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { MINUTE } from "@mailroom/domain"
import { MessageStore, SearchStore } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { concurrentClaimsContract } from "./claims.contract.js"
import { contracts } from "./support/contracts.js"
import { isFromStore, postgres, type Recorded, recording } from "./support/databases.js"
import { aMessage, NOON, storedMailbox } from "./support/records.js"
import { documentOf } from "./support/searchCorpus.js"

const ran: Recorded = new Map()

for (const contract of contracts) contract("Postgres", recording(postgres, ran))
concurrentClaimsContract("Postgres", postgres)

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string | undefined
  readonly "Index Name"?: string | undefined
  readonly "Index Cond"?: string | undefined
  readonly Plans?: ReadonlyArray<Plan> | undefined
}

const text = Schema.optional(Schema.String)
const Plan: Schema.Schema<Plan> = Schema.Struct({
  "Node Type": Schema.String,
  "Relation Name": text,
  "Index Name": text,
  "Index Cond": text,
  Plans: Schema.optional(Schema.Array(Schema.suspend(() => Plan))),
})
const decodePlan = Schema.decodeUnknown(
  Schema.Tuple(Schema.Struct({ "QUERY PLAN": Schema.Tuple(Schema.Struct({ Plan })) })),
)

/** Tables of bounded size: at most 1,000 mails, at most two keys. */
const smallTables: ReadonlySet<string> = new Set(["captured_mails", "platform_keys"])

/** Parts of a plan whose time grows with the table. */
const slowParts = (plan: Plan, limited: boolean): ReadonlyArray<string> => {
  const kind = plan["Node Type"]
  const table = plan["Relation Name"] ?? ""
  const whole =
    kind === "Seq Scan" || (/^(?:Bitmap )?Index/.test(kind) && plan["Index Cond"] === undefined && !limited)
  const own = whole && !smallTables.has(table) ? [`${kind} of ${table || plan["Index Name"]}`] : []
  const isLimit = limited || kind === "Limit"
  return [...own, ...(plan.Plans ?? []).flatMap((part) => slowParts(part, isLimit))]
}

describe("the search index on Postgres", () => {
  it.scoped("merging leaves no pending words, which a search would read for each part of the index", () =>
    Effect.gen(function* () {
      const [sql, messages, store] = [yield* SqlClient.SqlClient, yield* MessageStore, yield* SearchStore]
      const owner = yield* storedMailbox
      /** The pages of pending words; they are merged. */
      const pending = Effect.map(
        sql`SELECT gin_clean_pending_list('search_documents_tokens') AS pages`,
        ([row]) => Number(row?.["pages"]),
      )
      const addOne = Effect.gen(function* () {
        yield* messages.insert([aMessage(owner)])
        yield* store.takeWriter(NOON, NOON + MINUTE)
        yield* store.add((yield* store.pending(10)).texts.map(documentOf))
      })
      yield* addOne
      expect(yield* pending).toBeGreaterThan(0)
      yield* addOne
      expect(yield* store.merge).toBe(false)
      expect(yield* pending).toBe(0)
    }).pipe(Effect.provide(postgres)),
  )
})

describe("query plans on Postgres", () => {
  it.scoped("no statement of a store scans a growing table", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statements = [...ran.keys()].filter(isFromStore)
      expect(statements.length).toBeGreaterThan(100)
      const bad: Array<string> = []
      yield* sql.withTransaction(
        Effect.gen(function* () {
          // The tables are empty, so without these settings every plan would be a sequential scan.
          for (const setting of ["seqscan", "hashjoin", "mergejoin"])
            yield* sql.unsafe(`SET LOCAL enable_${setting} = off`).unprepared
          for (const statement of statements) {
            const explained = sql.unsafe(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${statement}`).unprepared
            const [{ "QUERY PLAN": plans }] = yield* Effect.flatMap(explained, decodePlan)
            for (const part of slowParts(plans[0].Plan, false))
              bad.push(`${part}: ${statement.replaceAll(/\s+/g, " ").slice(0, 300)}`)
          }
        }),
      )
      expect(bad).toEqual([])
    }).pipe(Effect.provide(postgres)),
  )

  const kinds = (plan: Plan): ReadonlyArray<string> => [
    plan["Node Type"],
    ...(plan.Plans ?? []).flatMap(kinds),
  ]

  it.scoped("rows that an offset skips are read from an index only", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const skipping = [...ran.keys()].filter(
        (statement) => isFromStore(statement) && /SELECT id FROM messages.*OFFSET/s.test(statement),
      )
      expect(skipping.length).toBeGreaterThan(3)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          // The tables are empty, so every plan costs the same.
          for (const setting of ["seqscan", "bitmapscan", "sort"])
            yield* sql.unsafe(`SET LOCAL enable_${setting} = off`).unprepared
          for (const statement of skipping) {
            const explained = sql.unsafe(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${statement}`).unprepared
            const [{ "QUERY PLAN": plans }] = yield* Effect.flatMap(explained, decodePlan)
            expect(kinds(plans[0].Plan)).toContain("Index Only Scan")
          }
        }),
      )
    }).pipe(Effect.provide(postgres)),
  )
})
