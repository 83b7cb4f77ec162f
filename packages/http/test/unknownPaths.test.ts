/** Unknown paths and methods, HEAD and OPTIONS, for the whole table of routes. */
import { describe } from "@effect/vitest"
import { type Answer, InMemoryHttp } from "@mailroom/testing"
import { Effect } from "effect"
import { expect } from "vitest"
import { signUp } from "./support/accounts.js"
import { inOneService } from "./support/service.js"

const call = (target: string, key?: string) =>
  Effect.flatMap(InMemoryHttp, (http) => http.call(target, key === undefined ? {} : { key }))

const expectShape = (answer: Answer, status: number, code: string) => {
  expect(answer.status).toBe(status)
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/)
  expect(answer.json).toEqual({
    error: expect.any(String),
    code,
    message: expect.any(String),
    resolution: {
      openapi: "http://mailroom.test/openapi.json",
      docs: "http://mailroom.test/docs",
      endpoints: expect.any(String),
      commonEndpoints: expect.arrayContaining(["POST /v1/signup"]),
    },
  })
}

inOneService((shared) => {
  describe("an unknown path gives a JSON 404", () => {
    inOneService((shared) => {
      for (const target of [
        "GET /v1",
        "GET /v1/nothing",
        "POST /v2/signup",
        "DELETE /nothing/at/all",
        "GET /v1/account/",
        "GET /v1/Account",
        "GET /v1//account",
        "GET /v1/mailboxes/",
        "POST /v1/mailboxes//messages",
        "GET /admin/v1/accounts/",
        "GET //v1/account",
        "GET /v1/mailboxes/%zz",
        `GET /${"a".repeat(2000)}`,
      ])
        shared(target.slice(0, 40), () =>
          Effect.gen(function* () {
            expectShape(yield* call(target), 404, "ENDPOINT_NOT_FOUND")
          }),
        )
    })

    shared("with or without a key", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        expectShape(yield* call("GET /v1/nothing", key), 404, "ENDPOINT_NOT_FOUND")
      }),
    )

    shared("that does not repeat the query, where secrets may be", () =>
      Effect.gen(function* () {
        expect((yield* call("GET /v1/nothing?token=secret")).text).not.toContain("secret")
      }),
    )
  })

  describe("a wrong method gives a 405 that says what is allowed", () => {
    inOneService((shared) => {
      for (const [target, allowed] of [
        ["PUT /v1/account", "DELETE, GET, HEAD, PATCH"],
        ["DELETE /v1/mailboxes", "GET, HEAD, POST"],
        ["PUT /v1/mailboxes/any", "DELETE, GET, HEAD, PATCH"],
        ["GET /v1/account/welcome", "POST"],
        ["GET /v1/account/post-verify-target", "POST"],
        ["GET /api/auth/reset-password", "POST"],
        ["POST /reset-password", "GET, HEAD"],
        ["GET /v1/signup", "POST"],
        ["POST /v1/mailboxes/any/messages/any", "DELETE, GET, HEAD, PATCH"],
        ["DELETE /v1/domains", "GET, HEAD, POST"],
        ["PATCH /v1/domains/any", "DELETE, GET, HEAD"],
        ["GET /v1/domains/any/verify", "POST"],
        ["PUT /v1/suppressions", "GET, HEAD, POST"],
        ["GET /v1/suppressions/any", "DELETE"],
        ["GET /v1/mailboxes/any/messages/any/reply", "POST"],
        ["DELETE /v1/events", "GET, HEAD"],
        ["POST /v1/events/log", "GET, HEAD"],
        ["DELETE /v1/webhooks", "GET, HEAD, POST"],
        ["PUT /v1/webhooks/any", "DELETE, GET, HEAD, PATCH"],
        ["GET /v1/webhooks/any/test", "POST"],
        ["GET /v1/webhooks/any/rotate-secret", "POST"],
        ["POST /v1/webhooks/any/deliveries", "GET, HEAD"],
        ["DELETE /v1/webhooks/any/deliveries/any", "GET, HEAD"],
        ["GET /v1/webhooks/any/deliveries/any/redeliver", "POST"],
        ["GET /v1/billing/change-plan", "POST"],
        ["GET /v1/billing/portal", "POST"],
        ["PUT /v1/auth/verify-email", "GET, HEAD, POST"],
        ["POST /healthz", "GET, HEAD"],
        ["POST /dashboard/billing", "GET, HEAD"],
        ["DELETE /checkout/any", "GET, HEAD"],
        ["GET /checkout/any/complete", "POST"],
      ] as const)
        shared(target, () =>
          Effect.gen(function* () {
            const answer = yield* call(target)
            expectShape(answer, 405, "METHOD_NOT_ALLOWED")
            expect(answer.headers.get("allow")?.split(", ").sort().join(", ")).toBe(allowed)
          }),
        )
    })
  })

  describe("HEAD", () => {
    for (const target of ["/v1/account", "/v1/mailboxes", "/healthz"])
      shared(`answers like GET, without a body: ${target}`, () =>
        Effect.gen(function* () {
          const { key } = yield* signUp()
          const get = yield* call(`GET ${target}`, key)
          const head = yield* call(`HEAD ${target}`, key)
          expect([head.status, head.text]).toEqual([get.status, ""])
          expect([...head.headers]).toEqual([...get.headers])
        }),
      )

    shared("needs a key where GET needs one", () =>
      Effect.gen(function* () {
        expect((yield* call("HEAD /v1/account")).status).toBe(401)
      }),
    )

    shared("of an unknown path gives 404, without a body", () =>
      Effect.gen(function* () {
        const head = yield* call("HEAD /v1/nothing")
        expect([head.status, head.text]).toEqual([404, ""])
      }),
    )
  })

  describe("OPTIONS", () => {
    shared("is a method like others: 405 with what is allowed", () =>
      Effect.gen(function* () {
        const answer = yield* call("OPTIONS /v1/mailboxes")
        expectShape(answer, 405, "METHOD_NOT_ALLOWED")
        expect(answer.headers.get("allow")).toBe("GET, HEAD, POST")
      }),
    )

    shared("lets no other origin in", () =>
      Effect.gen(function* () {
        const { headers } = yield* call("OPTIONS /v1/mailboxes")
        expect(headers.has("access-control-allow-origin")).toBe(false)
      }),
    )
  })
})
