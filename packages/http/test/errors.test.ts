/** The text of errors on the wire: `error` comes first, no schema internals, `upgrade` only where paying helps. */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { owner, signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { ABSENT } from "./support/routes.js"
import { inOneService, rule } from "./support/service.js"

const payment = {
  error: expect.any(String),
  payment_required: true,
  code: "PAYMENT_REQUIRED",
  upgrade: {
    browserUrl: "http://mailroom.test/dashboard/billing",
    apiEndpoint: { method: "POST", path: "/v1/billing/upgrade" },
    hint: "POST /v1/billing/upgrade for a checkout URL",
  },
}

inOneService((shared) => {
  describe("every error is JSON that begins with error and carries a code", () => {
    for (const [status, target, body] of [
      [400, "POST /v1/mailboxes", {}],
      [404, `GET /v1/mailboxes/${ABSENT}`, undefined],
      [409, "POST /v1/mailboxes", { address: "agent" }],
    ] as const)
      shared(`${status} ${target}`, () =>
        Effect.gen(function* () {
          const { key } = yield* signUp()
          const answer = yield* ask(target, { key, body })
          expect(answer.status).toBe(status)
          expect(answer.headers.get("content-type")).toBe("application/json")
          expect(answer.text).toMatch(/^\{"error":"[^"]+/)
          expect(answer.json).toMatchObject({ code: expect.stringMatching(/^[A-Z]+(?:_[A-Z]+)*$/) })
          expect(answer.text).not.toContain("_tag")
        }),
      )

    rule("401, 402 and 403 of the gates too", () =>
      Effect.gen(function* () {
        const { key } = yield* owner("payment_required")
        for (const answer of [yield* ask("GET /v1/mailboxes"), yield* ask("GET /v1/mailboxes", { key })]) {
          expect(answer.headers.get("content-type")).toBe("application/json")
          expect(answer.text).toMatch(/^\{"error":"[^"]+/)
          expect(answer.text).not.toContain("_tag")
        }
      }),
    )
  })

  describe("upgrade", () => {
    rule("is an object on a payment gate, beside payment_required", () =>
      Effect.gen(function* () {
        const { key } = yield* owner("payment_required")
        const answer = yield* ask("GET /v1/mailboxes", { key })
        expect([answer.status, answer.json]).toEqual([402, payment])
        expect(answer.headers.has("retry-after")).toBe(false)
      }),
    )

    shared("is absent where paying would not help", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        expect((yield* ask("GET /v1/mailboxes/none", { key })).text).not.toContain("upgrade")
      }),
    )
  })
})
