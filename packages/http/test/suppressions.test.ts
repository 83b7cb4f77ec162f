/** The suppression list beyond `decisions.suppressions.*`: reasons, filters, bounds, byte-equal 404s. */
import { describe } from "@effect/vitest"
import { Suppression, SuppressionId } from "@mailroom/domain"
import { AccountStore, SuppressionStore } from "@mailroom/engine"
import type { Answer } from "@mailroom/testing"
import { Effect, Option, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { ABSENT } from "./support/routes.js"
import { inOneService, rule } from "./support/service.js"

const One = Schema.Struct({ suppression: Suppression })

const Page = Schema.Struct({
  suppressions: Schema.Array(Suppression),
  metadata: Schema.Struct({
    limit: Schema.Int,
    hasMore: Schema.Boolean,
    nextCursor: Schema.optional(Schema.String),
  }),
})

const add = ({ key }: Owner, email: unknown) => ask("POST /v1/suppressions", { key, body: { email } })

const page = ({ key }: Owner, query = "") =>
  Effect.map(ask(`GET /v1/suppressions${query}`, { key }), read(Page))

const emails = (account: Owner, query = "") =>
  Effect.map(page(account, query), ({ suppressions }) => suppressions.map(({ email }) => email))

const seen = ({ status, text, headers }: Answer) => ({ status, text, headers: [...headers] })

const entry = {
  id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
  email: "bob@partner.dev",
  reason: "MANUAL",
  createdAt: "1970-01-01T00:00:00.000Z",
}

inOneService((shared) => {
  describe("POST /v1/suppressions", () => {
    shared("takes MANUAL as its reason, and no other", () =>
      Effect.gen(function* () {
        const { key } = yield* owner("active")
        for (const [reason, status] of [
          ["MANUAL", 201],
          ["BOUNCE", 400],
        ] as const) {
          const body = { email: "bob@partner.dev", reason }
          expect((yield* ask("POST /v1/suppressions", { key, body })).status).toBe(status)
        }
      }),
    )

    rule("answers 201 with the entry there is when the address is on the list already", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const accounts = yield* AccountStore
        const { id: accountId } = Option.getOrThrow(yield* accounts.byEmail(account.email))
        const id = SuppressionId.make(ABSENT)
        const bounced = { id, accountId, email: "bob@partner.dev", reason: "BOUNCE", createdAt: 0 } as const
        yield* Effect.flatMap(SuppressionStore, (store) => store.insert(bounced))
        yield* TestClock.adjust("1 hour")
        const answer = yield* add(account, "bob@partner.dev")
        expect([answer.status, answer.json]).toEqual([
          201,
          { suppression: { ...entry, id: ABSENT, reason: "BOUNCE" } },
        ])
        expect(yield* emails(account)).toEqual(["bob@partner.dev"])
      }),
    )

    for (const email of [7, "bob@partner.dev\r\n", "@partner.dev"])
      shared(`answers 400 to ${JSON.stringify(email)}`, () =>
        Effect.gen(function* () {
          const answer = yield* Effect.flatMap(owner("active"), (account) => add(account, email))
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED", issues: [{ path: "email" }] })
        }),
      )
  })

  describe("GET /v1/suppressions", () => {
    shared("finds one address, however it is written", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        for (const email of ["bob@partner.dev", "ada@partner.dev"]) yield* add(account, email)
        expect(yield* emails(account, "?email=BOB@Partner.dev")).toEqual(["bob@partner.dev"])
        expect(yield* emails(account, "?email=bob")).toEqual([])
      }),
    )

    for (const query of ["limit=0", "limit=101", "limit=two", "limit=1.5", "cursor=nonsense", "cursor="])
      shared(`answers 400 to ${query}`, () =>
        Effect.gen(function* () {
          const { key } = yield* owner("active")
          const answer = yield* ask(`GET /v1/suppressions?${query}`, { key })
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({
            code: "VALIDATION_FAILED",
            issues: [{ path: query.split("=")[0] }],
          })
        }),
      )

    shared("takes a limit of 1 and of 100", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        for (const limit of [1, 100])
          expect((yield* page(account, `?limit=${limit}`)).metadata.limit).toBe(limit)
      }),
    )
  })

  describe("DELETE /v1/suppressions/{id}", () => {
    shared("answers the same 404 to an entry that is absent, another account's, or malformed", () =>
      Effect.gen(function* () {
        const { key } = yield* owner("active")
        const other = yield* owner("active", "other")
        const { id } = read(One)(yield* add(other, "bob@partner.dev")).suppression
        const none = yield* ask(`DELETE /v1/suppressions/${ABSENT}`, { key })
        expect([none.status, none.json]).toEqual([
          404,
          { error: expect.any(String), code: "SUPPRESSION_NOT_FOUND" },
        ])
        for (const wrong of [id, "bob@partner.dev", "42", `${ABSENT}0`])
          expect(seen(yield* ask(`DELETE /v1/suppressions/${wrong}`, { key })), wrong).toEqual(seen(none))
        expect(yield* emails(other)).toEqual(["bob@partner.dev"])
      }),
    )
  })
})
