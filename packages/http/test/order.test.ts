/** The order of refusals on every route: who is asking comes before what is asked (decisions §3). */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { bringTo, owner, scopedKey, setFacts } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { ABSENT, nameOf, routes } from "./support/routes.js"
import { inOneService, rule } from "./support/service.js"

const nobody = { slug: "", email: "", key: "", address: "", mailboxId: "not-an-id", keyId: "not-an-id" }

describe("401 comes first, whatever else is wrong", () => {
  inOneService((shared) => {
    for (const route of routes)
      shared(nameOf(route), () =>
        Effect.gen(function* () {
          const call = route.body === undefined ? {} : { body: "{" }
          const answer = yield* ask(route.target(nobody).replaceAll(ABSENT, "not-an-id"), call)
          expect(answer.status).toBe(401)
          expect(answer.json).toMatchObject({ code: "UNAUTHORIZED" })
        }),
      )
  })
})

describe("then, in this order:", () => {
  rule("a suspended account before the key's scope", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const { key } = yield* scopedKey(account)
      yield* bringTo(account, "suspended")
      const answer = yield* ask("POST /v1/mailboxes", { key, body: { address: "new" } })
      expect(answer.json).toEqual({
        error: expect.any(String),
        code: "ACCOUNT_SUSPENDED",
        suspended: true,
        reason: "complaints",
      })
    }),
  )

  rule("a suspended account before payment", () =>
    Effect.gen(function* () {
      const account = yield* owner("payment_required")
      yield* setFacts(account, { suspendedAt: 0, suspendedReason: null })
      const answer = yield* ask("GET /v1/mailboxes", { key: account.key })
      expect(answer.json).toMatchObject({ code: "ACCOUNT_SUSPENDED", reason: null })
    }),
  )

  rule("the key's scope before payment", () =>
    Effect.gen(function* () {
      const account = yield* owner()
      const { key } = yield* scopedKey(account)
      yield* bringTo(account, "payment_required")
      const answer = yield* ask("POST /v1/mailboxes", { key, body: { address: "new" } })
      expect(answer.status).toBe(403)
      expect(answer.json).toMatchObject({ code: "SCOPE_FORBIDDEN" })
    }),
  )

  rule("the key's scope before a malformed id", () =>
    Effect.gen(function* () {
      const { key } = yield* Effect.flatMap(owner(), scopedKey)
      const answer = yield* ask("DELETE /v1/api-keys/not-an-id", { key })
      expect([answer.status, answer.json]).toMatchObject([403, { code: "SCOPE_FORBIDDEN" }])
    }),
  )

  rule("payment before a malformed id", () =>
    Effect.gen(function* () {
      const { key } = yield* owner("payment_required")
      expect((yield* ask("GET /v1/mailboxes/not-an-id", { key })).status).toBe(402)
    }),
  )

  rule("a malformed id before the body", () =>
    Effect.gen(function* () {
      const { key } = yield* owner()
      const answer = yield* ask("POST /v1/mailboxes/not-an-id/messages", { key, body: "{" })
      expect(answer.status).toBe(404)
    }),
  )

  rule("a malformed id before the query", () =>
    Effect.gen(function* () {
      const { key } = yield* owner()
      expect((yield* ask("GET /v1/mailboxes/not-an-id/messages?limit=0", { key })).status).toBe(404)
    }),
  )

  rule("the body before the mailbox it is for", () =>
    Effect.gen(function* () {
      const { key } = yield* owner()
      const answer = yield* ask(`POST /v1/mailboxes/${ABSENT}/messages`, { key, body: { to: [] } })
      expect(answer.status).toBe(400)
    }),
  )

  rule("the query before the mailbox it is for", () =>
    Effect.gen(function* () {
      const { key } = yield* owner()
      expect((yield* ask(`GET /v1/mailboxes/${ABSENT}/messages?limit=0`, { key })).status).toBe(400)
    }),
  )

  rule("the body before the mailboxes it names", () =>
    Effect.gen(function* () {
      const { key } = yield* owner()
      const answer = yield* ask("POST /v1/api-keys", { key, body: { name: "", mailboxIds: [ABSENT] } })
      expect(answer.status).toBe(400)
    }),
  )

  rule("the mailbox before the route's own rules", () =>
    Effect.gen(function* () {
      const { key, email } = yield* owner("unverified")
      const body = { to: [email], subject: "Hello", bodyText: "Hello" }
      expect((yield* ask(`POST /v1/mailboxes/${ABSENT}/messages`, { key, body })).status).toBe(404)
    }),
  )
})
