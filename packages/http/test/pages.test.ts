/** Health, the development outbox, documents and metrics: who sees them, and what they contain. */
import { describe, it } from "@effect/vitest"
import { errorCodes, openApiDocument } from "@mailroom/api"
import { WAIT_MAX } from "@mailroom/domain"
import { DevelopmentOutbox, Engine, StorageFailure, WriteCheckStore } from "@mailroom/engine"
import { Readiness } from "@mailroom/http"
import { ADMIN_TOKEN, InMemoryHttp, inMemoryPorts } from "@mailroom/testing"
import { Array, Context, Effect, Fiber, Layer, Option, TestClock } from "effect"
import { createHash } from "node:crypto"
import { readdir } from "node:fs/promises"
import { expect } from "vitest"
import { checkout, owner, signUp, verificationToken } from "./support/accounts.js"
import { endpoints } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { ABSENT } from "./support/routes.js"
import { inOneService, rule, ruleAlone } from "./support/service.js"

type InMemoryPorts = Context.Context<Layer.Layer.Success<ReturnType<typeof inMemoryPorts>>>

const get = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(InMemoryHttp, ({ call }) => call(`GET ${path}`, { headers }))

inOneService((shared) => {
  describe("health", () => {
    shared("/readyz says 503, and when to ask again, until the listeners are up", () =>
      Effect.gen(function* () {
        const answer = yield* get("/readyz")
        expect([answer.status, answer.json]).toEqual([503, { status: "starting" }])
        expect(answer.headers.get("retry-after")).toBe("1")
      }),
    )
  })

  describe("/readyz of a process that is up", () => {
    const asked = Effect.gen(function* () {
      yield* (yield* Readiness).set(true)
      return yield* get("/readyz")
    })
    const over = (change: (ports: InMemoryPorts) => InMemoryPorts) =>
      InMemoryHttp.layerOver.pipe(
        Layer.provideMerge(Engine.layer),
        Layer.provideMerge(Layer.map(inMemoryPorts(), change)),
      )

    it.scoped("is 200, and names a relay that does not answer", () =>
      Effect.gen(function* () {
        expect([(yield* asked).status, (yield* asked).json]).toEqual([200, { status: "ok" }])
        yield* (yield* Readiness).setRelayProblem("does not take mail: ECONNREFUSED")
        expect([(yield* asked).status, (yield* asked).json]).toEqual([
          200,
          { status: "ok", relay: "does not take mail: ECONNREFUSED" },
        ])
      }).pipe(Effect.provide(over((ports) => ports))),
    )

    it.scoped("is 503 while the database cannot write, and says why", () =>
      Effect.gen(function* () {
        const answer = yield* asked
        expect([answer.status, answer.json]).toEqual([
          503,
          { status: "storage unavailable", database: "cannot write: no space left" },
        ])
      }).pipe(
        Effect.provide(
          over(
            Context.add(WriteCheckStore, {
              write: () => Effect.die(new StorageFailure({ reason: "full", cause: "SQLITE_FULL" })),
            }),
          ),
        ),
      ),
    )
  })

  describe("GET /", () => {
    shared("says what this is, and links to pages that are there", () =>
      Effect.gen(function* () {
        const answer = yield* get("/", { "x-forwarded-for": "127.0.0.1" })
        expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html"])
        expect(answer.text).toContain("Mailboxes for software agents")
        const links = [...answer.text.matchAll(/ href="(\/[^"]*)"/g)].map(([, path = ""]) => path)
        expect([...new Set(links)]).toEqual([
          "/",
          "/docs",
          "/openapi.json",
          "/llms.txt",
          "/skill.md",
          "/dev/outbox",
        ])
        // The documentation is built for a server (test/docs.test.ts).
        for (const link of links.filter((path) => path !== "/docs"))
          expect((yield* get(link, { "x-forwarded-for": "127.0.0.1" })).status, link).toBe(200)
      }),
    )

    shared("does not name the outbox to clients elsewhere, who cannot open it", () =>
      Effect.gen(function* () {
        const answer = yield* get("/", { "x-forwarded-for": "198.51.100.7" })
        expect(answer.text).not.toContain("/dev/outbox")
      }),
    )

    rule(
      "shows the plans only where something is sold",
      () =>
        Effect.gen(function* () {
          expect((yield* get("/")).text).not.toMatch(/Plans|\$19/)
        }),
      { billing: "none" },
    )

    shared("runs no script, and its style is the one that its policy names", () =>
      Effect.gen(function* () {
        for (const path of ["/", "/v1/auth/verify-email?token=1"]) {
          const { text, headers } = yield* get(path)
          const [, style = ""] = /<style>([^]*)<\/style>/.exec(text) ?? []
          const hash = createHash("sha256").update(style).digest("base64")
          expect(headers.get("content-security-policy")).toMatch(
            `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action 'self'; `,
          )
          expect(text).not.toMatch(/<script| style=| on[a-z]+=/)
        }
      }),
    )
  })

  describe("the dashboard's address", () => {
    shared("after paying it says nothing of a trial", () =>
      Effect.gen(function* () {
        const answer = yield* get("/dashboard?upgraded=true")
        expect([answer.status, answer.text.includes("Thank you"), answer.text.includes("trial")]).toEqual([
          200,
          true,
          false,
        ])
      }),
    )

    shared("after verifying it tells of the trial", () =>
      Effect.gen(function* () {
        expect((yield* get("/dashboard?verified=true")).text).toContain("three days")
      }),
    )

    rule(
      "where nothing is sold, it tells neither of a trial nor of an upgrade",
      () =>
        Effect.gen(function* () {
          for (const path of ["/dashboard?verified=true", "/onboarding", "/dashboard", "/dashboard/billing"])
            expect((yield* get(path)).text, path).not.toMatch(/trial|upgrade|buy/)
        }),
      { billing: "none" },
    )

    shared("takes a query as it comes", () =>
      Effect.gen(function* () {
        for (const query of ["?upgraded=1&upgraded=2", "?verified", "?other=%E2%82"])
          expect((yield* get(`/dashboard${query}`)).status, query).toBe(200)
      }),
    )
  })

  describe("GET /dev/outbox", () => {
    const capture = Effect.gen(function* () {
      const { add } = yield* DevelopmentOutbox
      for (const [id, to] of [
        ["1", "ada@acme.dev"],
        ["2", "bob@acme.dev"],
      ] as const)
        yield* add({
          id,
          from: "agent@acme.mailroom.localhost",
          to: [to],
          raw: new TextEncoder().encode(`Subject: Mail ${id}\r\nTo: ${to}\r\n\r\nText ${id}\r\n`),
          at: Number(id),
        })
    })

    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
      rule(`shows a client at ${address} what would have been sent, newest first`, () =>
        Effect.gen(function* () {
          yield* capture
          const answer = yield* get("/dev/outbox", { "x-forwarded-for": address })
          expect(answer.status).toBe(200)
          expect(answer.json).toMatchObject({
            messages: [
              { id: "2", to: ["bob@acme.dev"], subject: "Mail 2", capturedAt: "1970-01-01T00:00:00.002Z" },
              { id: "1", to: ["ada@acme.dev"], subject: "Mail 1", text: "Text 1\n", attachments: [] },
            ],
          })
        }),
      )

    rule("refuses ?to= twice", () =>
      Effect.gen(function* () {
        const answer = yield* get("/dev/outbox?to=a&to=b", { "x-forwarded-for": "127.0.0.1" })
        expect([answer.status, answer.json]).toMatchObject([
          400,
          { code: "VALIDATION_FAILED", issues: [{ path: "to" }] },
        ])
      }),
    )

    rule("keeps one recipient by ?to=, in any case", () =>
      Effect.gen(function* () {
        yield* capture
        const answer = yield* get("/dev/outbox?to=ADA@acme.dev", { "x-forwarded-for": "127.0.0.1" })
        expect(answer.json).toMatchObject({ messages: [{ id: "1" }] })
        expect(answer.text).not.toContain("bob@")
      }),
    )

    for (const address of ["198.51.100.7", "10.0.0.1", "127.0.0.1, 198.51.100.7", "127.evil.dev"])
      rule(`is an unknown path for a client at "${address}"`, () =>
        Effect.gen(function* () {
          yield* capture
          const answer = yield* get("/dev/outbox", { "x-forwarded-for": address })
          expect(answer.status).toBe(404)
          expect(answer.json).toMatchObject({ code: "ENDPOINT_NOT_FOUND" })
        }),
      )
  })

  describe("a page in a browser of this machine that points its own name here", () => {
    for (const host of [
      "evil.dev",
      "evil.dev:3000",
      "localhost.evil.dev",
      "127.0.0.1.evil.dev",
      "notlocalhost",
    ])
      shared(`reads neither mail nor counts: ${host}`, () =>
        Effect.gen(function* () {
          const outbox = yield* get("/dev/outbox", { host, "x-forwarded-for": "127.0.0.1" })
          expect(outbox.status).toBe(404)
          expect((yield* get("/", { host, "x-forwarded-for": "127.0.0.1" })).text).not.toContain(
            "/dev/outbox",
          )
          expect((yield* get("/metrics", { host })).status).toBe(401)
        }),
      )

    for (const host of [
      "localhost:3000",
      "mail.localhost",
      "LOCALHOST",
      "127.0.0.1:3000",
      "[::1]:3000",
      "mailroom.test",
    ])
      shared(`is no page of this machine: ${host}`, () =>
        Effect.gen(function* () {
          const outbox = yield* get("/dev/outbox", { host, "x-forwarded-for": "127.0.0.1" })
          expect(outbox.status).toBe(200)
          expect((yield* get("/metrics", { host })).status).toBe(200)
        }),
      )
  })

  describe("the pages of a service whose BASE_URL has a path", () => {
    rule(
      "have it before the paths of their forms and redirects",
      () =>
        Effect.gen(function* () {
          const { call } = yield* InMemoryHttp
          const account = yield* signUp()
          const token = yield* verificationToken(account.email)
          const form = { "content-type": "application/x-www-form-urlencoded" }
          const post = (path: string, body: string) => call(`POST ${path}`, { headers: form, body })

          for (const [path, action] of [
            ["/v1/auth/verify-email?token=1", "/mail/v1/auth/verify-email"],
            ["/reset-password?token=1", "/mail/api/auth/reset-password"],
          ] as const)
            expect((yield* get(path)).text).toContain(`action="${action}"`)
          const refused = yield* post("/v1/auth/verify-email", "token=1")
          expect(refused.text).toContain('action="/mail/v1/auth/resend-verification"')
          const verified = yield* post("/v1/auth/verify-email", `token=${token}`)
          expect([verified.status, verified.headers.get("location")]).toEqual([
            303,
            expect.stringMatching(/^\/mail\/dashboard/),
          ])

          const path = (yield* checkout(account)).replace("/mail", "")
          expect((yield* get(path)).text).toContain(`action="/mail${path}/complete"`)
          const paid = yield* post(`${path}/complete`, "")
          expect(paid.headers.get("location")).toBe("/mail/dashboard?upgraded=true")
        }),
      { baseUrl: "http://mailroom.test/mail" },
    )
  })

  describe("the documents", () => {
    shared("/openapi.json is OpenAPI 3.1.0, version 1.0.0, of this contract", () =>
      Effect.gen(function* () {
        const answer = yield* get("/openapi.json")
        expect(answer.status).toBe(200)
        expect(answer.json).toMatchObject({ openapi: "3.1.0", info: { version: "1.0.0" } })
        const service = { baseUrl: "http://mailroom.test", headerPrefix: "X-Service-" }
        expect(answer.json).toEqual(JSON.parse(JSON.stringify(openApiDocument(service))))
      }),
    )

    shared("/llms.txt tells a language model every endpoint of the contract", () =>
      Effect.gen(function* () {
        const answer = yield* get("/llms.txt")
        expect([answer.status, answer.headers.get("content-type")]).toEqual([
          200,
          "text/plain; charset=utf-8",
        ])
        expect(answer.text).toMatch(/^# Mailroom\n\n> /)
        for (const { method, path } of endpoints) expect(answer.text).toContain(`- \`${method} ${path}\`: `)
        expect(answer.text).not.toContain("`: \n")
      }),
    )

    shared("/llms.txt and /skill.md link recipes that exist", () =>
      Effect.gen(function* () {
        const recipes = yield* Effect.promise(() =>
          readdir(new URL("../../../docs/recipes", import.meta.url)),
        )
        const linked = (text: string) =>
          [...text.matchAll(/docs\/recipes\/([a-z-]+\.md|README\.md)/g)].map(([, name]) => name)
        const { text } = yield* get("/llms.txt")
        expect(["README.md", ...linked(text)].toSorted()).toEqual(recipes.toSorted())
        expect(linked((yield* get("/skill.md")).text)).toEqual(["README.md"])
      }),
    )

    shared("/llms-full.txt has every endpoint, type and error code", () =>
      Effect.gen(function* () {
        const { text } = yield* get("/llms-full.txt")
        const { paths, components } = openApiDocument({
          baseUrl: "http://mailroom.test",
          headerPrefix: "X-Service-",
        })
        for (const [path, item] of Object.entries(paths))
          for (const method of Object.keys(item))
            expect(text).toContain(`### ${method.toUpperCase()} ${path}\n`)
        for (const name of Object.keys(components.schemas)) expect(text).toContain(`\n### ${name}`)
        for (const { codes } of Object.values(errorCodes))
          for (const code of Object.keys(codes)) expect(text).toContain(`\`${code}\``)
        expect(text).not.toMatch(/undefined|\[object|\$ref/)
      }),
    )

    shared("/skill.md names routes that exist", () =>
      Effect.gen(function* () {
        const answer = yield* get("/skill.md")
        expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
        expect(answer.text).toMatch(/^---\nname: mailroom\ndescription: /)
        const known = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
        const named = [...answer.text.matchAll(/`((?:GET|POST|PATCH|DELETE) \/v1[^`?]*)/g)].map(
          ([, route]) => route,
        )
        expect(named.length).toBeGreaterThan(4)
        expect(named.filter((route) => route === undefined || !known.has(route))).toEqual([])
      }),
    )
  })

  rule("every GET that /llms.txt and /skill.md show is answered, and one with a query is in order", () =>
    Effect.gen(function* () {
      const { open } = yield* InMemoryHttp
      const { key, mailboxId } = yield* owner()
      const shown = (yield* get("/llms.txt")).text + (yield* get("/skill.md")).text
      const targets = [...shown.matchAll(/`GET (?:http:\/\/mailroom\.test)?(\/[^`]*)`/g)].map(
        ([, path = ""]) =>
          path.replace("/mailboxes/{id}", `/mailboxes/${mailboxId}`).replace(/\{[A-Za-z]+\}/g, ABSENT),
      )
      expect(targets.length).toBeGreaterThan(endpoints.filter(({ method }) => method === "GET").length)
      const answering = yield* Effect.fork(
        Effect.forEach(targets, (path) => open(`GET ${path}`, { key }), { concurrency: "unbounded" }),
      )
      yield* TestClock.adjust(`${WAIT_MAX} seconds`)
      const answers = yield* Fiber.join(answering)
      const wrong = yield* Effect.filter(Array.zip(targets, answers), ([path, answer]) =>
        Effect.map(
          Effect.promise(() => (answer.ok ? Promise.resolve("") : answer.text())),
          (text) =>
            path.includes("?")
              ? !answer.ok
              : answer.status === 405 || answer.status >= 500 || text.includes("ENDPOINT_NOT_FOUND"),
        ),
      )
      expect(wrong.map(([path]) => path)).toEqual([])
    }),
  )

  describe("/metrics", () => {
    /** The sum of a metric's samples. */
    const read = (name: string, labels = "") =>
      Effect.map(get("/metrics"), ({ text }) =>
        [...text.matchAll(new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)$`, "gm"))]
          .filter(([, inside = ""]) => inside.includes(labels))
          .reduce((sum, [, , value]) => sum + Number(value), 0),
      )

    shared("is the text format of Prometheus", () =>
      Effect.gen(function* () {
        const answer = yield* get("/metrics")
        expect(answer.status).toBe(200)
        expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
        const line = /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[^}]*\})? -?[0-9.e+-]+)$/
        for (const text of answer.text.trimEnd().split("\n")) expect(text).toMatch(line)
        const types = [...answer.text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
        expect(new Set(types).size).toBe(types.length)
      }),
    )

    ruleAlone("counts mail that comes in, and what waits", () =>
      Effect.gen(function* () {
        const { address } = yield* signUp()
        const before = [
          yield* read("mailroom_mails_accepted_total"),
          yield* read("mailroom_messages_received_total"),
        ]
        yield* receive(address, [{}, {}])
        const after = [
          yield* read("mailroom_mails_accepted_total"),
          yield* read("mailroom_messages_received_total"),
        ]
        expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([2, 2])
        expect(yield* read("mailroom_delivery_backlog")).toBe(0)
      }),
    )

    ruleAlone("counts requests by method and status, and how long they took", () =>
      Effect.gen(function* () {
        const refused = read("mailroom_http_requests_total", 'status="401"')
        const timed = read("mailroom_http_request_duration_seconds_count")
        const before = [yield* refused, yield* timed]
        yield* get("/v1/account")
        // One of the two reads of `before` was not timed when it was read itself.
        expect([yield* refused, yield* timed]).toEqual([(before[0] ?? 0) + 1, (before[1] ?? 0) + 3])
      }),
    )

    ruleAlone("counts errors of access rules, of input and of use cases by their code", () =>
      Effect.gen(function* () {
        const { key, mailboxId } = yield* signUp()
        const headers = { authorization: `Bearer ${key}` }
        const counts = Effect.forEach(["UNAUTHORIZED", "VALIDATION_FAILED", "MAILBOX_NOT_FOUND"], (code) =>
          read("mailroom_http_errors_total", `code="${code}"`),
        )
        const before = yield* counts
        yield* get("/v1/account")
        yield* get(`/v1/mailboxes/${mailboxId}/messages?limit=x`, headers)
        yield* get("/v1/mailboxes/00000000-0000-4000-8000-000000000000", headers)
        expect((yield* counts).map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1])
      }),
    )

    ruleAlone("counts each request with a malformed Idempotency-Key", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const { call } = yield* InMemoryHttp
        const refused = read("mailroom_http_errors_total", 'code="VALIDATION_FAILED"')
        const before = yield* refused
        const malformed = { key, body: {}, headers: { "idempotency-key": "not allowed" } }
        yield* call("POST /v1/mailboxes", malformed)
        yield* call("POST /v1/mailboxes", malformed)
        expect((yield* refused) - before).toBe(2)
      }),
    )

    for (const header of ["x-forwarded-for", "forwarded", "via", "x-real-ip"])
      ruleAlone(`is not for requests that came through a proxy, as ${header} says, whatever it says`, () =>
        Effect.gen(function* () {
          const answer = yield* get("/metrics", { [header]: "127.0.0.1" })
          expect([answer.status, answer.json]).toMatchObject([401, { code: "UNAUTHORIZED" }])
          const wrong = yield* get("/metrics", { [header]: "127.0.0.1", authorization: "Bearer wrong" })
          expect(wrong.status).toBe(401)
          const operator = yield* get("/metrics", {
            [header]: "127.0.0.1",
            authorization: `Bearer ${ADMIN_TOKEN}`,
          })
          expect([operator.status, operator.text]).toEqual([200, expect.stringContaining("mailroom_")])
        }),
      )

    ruleAlone(
      "is an unknown path to them where no admin token is set",
      () =>
        Effect.gen(function* () {
          const answer = yield* get("/metrics", { "x-forwarded-for": "127.0.0.1" })
          expect(answer.status).toBe(404)
        }),
      {},
      { adminToken: Option.none() },
    )

    shared("says nothing of whom the counts are", () =>
      Effect.gen(function* () {
        const { slug, address, mailboxId } = yield* signUp()
        yield* receive(address)
        const { text } = yield* get("/metrics")
        for (const name of [slug, address, mailboxId]) expect(text).not.toContain(name)
      }),
    )
  })
})
