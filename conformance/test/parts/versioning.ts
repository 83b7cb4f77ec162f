/** Versioning. */
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { expect } from "vitest"
import { agent, newcomer } from "../../src/agents.js"
import { type Answer, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { World } from "../../src/World.js"
import { ABSENT, anyText, expectWithin } from "../expectations.js"

const changelog = new URL("../../../CHANGELOG.md", import.meta.url)

/** An entry of the table. */
const threadsRetire = {
  method: "GET",
  path: "/v1/mailboxes/:id/threads",
  deprecatedAt: Date.UTC(2026, 2, 1),
  sunsetAt: Date.UTC(2026, 3, 1),
  link: "http://mailroom.test/docs",
} as const

/** RFC 9745, RFC 8594 */
const announced = {
  deprecation: `@${Date.UTC(2026, 2, 1) / 1000}`,
  sunset: "Wed, 01 Apr 2026 00:00:00 GMT",
  link: `<http://mailroom.test/docs>; rel="deprecation"`,
}
const nothing = { deprecation: null, sunset: null, link: null }

const noticeIn = ({ headers }: Answer) => ({
  deprecation: headers.get("deprecation"),
  sunset: headers.get("sunset"),
  link: headers.get("link"),
})
/** The routes that /v1 promises. */
const promised = [
  "POST /v1/signup",
  "GET /v1/signup/check-slug",
  "GET /v1/account",
  "DELETE /v1/account",
  "POST /v1/account/welcome",
  "POST /v1/account/post-verify-target",
  "POST /v1/auth/resend-verification",
  "POST /api/auth/sign-in/email",
  "GET /v1/api-keys",
  "POST /v1/api-keys",
  "DELETE /v1/api-keys/{id}",
  "GET /v1/mailboxes",
  "POST /v1/mailboxes",
  "GET /v1/mailboxes/{id}",
  "PATCH /v1/mailboxes/{id}",
  "DELETE /v1/mailboxes/{id}",
  "GET /v1/mailboxes/{id}/messages",
  "POST /v1/mailboxes/{id}/messages",
  "GET /v1/mailboxes/{id}/messages/{msgId}",
  "GET /v1/mailboxes/{id}/threads",
  "GET /v1/mailboxes/{id}/threads/{tid}",
  "GET /v1/attachments/{id}",
  "POST /v1/webhooks",
  "GET /v1/events",
  "POST /v1/billing/upgrade",
] as const

export const versioning: Part = [
  row(
    "versioning.1",
    "every operation but the session's is under /v1, and nothing is under /v2",
    function* () {
      const { operations, visit } = yield* World
      const elsewhere = operations.filter((operation) => !/ \/v1\//.test(operation))
      expect(elsewhere.filter((operation) => !/ \/(?:api\/auth|admin\/v1)\//.test(operation))).toEqual([])
      const { key } = yield* agent()
      expectWithin(yield* visit("GET /v2/account", { key }), 404, { code: "ENDPOINT_NOT_FOUND" })
      expectWithin(yield* visit("GET /account", { key }), 404, { code: "ENDPOINT_NOT_FOUND" })
    },
  ),
  row("versioning.2", "every endpoint of the specification is", function* () {
    const { operations } = yield* World
    expect(operations).toEqual(expect.arrayContaining([...promised]))
  }),
  row("versioning.3", "fields that this version does not know are passed over", function* () {
    const { call } = yield* World
    const { slug, body, headers } = yield* newcomer
    const answer = yield* call("POST /v1/signup", { body: { ...body, fromTheFuture: true }, headers })
    expectWithin(answer, 201, { user: { slug } })
  }),
  virtual(
    ["versioning.4-headers", "decisions.retired"],
    "an entry shows with every answer of the route, and of no other",
    function* () {
      const { key, mailboxId } = yield* agent()
      const { call } = yield* World
      const threads = `GET /v1/mailboxes/${mailboxId}/threads`
      for (const [target, caller, status, notice] of [
        [threads, { key }, 200, announced],
        [threads, {}, 401, announced],
        [`GET /v1/mailboxes/${ABSENT}/threads`, { key }, 404, announced],
        [`GET /v1/mailboxes/${mailboxId}/messages`, { key }, 200, nothing],
        ["GET /v1/account", {}, 401, nothing],
      ] as const) {
        const answer = yield* call(target, caller)
        expect([target, answer.status, noticeIn(answer)]).toEqual([target, status, notice])
      }
    },
    {},
    { retired: [threadsRetire] },
  ),
  virtual("versioning.4-changelog", "it is there, and says that it is", function* () {
    const text = yield* Effect.promise(() => readFile(changelog, "utf8"))
    expect(text).toMatch(/retired endpoint is announced here at least 30 days ahead/)
    expect(text).toMatch(/^## /m)
  }),
  row("versioning.5", "at /openapi.json", function* () {
    const { visit } = yield* World
    const { json } = yield* visit("GET /openapi.json")
    expect([valueAt(json, "openapi"), valueAt(json, "info.version")]).toEqual(["3.1.0", "1.0.0"])
    expect(valueAt(json, "info.title")).toEqual(anyText)
  }),
]
