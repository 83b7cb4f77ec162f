/**
 * Custom domains beyond `decisions.domains.*`: international names, mailboxes on a domain, FAILED and back,
 * byte-equal 404s.
 */
import { describe } from "@effect/vitest"
import { DAY } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import type { Answer } from "@mailroom/testing"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { claim, publish, putDns, verifiedDomain } from "./support/domains.js"
import { ABSENT } from "./support/routes.js"
import { inOneService, inOneScene, rule } from "./support/service.js"

const create = (key: string, body: unknown) => ask("POST /v1/domains", { key, body })

const seen = ({ status, text, headers }: Answer) => ({ status, text, headers: [...headers] })

inOneService((shared) => {
  describe("POST /v1/domains", () => {
    shared("stores an international name as A-labels", () =>
      Effect.gen(function* () {
        const { key } = yield* owner("active")
        expect((yield* create(key, { domain: "Bücher.example.de" })).json).toMatchObject({
          domain: { domain: "xn--bcher-kva.example.de" },
          dnsRecords: { mx: { host: "xn--bcher-kva.example.de" } },
        })
      }),
    )

    // Who is refused changes nothing.
    inOneScene(owner("active"), (refused) => {
      for (const domain of [undefined, 7, "mailroom.localhost", "example.com", "a".repeat(301)])
        refused(`answers 400 to ${JSON.stringify(domain)?.slice(0, 40)}`, ({ key }) =>
          Effect.gen(function* () {
            const answer = yield* create(key, { domain })
            expect(answer.status).toBe(400)
            expect(answer.json).toMatchObject({
              code: "VALIDATION_FAILED",
              issues: [{ path: "domain", message: expect.any(String) }],
            })
          }),
        )
    })

    shared("answers 400 before 403, to what is no domain", () =>
      Effect.gen(function* () {
        const { key } = yield* owner("trial")
        expect((yield* create(key, { domain: "acme" })).status).toBe(400)
      }),
    )

    shared("answers 409 to a domain that the account has already", () =>
      Effect.gen(function* () {
        const { key } = yield* owner("active")
        yield* create(key, { domain: "acme.dev" })
        const answer = yield* create(key, { domain: "ACME.dev" })
        expect([answer.status, answer.json]).toEqual([
          409,
          { error: expect.stringContaining("acme.dev"), code: "DOMAIN_TAKEN" },
        ])
      }),
    )

    shared("answers 409 to a domain that another account has VERIFIED, not to one that waits", () =>
      Effect.gen(function* () {
        const [first, second, third] = [
          yield* owner("active", "one"),
          yield* owner("active", "two"),
          yield* owner("active", "three"),
        ]
        const claimed = yield* claim(first)
        expect((yield* create(second.key, { domain: "acme.dev" })).status).toBe(201)
        yield* publish(claimed)
        yield* ask(`POST /v1/domains/${claimed.domain.id}/verify`, { key: first.key })
        expect((yield* create(third.key, { domain: "acme.dev" })).json).toMatchObject({
          code: "DOMAIN_TAKEN",
        })
      }),
    )
  })

  describe("POST /v1/domains/{id}/verify", () => {
    rule("answers 503 while name servers do not answer, and changes nothing", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const id = yield* verifiedDomain(account)
        const before = yield* ask(`GET /v1/domains/${id}`, { key: account.key })
        yield* putDns("acme.dev", "unavailable")
        const answer = yield* ask(`POST /v1/domains/${id}/verify`, { key: account.key })
        expect([answer.status, answer.json]).toEqual([
          503,
          { error: expect.stringContaining("acme.dev"), code: "DNS_UNAVAILABLE" },
        ])
        expect((yield* ask(`GET /v1/domains/${id}`, { key: account.key })).text).toBe(before.text)
      }),
    )

    rule("answers 409 when another account has verified it first", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* owner("active", "one"), yield* owner("active", "two")]
        const late = yield* claim(second)
        yield* verifiedDomain(first)
        yield* publish(late)
        const answer = yield* ask(`POST /v1/domains/${late.domain.id}/verify`, { key: second.key })
        expect([answer.status, answer.json]).toEqual([
          409,
          { error: expect.stringContaining("acme.dev"), code: "DOMAIN_TAKEN" },
        ])
      }),
    )

    rule("is what the background check does by itself, until the domain has FAILED and beyond", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const claimed = yield* claim(account)
        const status = Effect.map(
          ask(`GET /v1/domains/${claimed.domain.id}`, { key: account.key }),
          ({ json }) => json,
        )
        yield* TestClock.adjust(3 * DAY)
        yield* Engine.settle
        expect(yield* status).toMatchObject({ domain: { status: "FAILED" } })
        yield* publish(claimed)
        yield* TestClock.adjust(DAY)
        yield* Engine.settle
        expect(yield* status).toMatchObject({ domain: { status: "VERIFIED" } })
      }),
    )
  })

  describe("DELETE /v1/domains/{id}", () => {
    rule("gives it up, and makes room for another", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { key } = account
        const id = yield* verifiedDomain(account)
        const answer = yield* ask(`DELETE /v1/domains/${id}`, { key })
        expect([answer.status, answer.json]).toEqual([200, { deleted: true }])
        expect((yield* ask(`GET /v1/domains/${id}`, { key })).status).toBe(404)
        expect((yield* ask(`DELETE /v1/domains/${id}`, { key })).status).toBe(404)
        expect((yield* create(key, { domain: "acme.dev" })).status).toBe(201)
      }),
    )

    rule("answers 409 while mailboxes are on it, and says what to do", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { key } = account
        const id = yield* verifiedDomain(account)
        yield* ask("POST /v1/mailboxes", { key, body: { address: "hello", domainId: id } })
        const answer = yield* ask(`DELETE /v1/domains/${id}`, { key })
        expect([answer.status, answer.json]).toEqual([
          409,
          { error: expect.stringContaining("Delete"), code: "DOMAIN_IN_USE" },
        ])
        expect((yield* ask(`GET /v1/domains/${id}`, { key })).json).toMatchObject({
          domain: { status: "VERIFIED" },
        })
      }),
    )
  })

  describe("a domain that is absent, another account's, or has a malformed id", () => {
    for (const [method, rest] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/verify"],
    ] as const)
      rule(`answers the same 404: ${method} /v1/domains/{id}${rest}`, () =>
        Effect.gen(function* () {
          const { key } = yield* owner("active")
          const other = yield* owner("active", "other")
          const id = yield* verifiedDomain(other)
          const none = yield* ask(`${method} /v1/domains/${ABSENT}${rest}`, { key })
          expect([none.status, none.json]).toEqual([
            404,
            { error: expect.any(String), code: "DOMAIN_NOT_FOUND" },
          ])
          for (const wrong of [id, "acme.dev", "42", "%00", `${ABSENT}0`])
            expect(seen(yield* ask(`${method} /v1/domains/${wrong}${rest}`, { key })), wrong).toEqual(
              seen(none),
            )
          expect((yield* ask(`GET /v1/domains/${id}`, { key: other.key })).status).toBe(200)
        }),
      )
  })

  describe("a mailbox on a custom domain", () => {
    rule("is created there once the domain is VERIFIED, and sends from there", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { key } = account
        const claimed = yield* claim(account)
        const body = { address: "hello", domainId: claimed.domain.id }
        const early = yield* ask("POST /v1/mailboxes", { key, body })
        expect([early.status, early.json]).toEqual([
          400,
          { error: "Domain not verified", code: "DOMAIN_NOT_VERIFIED" },
        ])
        yield* publish(claimed)
        yield* ask(`POST /v1/domains/${claimed.domain.id}/verify`, { key })
        const made = yield* ask("POST /v1/mailboxes", { key, body })
        expect(made.json).toMatchObject({ mailbox: { fullAddress: "hello@acme.dev", status: "ACTIVE" } })
        const One = Schema.Struct({ mailbox: Schema.Struct({ id: Schema.String }) })
        const mail = { to: ["bob@partner.dev"], subject: "Hello", bodyText: "Hello" }
        const send = ask(`POST /v1/mailboxes/${read(One)(made).mailbox.id}/messages`, { key, body: mail })
        expect((yield* send).json).toMatchObject({ message: { fromAddress: "hello@acme.dev" } })

        yield* putDns("acme.dev", {})
        for (let day = 0; day < 4; day++) {
          yield* TestClock.adjust(DAY)
          yield* Engine.settle
        }
        const refused = yield* send
        expect([refused.status, refused.json]).toEqual([
          400,
          { error: "Domain not verified", code: "DOMAIN_NOT_VERIFIED" },
        ])
      }),
    )
  })
})
