/**
 * Bodies that are malformed, of the wrong type or too large, on any route; unknown names (docs/decisions/0036, 0057).
 */
import { describe } from "@effect/vitest"
import { type Call, InMemoryHttp } from "@mailroom/testing"
import { Effect } from "effect"
import { expect } from "vitest"
import { signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { inOneScene, inOneService } from "./support/service.js"

const create = Effect.fn(function* (call: Call) {
  const { key } = yield* signUp()
  return yield* ask("POST /v1/mailboxes", { key, ...call })
})

const MB = 1024 * 1024

inOneService((shared) => {
  describe("a body that cannot be used gives 400", () => {
    inOneScene(signUp(), (refused) => {
      for (const [what, body] of [
        ["malformed JSON", '{"address":'],
        ["JSON and more", "{} {}"],
        ["a list", "[]"],
        ["null", "null"],
        ["a number", "7"],
        ["text", '"address"'],
        ["nothing", ""],
        ["a list in 30,000 others", "[".repeat(30_000) + "]".repeat(30_000)],
        ["a field in 40 others", `${'{"address":'.repeat(40)}1${"}".repeat(40)}`],
      ] as const)
        refused(what, ({ key }) =>
          Effect.gen(function* () {
            const answer = yield* ask("POST /v1/mailboxes", { key, body })
            expect(answer.status).toBe(400)
            expect(answer.json).toMatchObject({
              error: expect.any(String),
              code: "VALIDATION_FAILED",
              issues: [{ path: "", message: expect.any(String) }],
            })
          }),
        )

      shared("no body at all", () =>
        Effect.gen(function* () {
          expect((yield* create({})).status).toBe(400)
        }),
      )

      for (const [what, path, body] of [
        ["a field is missing", "address", {}],
        ["a field is null", "address", { address: null }],
        ["a field is a number", "address", { address: 7 }],
        ["a field is an object", "address", { address: {} }],
        ["an optional field has the wrong type", "displayName", { address: "new", displayName: [] }],
        [
          "a field has a character that cannot be stored",
          "displayName",
          { address: "new", displayName: "\0" },
        ],
        ["an id is malformed", "domainId", { address: "new", domainId: "seven" }],
      ] as const)
        refused(`${what}; the issue names it once`, ({ key }) =>
          Effect.gen(function* () {
            const answer = yield* ask("POST /v1/mailboxes", { key, body })
            expect(answer.status).toBe(400)
            expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED", issues: [{ path }] })
          }),
        )
    })

    shared("what was sent does not come back, be it ever so long", () =>
      Effect.gen(function* () {
        const answer = yield* create({ body: { address: "x".repeat(60_000) } })
        expect(answer.status).toBe(400)
        expect(answer.text.length).toBeLessThan(1000)
      }),
    )

    shared("text where JSON is expected", () =>
      Effect.gen(function* () {
        const answer = yield* create({ body: "address=", headers: { "content-type": "text/plain" } })
        expect(answer.status).toBe(400)
      }),
    )
  })

  describe("a body that is in order", () => {
    for (const type of ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])
      shared(`may come as ${type}`, () =>
        Effect.gen(function* () {
          const answer = yield* create({ body: '{"address":"new"}', headers: { "content-type": type } })
          expect(answer.status).toBe(201)
        }),
      )
  })

  describe("a name that is not known", () => {
    shared("in a body gives 400, with the nearest known name, beside whatever else is wrong", () =>
      Effect.gen(function* () {
        const { key, mailboxId } = yield* signUp("unknown-field")
        const answer = yield* ask(`POST /v1/mailboxes/${mailboxId}/messages`, {
          key,
          body: {
            to: ["nobody"],
            subject: "Hello",
            html: "<p>Hello</p>",
            attachments: [{ filename: "a.txt", content_type: "text/plain", content: "QQ==" }],
            colour: "red",
          },
        })
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED" })
        expect(answer.json).toHaveProperty(
          "issues",
          expect.arrayContaining([
            { path: "to.0", message: expect.any(String) },
            { path: "html", message: "is not known here. Did you mean bodyHtml?" },
            { path: "attachments.0.content_type", message: "is not known here. Did you mean contentType?" },
            { path: "colour", message: expect.stringContaining("Known are to, cc, bcc, subject") },
          ]),
        )
      }),
    )

    shared("in a query gives 400, beside whatever else is wrong", () =>
      Effect.gen(function* () {
        const { key, mailboxId } = yield* signUp("unknown-query")
        const target = `GET /v1/mailboxes/${mailboxId}/messages`
        const colour = {
          path: "colour",
          message: expect.stringMatching(/^is not known here\. Known are .*\bdirection, .*\bcursor\b/),
        }
        const alone = yield* ask(`${target}?colour=red`, { key })
        expect([alone.status, alone.json]).toMatchObject([400, { issues: [colour] }])
        const beside = yield* ask(`${target}?limit=x&Thread_ID=a&colour=red`, { key })
        expect([beside.status, beside.json]).toMatchObject([
          400,
          {
            issues: [
              { path: "limit" },
              { path: "Thread_ID", message: "is not known here. Did you mean threadId?" },
              colour,
            ],
          },
        ])
      }),
    )

    shared("of __proto__ is one of them", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp("unknown-proto")
        const body = '{"address":"new","__proto__":{"displayName":"polluted"}}'
        const answer = yield* ask("POST /v1/mailboxes", { key, body })
        expect([answer.status, answer.json]).toMatchObject([400, { issues: [{ path: "__proto__" }] }])
      }),
    )

    shared("is named after the gates and the ids of the path", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp("unknown-order")
        expect((yield* ask("GET /v1/webhooks?colour=red")).status).toBe(401)
        expect((yield* ask("GET /v1/webhooks/7?colour=red", { key })).status).toBe(404)
        expect((yield* ask("GET /v1/webhooks?colour=red", { key })).status).toBe(400)
      }),
    )

    shared("is ignored by signup, sessions, and where the specification takes no parameter", () =>
      Effect.gen(function* () {
        const { email, key, mailboxId } = yield* signUp("unknown-ignored")
        const signIn = { email, password: "wrong password", rememberMe: true }
        expect((yield* ask("POST /api/auth/sign-in/email", { body: signIn })).status).toBe(401)
        for (const path of ["account", "api-keys", "mailboxes", `mailboxes/${mailboxId}/threads`])
          expect((yield* ask(`GET /v1/${path}?limit=10`, { key })).status).toBe(200)
      }),
    )
  })

  describe("a body that is too large gives 413", () => {
    const announced = { "content-length": String(60 * MB) }

    shared("by what it announces, before it is read", () =>
      Effect.gen(function* () {
        const answer = yield* create({ body: { address: "new" }, headers: announced })
        expect(answer.status).toBe(413)
        expect(answer.json).toEqual({ error: expect.stringContaining("64 kB"), code: "SIZE_EXCEEDED" })
        expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
      }),
    )

    shared("also on a public route", () =>
      Effect.gen(function* () {
        expect((yield* ask("POST /v1/signup", { body: {}, headers: announced })).status).toBe(413)
      }),
    )

    shared("also for a form", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const headers = {
          "content-length": String(26 * MB),
          "content-type": "multipart/form-data; boundary=x",
        }
        const answer = yield* ask("POST /v1/attachments", { key, body: "--x--", headers })
        expect(answer.status).toBe(413)
      }),
    )

    shared("but 401 comes first", () =>
      Effect.gen(function* () {
        expect((yield* ask("POST /v1/mailboxes", { body: {}, headers: announced })).status).toBe(401)
      }),
    )

    shared("and an unknown path stays unknown", () =>
      Effect.gen(function* () {
        const { call } = yield* InMemoryHttp
        expect((yield* call("POST /v1/nothing", { body: {}, headers: announced })).status).toBe(404)
      }),
    )

    shared("where none is read, it does not matter", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        expect((yield* ask("GET /v1/mailboxes", { key, headers: announced })).status).toBe(200)
      }),
    )
  })

  describe("a form with more files than any route takes", () => {
    const formOf = (files: number, fields: number) => {
      const form = new FormData()
      for (let file = 0; file < files; file++) form.append("attachments", new File(["x"], "a.txt"))
      for (let field = 0; field < fields; field++) form.append("subject", "x")
      return form
    }

    shared("gives 400 at the hundred and first file, and at the parts beyond 10,000", () =>
      Effect.gen(function* () {
        const { key, mailboxId } = yield* signUp()
        const refusalOf = (form: FormData) =>
          Effect.map(
            ask(`POST /v1/mailboxes/${mailboxId}/messages`, { key, body: form }),
            ({ status, json }) => [status, json],
          )
        const refusal = (message: string) => [
          400,
          { error: message, code: "VALIDATION_FAILED", issues: [{ path: "", message }] },
        ]
        expect(yield* refusalOf(formOf(101, 0))).toEqual(refusal("the form has more than 100 files"))
        expect(yield* refusalOf(formOf(0, 10_001))).toEqual(refusal("the form has more than 10000 parts"))
        const [status, json] = yield* refusalOf(formOf(100, 0))
        expect(status).toBe(400)
        expect(json).not.toMatchObject({ error: expect.stringContaining("the form has") })
      }),
    )
  })

  describe("bodies for which the process has no room", () => {
    shared("give 503 that says when to come again, and are not read", () =>
      Effect.gen(function* () {
        const { key, mailboxId } = yield* signUp()
        const send = ask(`POST /v1/mailboxes/${mailboxId}/messages`, {
          key,
          body: {},
          headers: { "content-length": String(40 * MB) },
        })
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => send),
          { concurrency: "unbounded" },
        )
        // Three of them fill the half that one account gets; the others find no room until those are answered.
        const refused = answers.filter(({ status }) => status === 503)
        expect(refused.length).toBeGreaterThan(0)
        expect(answers.filter(({ status }) => status === 400)).toHaveLength(10 - refused.length)
        expect(refused[0]?.json).toEqual({ error: expect.any(String), code: "TOO_MANY_BODIES" })
        expect(refused[0]?.headers.get("retry-after")).toBe("2")
        expect((yield* send).status).toBe(400)
      }),
    )
  })

  describe("a body of the wrong kind gives 400 that says what is taken", () => {
    inOneScene(signUp(), (refused) => {
      for (const [what, headers, words] of [
        ["text", { "content-type": "text/plain" }, "application/json"],
        ["compressed JSON", { "content-encoding": "gzip" }, "Content-Encoding"],
        ["a form of too many fields", { "content-type": "application/x-www-form-urlencoded" }, "200 fields"],
      ] as const)
        refused(what, ({ key }) =>
          Effect.gen(function* () {
            const answer = yield* ask("POST /v1/mailboxes", { key, body: "a=1&".repeat(300), headers })
            expect([answer.status, answer.json]).toMatchObject([
              400,
              { error: expect.stringContaining(words) },
            ])
          }),
        )

      for (const body of ['{"address":"support"}', " \n[1]"])
        refused(`JSON that is called a form, as by \`curl -d\`: ${JSON.stringify(body)}`, ({ key }) =>
          Effect.gen(function* () {
            const headers = { "content-type": "application/x-www-form-urlencoded" }
            const answer = yield* ask("POST /v1/mailboxes", { key, body, headers })
            expect([answer.status, answer.json]).toMatchObject([
              400,
              { error: expect.stringContaining("Content-Type application/json") },
            ])
          }),
        )

      refused("many values, however small", ({ key }) =>
        Effect.gen(function* () {
          const answer = yield* ask("POST /v1/mailboxes", { key, body: `[${"1,".repeat(5000)}1]` })
          expect([answer.status, answer.json]).toMatchObject([
            400,
            { error: expect.stringContaining("4000 values") },
          ])
        }),
      )

      refused("all wrong fields at once", ({ key }) =>
        Effect.gen(function* () {
          const answer = yield* ask("POST /v1/webhooks", {
            key,
            body: { url: 1, events: ["x"], mailboxId: "seven" },
          })
          expect(answer.json).toMatchObject({
            issues: [
              { path: "url", message: "must be a string" },
              { path: "events.0", message: expect.stringContaining("must be one of message.received") },
              { path: "mailboxId", message: "must be a UUID" },
            ],
          })
        }),
      )
    })
  })
})
