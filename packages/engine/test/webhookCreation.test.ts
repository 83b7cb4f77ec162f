/** Creation of webhooks. */
import { describe, expect } from "@effect/vitest"
import { ApiKeys } from "@mailroom/engine"
import { MemoryDns } from "@mailroom/network"
import { Effect } from "effect"
import { rule, ruleUnder, ruleWith } from "./support/mailroom.js"
import { as, unverified } from "./support/owners.js"
import { refused } from "./support/refused.js"
import { stored, subscribe, URL_ONE } from "./support/webhooks.js"

describe("a new webhook", () => {
  rule(
    "is ACTIVE; its secret is shown once and stored sealed",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const events = ["message.received", "message.sent", "message.received"] as const
      const made = yield* subscribe(owner, { events, headers: { "X-Token": "hush" } })
      expect(made.webhook).toMatchObject({
        url: URL_ONE,
        mailboxId: null,
        events: ["message.received", "message.sent"],
        status: "ACTIVE",
        failureCount: 0,
        lastTriggeredAt: null,
        createdAt: "2026-03-10T12:00:00.000Z",
      })
      expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      const record = JSON.stringify([made.webhook, yield* stored(owner, made)])
      expect(record).not.toContain(made.secret)
      expect(record).not.toContain("hush")
      expect(Object.keys(made.webhook.headers ?? {})).toEqual(["X-Token"])
    }),
  )

  rule(
    "can be bound to one mailbox, with a key that is scoped to it",
    Effect.gen(function* () {
      const owner = yield* unverified("acme")
      const other = yield* unverified("other")
      const keys = yield* ApiKeys
      const wanted = { name: "scoped", mailboxIds: [owner.mailboxId] }
      const scoped = yield* keys.create(yield* as(owner), wanted)
      expect((yield* subscribe(scoped, { mailboxId: owner.mailboxId })).webhook.mailboxId).toBe(
        owner.mailboxId,
      )
      expect(yield* refused(subscribe(scoped))).toMatchObject({ _tag: "ScopeForbidden" })
      for (const by of [owner, scoped])
        expect(yield* refused(subscribe(by, { mailboxId: other.mailboxId }))).toMatchObject({
          _tag: "NotFound",
          resource: "mailbox",
        })
    }),
  )
})

describe("a webhook's URL", () => {
  for (const url of [
    "not a url",
    "http://receiver.mailroom.dev/",
    "ftp://receiver.mailroom.dev/",
    "https://user:secret@receiver.mailroom.dev/",
    "https://127.0.0.1/",
    "https://10.1.2.3/",
    "https://169.254.169.254/latest/meta-data",
    "https://0x7f000001/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://inside.mailroom.dev/",
    "https://INSIDE.mailroom.dev:8443/",
  ])
    rule(
      `is refused: ${url}`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        const refusal = yield* refused(subscribe(owner, { url }))
        expect(refusal).toMatchObject({ _tag: "InvalidInput", issues: [{ path: "url" }] })
      }),
    )

  ruleWith(MemoryDns.layer({ "mixed.dev": ["93.184.215.14", "fd00::1"] }))(
    "is refused when one of its addresses is private",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const refusal = yield* refused(subscribe(owner, { url: "https://mixed.dev/" }))
      expect(refusal).toMatchObject({ _tag: "InvalidInput", issues: [{ path: "url" }] })
    }),
  )

  ruleWith(MemoryDns.layer({ "away.dev": "unavailable" }))(
    "may have a name that does not resolve yet",
    Effect.gen(function* () {
      const owner = yield* unverified()
      for (const url of ["https://away.dev/", "https://unknown.dev/"])
        expect((yield* subscribe(owner, { url })).webhook.url).toBe(url)
    }),
  )

  rule(
    "may be a public address",
    Effect.gen(function* () {
      const url = "https://93.184.215.14/hook"
      expect((yield* subscribe(yield* unverified(), { url })).webhook.url).toBe(url)
    }),
  )

  ruleUnder({ webhookAllowPrivate: true })(
    "may be any address in development",
    Effect.gen(function* () {
      const owner = yield* unverified()
      for (const url of ["http://127.0.0.1:8080/", "https://inside.mailroom.dev/"])
        expect((yield* subscribe(owner, { url })).webhook.url).toBe(url)
    }),
  )
})

describe("a webhook's headers", () => {
  const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`X-Header-${index}`, "1"]))

  for (const [what, headers] of [
    ["that shape the request", { Host: "evil.org" }],
    ["of the service", { "x-service-signature": "1" }],
    ["of Standard Webhooks", { "webhook-id": "1" }],
    ["about the content", { "Content-Type": "text/plain" }],
    ["with line breaks", { "X-Token": "a\r\nX-Other: b" }],
    ["in excess", eleven],
  ] as const)
    rule(
      `are refused: ${what}`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        const refusal = yield* refused(subscribe(owner, { headers }))
        expect(refusal).toMatchObject({ _tag: "InvalidInput", issues: [{ path: "headers" }] })
      }),
    )
})
