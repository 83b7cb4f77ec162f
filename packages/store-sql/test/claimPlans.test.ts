/** A claim reads as little of a long queue as of a short one (docs/decisions/0046). */
import { SqlClient, type SqlConnection } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { postgres, sqliteMemory } from "./support/databases.js"
import { accept, acceptMany, claim, LATER, tenantsOf } from "./support/inboundQueue.js"
import { NOON } from "./support/records.js"

const FLOOD = 5_000
const NOW = NOON + FLOOD
const LOUD = "loud.example"

/** Runs a claim on a connection of its own, and records the statements that read the queue, with their parameters. */
const readsOf = <A, R>(effect: Effect.Effect<A, never, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const connection = yield* sql.reserve
    const reads = new Map<string, ReadonlyArray<unknown>>()
    const recording: SqlConnection.Connection = {
      execute: (text, parameters, transformRows) => {
        if (/^\s*(?:SELECT|WITH)\b.*\binbound_queue\b/s.test(text)) reads.set(text, parameters)
        return connection.execute(text, parameters, transformRows)
      },
      executeRaw: (...run) => connection.executeRaw(...run),
      executeStream: (...run) => connection.executeStream(...run),
      executeUnprepared: (...run) => connection.executeUnprepared(...run),
      executeValues: (...run) => connection.executeValues(...run),
    }
    const result = yield* Effect.provideService(effect, SqlClient.TransactionConnection, [recording, 0])
    return { result, reads }
  }).pipe(Effect.scoped)

/** A claim while one tenant has 5,000 mails and another one. The database has gathered statistics before that one. */
const claimBesideFlood = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* acceptMany([LOUD], FLOOD)
  yield* sql`ANALYZE`.unprepared
  yield* accept(NOW, { tenant: "quiet.example" })
  const { result, reads } = yield* readsOf(claim(64, NOW, LATER, { except: [LOUD] }))
  expect(tenantsOf(result)).toEqual(["quiet.example"])
  return reads
})

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string | undefined
  readonly "Actual Rows"?: number | undefined
  readonly "Actual Loops"?: number | undefined
  readonly "Rows Removed by Filter"?: number | undefined
  readonly Plans?: ReadonlyArray<Plan> | undefined
}
const count = Schema.optional(Schema.Number)
const Plan: Schema.Schema<Plan> = Schema.Struct({
  "Node Type": Schema.String,
  "Relation Name": Schema.optional(Schema.String),
  "Actual Rows": count,
  "Actual Loops": count,
  "Rows Removed by Filter": count,
  Plans: Schema.optional(Schema.Array(Schema.suspend(() => Plan))),
})
const decodePlan = Schema.decodeUnknown(
  Schema.Tuple(Schema.Struct({ "QUERY PLAN": Schema.Tuple(Schema.Struct({ Plan })) })),
)

const partsOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(partsOf)]

/** Rows that a plan has read from tables. */
const rowsRead = (plan: Plan): number =>
  partsOf(plan)
    .filter((part) => part["Relation Name"] !== undefined)
    .map(
      (part) =>
        (part["Actual Loops"] ?? 0) * ((part["Actual Rows"] ?? 0) + (part["Rows Removed by Filter"] ?? 0)),
    )
    .reduce((sum, rows) => sum + rows, 0)

describe("a claim beside 5,000 mails of an excepted tenant", () => {
  it.scoped("reads a few hundred rows on Postgres, also with a plan for any parameters", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reads = yield* claimBesideFlood
      expect(reads.size).toBe(3)
      let rows = 0
      for (const [statement, parameters] of reads) {
        const planOf = (options: string, given: ReadonlyArray<unknown>) =>
          Effect.map(
            Effect.flatMap(
              sql.unsafe(`EXPLAIN (${options}, FORMAT JSON) ${statement}`, given).unprepared,
              decodePlan,
            ),
            ([
              {
                "QUERY PLAN": [{ Plan: plan }],
              },
            ]) => plan,
          )
        rows += rowsRead(yield* planOf("ANALYZE", parameters))
        const generic = partsOf(yield* planOf("GENERIC_PLAN", []))
        expect(generic.filter((part) => part["Node Type"] === "Seq Scan")).toEqual([])
      }
      expect(rows).toBeLessThan(1_000)
    }).pipe(Effect.provide(postgres)),
  )

  it.scoped("finds the other tenant and its mail by an index of tenants on SQLite", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const decode = Schema.decodeUnknown(Schema.Array(Schema.Struct({ detail: Schema.String })))
      const details: Array<string> = []
      for (const [statement, parameters] of yield* claimBesideFlood) {
        const explained = sql.unsafe(`EXPLAIN QUERY PLAN ${statement}`, parameters)
        for (const { detail } of yield* Effect.flatMap(explained, decode)) details.push(detail)
      }
      const scans = details.filter((detail) => detail.startsWith("SCAN"))
      expect(
        scans.filter((scan) => !/^SCAN (?:CONSTANT ROW|waiting|given VIRTUAL TABLE)/.test(scan)),
      ).toEqual([])
      const searches = new Set(details.filter((detail) => detail.startsWith("SEARCH")))
      expect([...searches].sort()).toEqual([
        // The order of turns, of which 257 index entries are read to see that more wait, and then none.
        "SEARCH entry USING INDEX inbound_queue_free (lane=? AND turn<?)",
        "SEARCH entry USING PRIMARY KEY (id=?)",
        "SEARCH inbound_queue USING COVERING INDEX inbound_queue_free (lane=? AND turn<?)",
        "SEARCH inbound_queue USING INDEX inbound_queue_waiting (lane=? AND tenant>?)",
        "SEARCH own USING INDEX inbound_queue_waiting (lane=? AND tenant=? AND turn<?)",
      ])
    }).pipe(Effect.provide(sqliteMemory)),
  )
})
