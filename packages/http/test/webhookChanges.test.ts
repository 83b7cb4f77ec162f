/** Listing, changing, rotating and deleting webhooks (decisions §2, §4, §7; docs/decisions/0016). */
import { describe } from "@effect/vitest"
import { CreatedWebhook } from "@mailroom/api"
import { Webhook, WEBHOOKS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { Effect, Schema, Struct, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, scopedKey, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { rule } from "./support/service.js"
import { aWebhook, posted, RECEIVER } from "./support/webhooks.js"

const One = Schema.Struct({ webhook: Webhook })
const Many = Schema.Struct({ webhooks: Schema.Array(Webhook) })

type Caller = Pick<Owner, "key">

const list = ({ key }: Caller) =>
  Effect.map(ask("GET /v1/webhooks", { key }), (answer) => read(Many)(answer).webhooks)
const change = ({ key }: Caller, { id }: Pick<Webhook, "id">, body: unknown) =>
  ask(`PATCH /v1/webhooks/${id}`, { key, body })
const remove = ({ key }: Caller, { id }: Pick<Webhook, "id">) => ask(`DELETE /v1/webhooks/${id}`, { key })

describe("GET /v1/webhooks", () => {
  rule("lists all of the account's, oldest first, without their secrets", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      expect((yield* ask("GET /v1/webhooks", { key: account.key })).json).toEqual({ webhooks: [] })
      const one = yield* aWebhook(account, { headers: { Authorization: "hush" } })
      yield* TestClock.adjust(1)
      const two = yield* aWebhook(account, { mailboxId: account.mailboxId })
      yield* aWebhook(yield* signUp("other"))
      const answer = yield* ask("GET /v1/webhooks", { key: account.key })
      expect(answer.json).toEqual({ webhooks: [one, two].map(Struct.omit("secret")) })
      for (const secret of [one.secret, two.secret, "hush"]) expect(answer.text).not.toContain(secret)
    }),
  )

  rule("lists for a scoped key those bound to its mailboxes", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const whole = yield* aWebhook(account)
      const bound = yield* aWebhook(account, { mailboxId: account.mailboxId })
      const key = yield* scopedKey(account)
      expect((yield* list(key)).map(({ id }) => id)).toEqual([bound.id])
      expect((yield* ask(`GET /v1/webhooks/${bound.id}`, { key: key.key })).status).toBe(200)
      for (const answer of [
        yield* ask(`GET /v1/webhooks/${whole.id}`, { key: key.key }),
        yield* change(key, whole, {}),
        yield* remove(key, whole),
        yield* ask(`POST /v1/webhooks/${whole.id}/test`, { key: key.key }),
        yield* ask(`POST /v1/webhooks/${whole.id}/rotate-secret`, { key: key.key }),
        yield* ask(`GET /v1/webhooks/${whole.id}/deliveries`, { key: key.key }),
      ])
        expect([answer.status, answer.json]).toMatchObject([404, { code: "WEBHOOK_NOT_FOUND" }])
      expect((yield* list(account)).map(({ id }) => id)).toEqual([whole.id, bound.id])
    }),
  )

  rule("has room for 100, and says so to the 101st", () =>
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

describe("GET /v1/webhooks/{id}", () => {
  rule("answers with the webhook", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const made = yield* aWebhook(account)
      const answer = yield* ask(`GET /v1/webhooks/${made.id}`, { key: account.key })
      expect([answer.status, answer.json]).toEqual([200, { webhook: Struct.omit(made, "secret") }])
    }),
  )
})

describe("PATCH /v1/webhooks/{id}", () => {
  rule("changes what it names and answers with the webhook", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const made = yield* aWebhook(account, { headers: { Authorization: "hush" } })
      yield* TestClock.adjust(1000)
      const answer = yield* change(account, made, {
        url: "https://receiver.mailroom.dev/other",
        events: ["message.sent"],
        headers: null,
        status: "paused",
      })
      const after = {
        ...Struct.omit(made, "secret"),
        url: "https://receiver.mailroom.dev/other",
        events: ["message.sent"],
        headers: null,
        status: "PAUSED",
        updatedAt: "1970-01-01T00:00:01.000Z",
      }
      expect([answer.status, answer.json]).toEqual([200, { webhook: after }])
      expect((yield* change(account, made, {})).json).toEqual({ webhook: after })
      expect(yield* list(account)).toEqual([after])
    }),
  )

  rule("replaces headers as a whole", () =>
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
    rule(`answers 400 to ${what}, and changes nothing`, () =>
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

  rule("names the kinds there are to who asks for another, in one issue", () =>
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
  rule("deletes it; after that it is not there", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const made = yield* aWebhook(account)
      yield* receive(account.address)
      const answer = yield* remove(account, made)
      expect([answer.status, answer.json]).toEqual([200, { deleted: true }])
      for (const again of [
        yield* remove(account, made),
        yield* ask(`GET /v1/webhooks/${made.id}`, { key: account.key }),
        yield* ask(`GET /v1/webhooks/${made.id}/deliveries`, { key: account.key }),
      ])
        expect(again.status).toBe(404)
      yield* receive(account.address)
      expect(yield* posted).toHaveLength(1)
      expect(yield* list(account)).toEqual([])
    }),
  )

  rule("happens with the deletion of the mailbox it is bound to", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const bound = yield* aWebhook(account, { mailboxId: account.mailboxId })
      yield* ask(`DELETE /v1/mailboxes/${account.mailboxId}`, { key: account.key })
      yield* Engine.settle
      expect((yield* ask(`GET /v1/webhooks/${bound.id}`, { key: account.key })).status).toBe(404)
    }),
  )
})

describe("POST /v1/webhooks/{id}/rotate-secret", () => {
  rule("answers with the webhook and its new secret", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const made = yield* aWebhook(account)
      const answer = yield* ask(`POST /v1/webhooks/${made.id}/rotate-secret`, { key: account.key })
      expect([answer.status, answer.json]).toEqual([
        200,
        { webhook: { ...made, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]+=*$/) } },
      ])
      expect(read(CreatedWebhook)(answer).webhook.secret).not.toBe(made.secret)
    }),
  )
})
