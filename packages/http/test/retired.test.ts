/** Deprecation and Sunset of a retired route, on every kind of answer (RFC 9745, RFC 8594). */
import { describe } from "@effect/vitest"
import { type RetiredRoute, retiredRoutes } from "@mailroom/http"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect } from "effect"
import { expect } from "vitest"
import { signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { ABSENT } from "./support/routes.js"
import { rule } from "./support/service.js"
import { listen } from "./support/stream.js"

const retire = (method: RetiredRoute["method"], path: RetiredRoute["path"]): RetiredRoute => ({
  method,
  path,
  deprecatedAt: Date.UTC(2026, 2, 1, 9, 30, 0, 999),
  sunsetAt: Date.UTC(2026, 3, 1),
  link: "https://mail.agents.dev/changelog#threads",
})

const retired = [
  retire("GET", "/v1/mailboxes/:id/threads"),
  retire("POST", "/v1/signup"),
  retire("GET", "/v1/events"),
]

const notice = {
  deprecation: "@1772357400",
  sunset: "Wed, 01 Apr 2026 00:00:00 GMT",
  link: '<https://mail.agents.dev/changelog#threads>; rel="deprecation"',
}

const noticeIn = (headers: Headers) => ({
  deprecation: headers.get("deprecation"),
  sunset: headers.get("sunset"),
  link: headers.get("link"),
})

const none = { deprecation: null, sunset: null, link: null }

describe("a retired route", () => {
  const under = (name: string, body: Parameters<typeof rule>[1]) => rule(name, body, {}, { retired })

  under("says so with every success", () =>
    Effect.gen(function* () {
      const { key, mailboxId } = yield* signUp()
      const answer = yield* ask(`GET /v1/mailboxes/${mailboxId}/threads?colour=red`, { key })
      expect([answer.status, noticeIn(answer.headers)]).toEqual([200, notice])
      expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
    }),
  )

  under("says so with every refusal: before the gates, at them and behind them", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      for (const [target, call, status] of [
        [`GET /v1/mailboxes/${ABSENT}/threads`, {}, 401],
        [`GET /v1/mailboxes/${ABSENT}/threads`, { key }, 404],
        ["GET /v1/mailboxes/seven/threads", { key }, 404],
        ["POST /v1/signup", { body: "{" }, 400],
        ["POST /v1/signup", { body: {}, headers: { "content-length": "90000000" } }, 413],
      ] as const) {
        const answer = yield* ask(target, call)
        expect([answer.status, noticeIn(answer.headers)]).toEqual([status, notice])
      }
    }),
  )

  under("says so to HEAD as to GET, and at the head of a stream", () =>
    Effect.gen(function* () {
      const { key, mailboxId } = yield* signUp()
      const { call } = yield* InMemoryHttp
      const head = yield* call(`HEAD /v1/mailboxes/${mailboxId}/threads`, { key })
      expect(noticeIn(head.headers)).toEqual(notice)
      const { response } = yield* listen({ key })
      expect(noticeIn(response.headers)).toEqual(notice)
    }),
  )

  under("says nothing for other methods of its path, or other paths", () =>
    Effect.gen(function* () {
      const { key, mailboxId } = yield* signUp()
      const { call } = yield* InMemoryHttp
      for (const target of [
        `GET /v1/mailboxes/${mailboxId}`,
        `GET /v1/mailboxes/${mailboxId}/threads/${ABSENT}`,
        `POST /v1/mailboxes/${mailboxId}/threads`,
        "GET /v1/account",
        "GET /v1/signup/check-slug?slug=acme",
      ])
        expect([target, noticeIn((yield* call(target, { key })).headers)]).toEqual([target, none])
    }),
  )
})

describe("the table of this version", () => {
  rule("retires nothing", () =>
    Effect.gen(function* () {
      expect(retiredRoutes).toEqual([])
      const { key } = yield* signUp()
      expect(noticeIn((yield* ask("GET /v1/account", { key })).headers)).toEqual(none)
    }),
  )
})
