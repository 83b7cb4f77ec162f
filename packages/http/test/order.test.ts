/**
 * The order of refusals where `decisions.order.*` leaves it open: 401 on every route, states set by the operator,
 * malformed key ids.
 */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { owner, scopedKey, setFacts } from "./support/accounts.js"
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
  rule("a suspended account before payment", () =>
    Effect.gen(function* () {
      const account = yield* owner("payment_required")
      yield* setFacts(account, { suspendedAt: 0, suspendedReason: null })
      const answer = yield* ask("GET /v1/mailboxes", { key: account.key })
      expect(answer.json).toMatchObject({ code: "ACCOUNT_SUSPENDED", reason: null })
    }),
  )

  rule("the key's scope before a malformed id", () =>
    Effect.gen(function* () {
      const { key } = yield* Effect.flatMap(owner(), scopedKey)
      const answer = yield* ask("DELETE /v1/api-keys/not-an-id", { key })
      expect([answer.status, answer.json]).toMatchObject([403, { code: "SCOPE_FORBIDDEN" }])
    }),
  )
})
