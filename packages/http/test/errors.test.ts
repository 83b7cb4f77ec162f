/** The text of errors on the wire: `error` comes first, no schema internals, `upgrade` only where paying helps. */
import { describe } from "@effect/vitest"
import { CreatedKey } from "@mailroom/api"
import { Draft } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { owner, setFacts, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
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
  describe("what a key, a policy or the owner forbids says what to do", () => {
    shared("stopped sends, a missing permission, a key of a mailbox, a draft that waits for nothing", () =>
      Effect.gen(function* () {
        const { key, mailboxId } = yield* owner("active")
        const messages = `/v1/mailboxes/${mailboxId}/messages`
        const mail = { to: ["ada@example.dev"], subject: "Hello", bodyText: "Hello" }
        const written = yield* ask(`POST /v1/mailboxes/${mailboxId}/drafts`, { key, body: mail })
        const { id, digest } = read(Schema.Struct({ draft: Draft }))(written).draft
        const body = { name: "agent", mailboxIds: [mailboxId], permissions: ["read", "draft"] }
        const agent = read(CreatedKey)(yield* ask("POST /v1/api-keys", { key, body })).key
        const refused = [
          yield* ask(`POST /v1/reviews/${id}/approve`, { key, body: { digest } }),
          yield* ask(`POST ${messages}`, { key: agent, body: mail }),
          yield* ask("GET /v1/audit", { key: agent }),
          yield* Effect.zipRight(
            ask("PATCH /v1/account", { key, body: { sendingPaused: true } }),
            ask(`POST ${messages}`, { key, body: mail }),
          ),
        ]
        expect(refused.map(read(Schema.Struct({ error: Schema.String }))).map(({ error }) => error)).toEqual([
          "The draft waits for no review: it is DRAFT. Sending it again asks for one",
          "This key lacks the permission for this: send. A key keeps its permissions: ask the owner for another one",
          "This needs a key with full access, or the session of the owner",
          'The owner has paused all sends of the account. PATCH /v1/account with {"sendingPaused": false} resumes them',
        ])
      }),
    )
  })

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

    rule("comes with the reason: a trial that is over, or a plan that has lapsed", () =>
      Effect.gen(function* () {
        const account = yield* owner("payment_required")
        const reason = Effect.map(
          ask("GET /v1/mailboxes", account),
          read(Schema.Struct({ error: Schema.String })),
        )
        expect((yield* reason).error).toMatch(/^Payment required: the trial/)
        yield* setFacts(account, { plan: "Developer", lapsed: true })
        expect((yield* reason).error).toBe("Payment required: the plan has lapsed")
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
