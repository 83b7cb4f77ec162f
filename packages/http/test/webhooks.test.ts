/** Registering webhooks (spec, Webhook, Authentication 5; decisions §2, §7). */
import { describe } from "@effect/vitest"
import { CreatedWebhook } from "@mailroom/api"
import { Engine } from "@mailroom/engine"
import { MemoryReceivers } from "@mailroom/network"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { expect } from "vitest"
import { scopedKey, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { rule } from "./support/service.js"

const url = "https://receiver.mailroom.dev/in"
const create = (key: string, body: unknown) => ask("POST /v1/webhooks", { key, body })

describe("POST /v1/webhooks", () => {
  rule("answers 201 with the webhook and its secret", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const answer = yield* create(key, { url, events: ["message.received", "message.bounced"] })
      expect([answer.status, answer.json]).toEqual([
        201,
        {
          webhook: {
            id: expect.any(String),
            url,
            mailboxId: null,
            events: ["message.received", "message.bounced"],
            headers: null,
            status: "ACTIVE",
            failureCount: 0,
            lastTriggeredAt: null,
            createdAt: "1970-01-01T00:00:00.000Z",
            updatedAt: "1970-01-01T00:00:00.000Z",
            secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]+=*$/),
          },
        },
      ])
    }),
  )

  rule("has what arrives posted there, signed with that secret", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { webhook } = read(CreatedWebhook)(
        yield* create(account.key, { url, events: ["message.received"] }),
      )
      yield* receive(account.address)
      yield* Engine.settle
      const [posted] = yield* (yield* MemoryReceivers).requests
      const headers = new Map(
        Object.entries(posted?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      )
      const expected = createHmac("sha256", webhook.secret)
        .update(posted?.body ?? "")
        .digest("hex")
      expect(posted?.url).toBe(url)
      expect(headers.get("x-service-signature")).toBe(expected)
    }),
  )

  rule("shows the names of its headers, never their values", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const headers = { Authorization: "Bearer secret-value", "X-Run": "secret-value" }
      const answer = yield* create(key, { url, events: ["message.sent"], headers })
      expect(answer.status).toBe(201)
      expect(Object.keys(read(CreatedWebhook)(answer).webhook.headers ?? {})).toEqual([
        "Authorization",
        "X-Run",
      ])
      expect(answer.text).not.toContain("secret-value")
    }),
  )

  for (const [what, path, wrong] of [
    ["no url", "url", { url: undefined }],
    ["a url that is none", "url", { url: "receiver" }],
    ["http", "url", { url: "http://receiver.mailroom.dev" }],
    ["a password in the url", "url", { url: "https://a:b@receiver.mailroom.dev" }],
    ["a private address", "url", { url: "https://10.0.0.7/in" }],
    ["localhost by number", "url", { url: "https://[::1]/in" }],
    ["a name that resolves to a private address", "url", { url: "https://inside.mailroom.dev" }],
    ["no events", "events", { events: [] }],
    ["an unknown event", "events.0", { events: ["message.read"] }],
    ["events that are no list", "events", { events: "message.sent" }],
    ["a malformed mailbox", "mailboxId", { mailboxId: "inbox" }],
    ["a header of ours", "headers", { headers: { "X-Service-Signature": "forged" } }],
    ["a header that shapes the request", "headers", { headers: { Host: "evil.dev" } }],
    ["a header with a line break", "headers", { headers: { "X-A": "1\r\nX-B: 2" } }],
    [
      "11 headers",
      "headers",
      { headers: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`X-${n}`, "1"])) },
    ],
  ] as const)
    rule(`answers 400 to ${what}`, () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const answer = yield* create(key, { url, events: ["message.sent"], ...wrong })
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED" })
        expect(answer.json).toMatchObject({
          issues: expect.arrayContaining([expect.objectContaining({ path })]),
        })
      }),
    )

  rule("takes a name that does not resolve yet", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const answer = yield* create(key, { url: "https://soon.mailroom.dev", events: ["message.sent"] })
      expect(answer.status).toBe(201)
    }),
  )

  rule(
    "takes http and private addresses where the operator allows it",
    () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const answer = yield* create(key, { url: "http://127.0.0.1:9000/in", events: ["message.sent"] })
        expect(answer.status).toBe(201)
      }),
    { webhookAllowPrivate: true },
  )

  rule("lets a scoped key make one for its mailbox", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { key } = yield* scopedKey(account)
      const body = { url, events: ["message.sent"], mailboxId: account.mailboxId }
      expect((yield* create(key, body)).json).toMatchObject({ webhook: { mailboxId: account.mailboxId } })
    }),
  )

  rule("gives a scoped key 403 for one of the whole account", () =>
    Effect.gen(function* () {
      const { key } = yield* Effect.flatMap(signUp(), scopedKey)
      const answer = yield* create(key, { url, events: ["message.sent"] })
      expect([answer.status, answer.json]).toEqual([
        403,
        { error: expect.any(String), code: "SCOPE_FORBIDDEN" },
      ])
    }),
  )
})
