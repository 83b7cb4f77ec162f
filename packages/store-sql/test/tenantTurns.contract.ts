/** Contract of `RawMailStore.claim` while more mail waits than is claimed in the order of turns (docs/decisions/0046). */
import { describe, expect, layer } from "@effect/vitest"
import { RawMailStore } from "@mailroom/engine"
import { Effect } from "effect"
import type { Database } from "./support/databases.js"
import { accept, acceptMany, claim, emptyQueue, LATER, tenantsOf } from "./support/inboundQueue.js"
import { NOON } from "./support/records.js"

/** After the turns of all mail in these tests. */
const NOW = NOON + 10_000

const namesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `tenant-${String(index).padStart(4, "0")}.example`)

const counts = (tenants: ReadonlyArray<string>) =>
  Object.fromEntries(
    [...new Set(tenants)].map((one) => [one, tenants.filter((other) => other === one).length]),
  )

export const tenantTurnsContract = (name: string, database: Database) =>
  describe(`${name}: claims from a long queue`, () => {
    layer(database)((it) => {
      it.effect("find the mail of another tenant behind thousands of older mails of excepted ones", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          yield* acceptMany(["loud.example"], 3_000)
          yield* acceptMany(["noisy.example"], 100)
          yield* accept(NOW, { tenant: "quiet.example" })
          const except = ["loud.example", "noisy.example"]
          expect(tenantsOf(yield* claim(64, NOW, LATER, { except }))).toEqual(["quiet.example"])
          expect(yield* claim(64, NOW, LATER, { except })).toEqual([])
        }),
      )

      it.effect(
        "give a tenant with one mail its turn in the next batch, and fill it with mail of those with more",
        () =>
          Effect.gen(function* () {
            yield* emptyQueue
            yield* acceptMany(["loud.example"], 400)
            yield* acceptMany(["noisy.example"], 400)
            yield* accept(NOW, { tenant: "quiet.example" })
            const first = tenantsOf(yield* claim(64, NOW, LATER))
            expect(first.slice(0, 3).sort()).toEqual(["loud.example", "noisy.example", "quiet.example"])
            const { "loud.example": loud, "noisy.example": noisy } = counts(first)
            expect(new Set([loud, noisy])).toEqual(new Set([31, 32]))
            expect(counts(tenantsOf(yield* claim(64, NOW, LATER)))).toEqual({
              "loud.example": 32,
              "noisy.example": 32,
            })
          }),
      )

      it.effect("reach every waiting tenant in one rotation, however many mails the others have", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          const names = ["", ...namesOf(299)]
          yield* acceptMany(names.slice(0, 100), 20)
          yield* acceptMany(names.slice(100), 1, () => ({ turn: NOW }))
          const claimed = yield* Effect.replicateEffect(claim(64, NOW, LATER), Math.ceil(300 / 64))
          const served = new Set(claimed.flatMap(tenantsOf))
          expect(names.filter((tenant) => !served.has(tenant))).toEqual([])
        }),
      )

      it.effect("pass over any number of tenants that are excepted or whose mail is not due", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const [busy, later] = [namesOf(150), namesOf(300).slice(150)]
          yield* acceptMany(later, 1)
          const failed = yield* claim(200, NOW, NOW + 1)
          for (const { id } of failed) yield* store.retry(id, NOW + 1, NOW + 500)
          yield* acceptMany(busy, 2)
          yield* accept(NOON, { tenant: "zulu.example" })
          const next = Effect.map(claim(1, NOW, LATER, { except: busy }), tenantsOf)
          expect([yield* next, yield* next]).toEqual([["zulu.example"], []])
          expect(later).toContain((yield* claim(1, NOW + 500, LATER, { except: busy }))[0]?.tenant)
        }),
      )

      it.effect("begin with the first tenant that the bytes of the last batch left out", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          const names = namesOf(3)
          yield* acceptMany(names, 100, () => ({ workBytes: 60 }))
          const next = Effect.map(claim(64, NOW, LATER, { limits: { mails: 64, bytes: 130 } }), tenantsOf)
          const batches = [yield* next, yield* next, yield* next]
          expect(batches.map(({ length }) => length)).toEqual([2, 2, 2])
          expect(counts(batches.flat())).toEqual(Object.fromEntries(names.map((tenant) => [tenant, 2])))
        }),
      )

      it.effect("keep the order of each tenant, and leave mail whose turn is to come", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          yield* acceptMany(["loud.example"], 400, (index) => ({ turn: NOON + 400 - index }))
          yield* acceptMany(["early.example"], 10, (index) => ({ turn: NOW + index - 4 }))
          yield* acceptMany(["early.example"], 3, () => ({ turn: NOON, lane: "slow" }))
          const claimed = yield* claim(64, NOW, LATER, { through: NOW })
          const turnOf = (tenant: string) =>
            claimed.filter((mail) => mail.tenant === tenant).map(({ id }) => id)
          expect(turnOf("early.example")).toHaveLength(5)
          expect(turnOf("loud.example")).toHaveLength(59)
          // The ids of a tenant's entries grow with their time of acceptance: these have the opposite order.
          expect(turnOf("loud.example")).toEqual([...turnOf("loud.example")].sort().reverse())
          expect(turnOf("early.example")).toEqual([...turnOf("early.example")].sort())
        }),
      )
    })
  })
