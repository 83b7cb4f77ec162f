/**
 * Changing webhooks beyond `decisions.webhooks.*`: the limit of 100, headers as a whole, every refused field
 * (docs/decisions/0016).
 */
import { describe } from "@effect/vitest"
import { Webhook, WEBHOOKS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { Effect, Schema, Struct } from "effect"
import { expect } from "vitest"
import { owner, type Owner, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { inOneService, rule } from "./support/service.js"
import { aWebhook, posted, RECEIVER } from "./support/webhooks.js"

const One = Schema.Struct({ webhook: Webhook })
const Many = Schema.Struct({ webhooks: Schema.Array(Webhook) })

type Caller = Pick<Owner, "key">

const list = ({ key }: Caller) =>
  Effect.map(ask("GET /v1/webhooks", { key }), (answer) => read(Many)(answer).webhooks)
const change = ({ key }: Caller, { id }: Pick<Webhook, "id">, body: unknown) =>
  ask(`PATCH /v1/webhooks/${id}`, { key, body })

inOneService((shared) => {
  describe("GET /v1/webhooks", () => {
    shared("has room for 100, and says so to the 101st", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* Effect.forEach(Array.from({ length: WEBHOOKS_MAX_PER_ACCOUNT }), () => aWebhook(account))
        const body = { url: RECEIVER, events: ["message.sent"] }
        const answer = yield* ask("POST /v1/webhooks", { key: account.key, body })
        expect([answer.status, answer.json]).toEqual([
          400,
          { error: expect.stringContaining("100"), code: "WEBHOOK_LIMIT_REACHED" },
        ])
        expect(yield* list(account)).toHaveLength(100)
      }),
    )
  })

  describe("PATCH /v1/webhooks/{id}", () => {
    shared("replaces headers as a whole", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const made = yield* aWebhook(account, { headers: { "X-One": "1", "X-Two": "2" } })
        const answer = yield* change(account, made, { headers: { "X-Three": "3" } })
        expect(Object.keys(read(One)(answer).webhook.headers ?? {})).toEqual(["X-Three"])
        expect(read(One)(yield* change(account, made, { headers: {} })).webhook.headers).toBeNull()
      }),
    )

    for (const [what, path, wrong] of [
      ["a private address", "url", { url: "https://10.0.0.7/in" }],
      ["a name that resolves to a private address", "url", { url: "https://inside.mailroom.dev" }],
      ["http", "url", { url: "http://receiver.mailroom.dev" }],
      ["a url that is null", "url", { url: null }],
      ["no events", "events", { events: [] }],
      ["an unknown event", "events.0", { events: ["message.read"] }],
      ["a header of ours", "headers", { headers: { "X-Service-Signature": "forged" } }],
      ["a status that nobody can ask for", "status", { status: "FAILED" }],
      ["a status that is none", "status", { status: "on" }],
    ] as const)
      shared(`answers 400 to ${what}, and changes nothing`, () =>
        Effect.gen(function* () {
          const account = yield* signUp()
          const made = yield* aWebhook(account)
          const answer = yield* change(account, made, { events: ["message.sent"], ...wrong })
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({
            code: "VALIDATION_FAILED",
            issues: expect.arrayContaining([expect.objectContaining({ path })]),
          })
          expect(yield* list(account)).toEqual([Struct.omit(made, "secret")])
        }),
      )

    shared("names the kinds there are to who asks for another, in one issue", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const answer = yield* change(account, yield* aWebhook(account), { events: ["message.read"] })
        expect(answer.json).toMatchObject({
          issues: [
            { path: "events.0", message: expect.stringMatching(/message\.received.*message\.complaint/) },
          ],
        })
      }),
    )

    rule("pauses a webhook, and starts it again", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const made = yield* aWebhook(account)
        yield* change(account, made, { status: "PAUSED" })
        yield* receive(account.address)
        expect(yield* posted).toEqual([])
        const answer = yield* change(account, made, { status: "Active" })
        expect(read(One)(answer).webhook).toMatchObject({ status: "ACTIVE", failureCount: 0 })
        yield* receive(account.address)
        expect(yield* posted).toHaveLength(1)
      }),
    )
  })

  describe("DELETE /v1/webhooks/{id}", () => {
    shared("happens with the deletion of the mailbox it is bound to", () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        const bound = yield* aWebhook(account, { mailboxId: account.mailboxId })
        yield* ask(`DELETE /v1/mailboxes/${account.mailboxId}`, { key: account.key })
        yield* Engine.settle
        expect((yield* ask(`GET /v1/webhooks/${bound.id}`, { key: account.key })).status).toBe(404)
      }),
    )
  })
})
