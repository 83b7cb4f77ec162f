/** Verification, sessions, uploads, routes of a message, pages and errors. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  agent,
  arrived,
  listMessages,
  newestId,
  PASSWORD,
  receive,
  scopedKey,
  sendBody,
  signIn,
  signUp,
  upload,
  verificationToken,
  verify,
} from "../../src/agents.js"
import { listAt, textAt } from "../../src/Answer.js"
import { rawMail } from "../../src/mail.js"
import { type Part, row, wire } from "../../src/Row.js"
import { World } from "../../src/World.js"
import {
  ABSENT,
  anyId,
  anyText,
  expectAnswer,
  expectError,
  expectInvalid,
  expectPayment,
  expectWithin,
} from "../expectations.js"

const form = { "content-type": "application/x-www-form-urlencoded" }
const html = expect.stringMatching(/^text\/html/)

const resolution = {
  openapi: "http://mailroom.test/openapi.json",
  docs: "http://mailroom.test/docs",
  endpoints: anyText,
  commonEndpoints: expect.arrayContaining(["POST /v1/signup", "GET /v1/account"]),
}

/** An account with one message, and the message's path. */
const withMessage = Effect.gen(function* () {
  const owner = yield* agent()
  yield* receive(owner)
  const path = `/v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}`
  return { owner, path }
})

const requestReset = (email: string) =>
  Effect.flatMap(World, ({ call }) => call("POST /api/auth/request-password-reset", { body: { email } }))

/** The token in the mail that resets a password. */
const resetToken = (email: string) =>
  Effect.gen(function* () {
    const { outbox, eventually } = yield* World
    const token = Effect.map(outbox(email), (mails) =>
      mails.flatMap(({ text }) => /reset-password\?token=(\S+)/.exec(text ?? "")?.[1] ?? []).at(-1),
    )
    return yield* eventually("the mail is sent", token, (found) => found !== undefined)
  })

export const decisionsRoutes: Part = [
  row("decisions.verify.link", "with nothing before and behind it", function* () {
    const { outbox, eventually } = yield* World
    const { email } = yield* signUp()
    const mails = yield* eventually("the mail is sent", outbox(email), ({ length }) => length > 0)
    const lines = (mails[0]?.text ?? "").split(/\r?\n/)
    expect(lines.filter((line) => line.includes("verify-email"))).toEqual([
      expect.stringMatching(/^http:\/\/mailroom\.test\/v1\/auth\/verify-email\?token=[0-9a-f]+$/),
    ])
  }),
  row("decisions.verify.page", "and the button posts the token", function* () {
    const { visit } = yield* World
    const owner = yield* signUp()
    const token = yield* verificationToken(owner.email)
    const page = yield* visit(`GET /v1/auth/verify-email?token=${token}`)
    expect([page.status, page.headers.get("content-type")]).toEqual([200, html])
    expect(page.text.match(/<button/g)).toHaveLength(1)
    expect(page.text).toContain(`method="post" action="/v1/auth/verify-email"`)
    expect(page.text).toContain(token)
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { emailVerified: false } })
  }),
  row("decisions.verify.json", "and the owner is verified, once and for all", function* () {
    const owner = yield* signUp()
    for (const _ of ["once", "again"])
      expectAnswer(yield* verify(owner), 200, { ok: true, target: "/dashboard?verified=true" })
    expectWithin(yield* owner.call("GET /v1/account"), 200, {
      account: { emailVerified: true, state: "trial" },
    })
  }),
  row("decisions.verify.form", "which is there", function* () {
    const { call, visit } = yield* World
    const { email } = yield* signUp()
    const body = `token=${yield* verificationToken(email)}`
    const answer = yield* call("POST /v1/auth/verify-email", { body, headers: form })
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/dashboard?verified=true"])
    const page = yield* visit(`GET ${answer.headers.get("location")}`)
    expect([page.status, page.headers.get("content-type")]).toEqual([200, html])
  }),
  row("decisions.verify.400", "never given out, cut short, none", function* () {
    const { call } = yield* World
    const { email } = yield* signUp()
    const token = yield* verificationToken(email)
    for (const wrong of ["0".repeat(token.length), token.slice(1)])
      expectError(yield* call("POST /v1/auth/verify-email", { body: { token: wrong } }), 400, "INVALID_TOKEN")
    expectInvalid(yield* call("POST /v1/auth/verify-email", { body: {} }), "token")
  }),
  row("decisions.resend", "whose link works", function* () {
    const { call, outbox, eventually } = yield* World
    const owner = yield* signUp()
    const first = yield* verificationToken(owner.email)
    const body = { email: owner.email }
    expectAnswer(yield* call("POST /v1/auth/resend-verification", { body }), 200, { ok: true })
    yield* eventually("another mail is sent", outbox(owner.email), ({ length }) => length === 2)
    expect(yield* verificationToken(owner.email)).not.toBe(first)
    expect((yield* verify(owner)).status).toBe(200)
  }),
  row("decisions.resend.always", "nor to one that is verified", function* () {
    const { call, outbox, next } = yield* World
    const verified = yield* agent("trial")
    const unknown = `nobody-${yield* next}@nowhere.dev`
    for (const email of [unknown, verified.email])
      expectAnswer(yield* call("POST /v1/auth/resend-verification", { body: { email } }), 200, { ok: true })
    // A mail that was requested later has been sent, so this one would have been sent too.
    const later = yield* signUp()
    yield* verificationToken(later.email)
    expect([yield* outbox(unknown), (yield* outbox(verified.email)).length]).toEqual([[], 1])
  }),
  row(
    "decisions.password-reset",
    "by a link that opens a form; the old one and the sessions go",
    function* () {
      const { call, visit } = yield* World
      const owner = yield* agent()
      const cookie = yield* signIn(owner)
      expectAnswer(yield* requestReset(owner.email), 200, { ok: true })
      const token = yield* resetToken(owner.email)
      const page = yield* visit(`GET /reset-password?token=${token}`)
      expect([page.status, page.headers.get("content-type")]).toEqual([200, html])
      expect(page.text).toContain(`method="post" action="/api/auth/reset-password"`)
      const body = { token, password: "another horse battery" }
      expectAnswer(yield* call("POST /api/auth/reset-password", { body }), 200, { ok: true })
      const signInWith = (password: string) =>
        call("POST /api/auth/sign-in/email", { body: { email: owner.email, password } })
      expect((yield* signInWith(body.password)).status).toBe(200)
      expectError(yield* signInWith(PASSWORD), 401, "UNAUTHORIZED")
      expectError(yield* call("GET /v1/account", { cookie }), 401, "UNAUTHORIZED")
      expectError(yield* call("POST /api/auth/reset-password", { body }), 400, "INVALID_TOKEN")
    },
  ),
  row("decisions.password-reset.always", "and nothing is sent to it", function* () {
    const { outbox, next } = yield* World
    const { email } = yield* agent()
    const unknown = `nobody-${yield* next}@nowhere.dev`
    for (const address of [unknown, email]) expectAnswer(yield* requestReset(address), 200, { ok: true })
    // The later mail has been sent, so the earlier one would have been sent too.
    yield* resetToken(email)
    expect(yield* outbox(unknown)).toEqual([])
  }),
  row("decisions.sign-in.401", "answered like an unknown address", function* () {
    const { call } = yield* World
    const { email } = yield* agent()
    const signInAs = (body: object) => call("POST /api/auth/sign-in/email", { body })
    const wrong = yield* signInAs({ email, password: `${PASSWORD}!` })
    const unknown = yield* signInAs({ email: "nobody@nowhere.dev", password: PASSWORD })
    expectError(wrong, 401, "UNAUTHORIZED")
    expect([wrong.headers.has("set-cookie"), unknown.json]).toEqual([false, wrong.json])
  }),
  row("decisions.sign-out", "its cookie is refused", function* () {
    const { call } = yield* World
    const cookie = yield* signIn(yield* agent())
    expect((yield* call("GET /v1/account", { cookie })).status).toBe(200)
    expectAnswer(yield* call("POST /api/auth/sign-out", { cookie }), 200, { ok: true })
    expectError(yield* call("GET /v1/account", { cookie }), 401, "UNAUTHORIZED")
  }),

  row("decisions.upload.201", "exactly", function* () {
    expectAnswer(yield* upload(yield* agent(), "übersicht.csv", "a;b", "text/csv"), 201, {
      id: anyId,
      filename: "übersicht.csv",
      contentType: "text/csv",
      sizeBytes: 3,
    })
  }),
  row("decisions.upload.400", "an empty form, text in its place, a file under another name", function* () {
    const { call } = yield* agent()
    const [empty, text, other] = [new FormData(), new FormData(), new FormData()]
    text.append("file", "only text")
    other.append("files", new Blob(["A"]), "a.txt")
    for (const body of [empty, text, other])
      expectInvalid(yield* call("POST /v1/attachments", { body }), "file")
  }),
  row("decisions.upload.delete", "an upload that was not sent, and no other account's", function* () {
    const owner = yield* agent()
    const path = `/v1/attachments/${textAt((yield* upload(owner, "a.txt", "A")).json, "id")}`
    expectError(yield* (yield* agent()).call(`DELETE ${path}`), 404, "ATTACHMENT_NOT_FOUND")
    expectAnswer(yield* owner.call(`DELETE ${path}`), 200, { deleted: true })
    expectError(yield* owner.call(`GET ${path}`), 404, "ATTACHMENT_NOT_FOUND")
  }),

  row("decisions.messages.patch-labels", "and takes labels away", function* () {
    const { owner, path } = yield* withMessage
    for (const labels of [["todo", "invoice"], ["done"], []]) {
      expectWithin(yield* owner.call(`PATCH ${path}`, { body: { labels } }), 200, { message: { labels } })
      expectWithin(yield* listMessages(owner), 200, { messages: [{ labels, readAt: null }] })
    }
  }),
  row("decisions.messages.patch-read", "and leaves the labels as they are", function* () {
    const { owner, path } = yield* withMessage
    yield* owner.call(`PATCH ${path}`, { body: { labels: ["todo"] } })
    const read = yield* owner.call(`PATCH ${path}`, { body: { read: true } })
    expectWithin(read, 200, { message: { labels: ["todo"], readAt: anyText } })
    const unread = yield* owner.call(`PATCH ${path}`, { body: { read: false } })
    expectWithin(unread, 200, { message: { labels: ["todo"], readAt: null } })
    expectInvalid(yield* owner.call(`PATCH ${path}`, { body: { read: "yes" } }), "read")
  }),
  row("decisions.messages.delete", "from every list, and from its thread", function* () {
    const { owner, path } = yield* withMessage
    expectAnswer(yield* owner.call(`DELETE ${path}`), 200, { deleted: true })
    expectError(yield* owner.call(`GET ${path}`), 404, "MESSAGE_NOT_FOUND")
    expectWithin(yield* listMessages(owner), 200, { messages: [] })
    const threads = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads`)
    expect(listAt(threads.json, "threads")).toEqual([])
  }),
  row("decisions.messages.raw", "byte by byte, below the trace of its way", function* () {
    const { deliver } = yield* World
    const owner = yield* agent()
    const mail = rawMail(
      owner.address,
      "From: Bob <bob@sender.dev>",
      `To: ${owner.address}`,
      "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=",
      "X-Strange:   spaces   stay ",
      "",
      "As it came.",
    )
    yield* deliver([mail])
    const listed = yield* arrived(owner)
    const id = textAt(listed.json, "messages.0.id")
    const raw = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}/raw`)
    expect([raw.status, raw.headers.get("content-type")]).toEqual([200, "message/rfc822"])
    expect(raw.text.endsWith(new TextDecoder().decode(mail.raw))).toBe(true)
  }),

  row("decisions.pages.openapi", "for everybody, every operation with its answers", function* () {
    const { visit, operations } = yield* World
    const answer = yield* visit("GET /openapi.json")
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(operations).toEqual(
      expect.arrayContaining(["POST /v1/signup", "GET /v1/events", "POST /v1/mailboxes/{id}/messages"]),
    )
  }),
  wire("decisions.pages.docs", "as a page", function* () {
    const { visit } = yield* World
    const page = yield* visit("GET /docs")
    expect([page.status, page.headers.get("content-type")]).toEqual([200, html])
  }),
  row("decisions.pages.healthz", "for everybody", function* () {
    const { visit } = yield* World
    expectAnswer(yield* visit("GET /healthz"), 200, { status: "ok" })
  }),
  wire("decisions.pages.readyz", "once its listeners are up", function* () {
    const { visit } = yield* World
    expectAnswer(yield* visit("GET /readyz"), 200, { status: "ok" })
  }),
  wire("decisions.pages.outbox", "one recipient's, newest first, and everybody's", function* () {
    const { visit } = yield* World
    const { email } = yield* signUp()
    yield* verificationToken(email)
    const one = yield* visit(`GET /dev/outbox?to=${email.toUpperCase()}`)
    expectWithin(one, 200, { messages: [{ to: [email], text: expect.stringContaining("verify-email") }] })
    expect(listAt(one.json, "messages")).toHaveLength(1)
    expect(listAt((yield* visit("GET /dev/outbox")).json, "messages").length).toBeGreaterThan(0)
  }),
  row("decisions.pages.outbox-loopback", "for others it is an unknown path", function* () {
    const { visit } = yield* World
    const answer = yield* visit("GET /dev/outbox", { headers: { "x-forwarded-for": "203.0.113.9" } })
    expectWithin(answer, 404, { code: "ENDPOINT_NOT_FOUND" })
  }),

  row("decisions.errors.404", "with a key and without one", function* () {
    const { visit } = yield* World
    const { key } = yield* agent()
    for (const options of [{}, { key }])
      expectAnswer(yield* visit("GET /v1/nothing-here", options), 404, {
        error: anyText,
        code: "ENDPOINT_NOT_FOUND",
        message: expect.stringContaining("/v1/nothing-here"),
        resolution,
      })
  }),
  row("decisions.errors.405", "and Allow has every method that the path takes", function* () {
    const { visit } = yield* World
    const answer = yield* visit("PUT /v1/mailboxes")
    expectAnswer(answer, 405, { error: anyText, code: "METHOD_NOT_ALLOWED", message: anyText, resolution })
    expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(["GET", "HEAD", "POST"])
  }),
  row("decisions.errors.code", "in capitals, of every status", function* () {
    const { call, visit } = yield* World
    const owner = yield* agent()
    const scoped = yield* scopedKey(owner)
    const spent = yield* agent("payment_required")
    const answers = [
      yield* owner.call("POST /v1/mailboxes", { body: {} }),
      yield* call("GET /v1/account"),
      yield* spent.call("GET /v1/mailboxes"),
      yield* scoped.call("GET /v1/account"),
      yield* owner.call(`GET /v1/mailboxes/${ABSENT}`),
      yield* visit("PUT /v1/mailboxes"),
      yield* owner.call("POST /v1/mailboxes", { body: { address: "agent" } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 401, 402, 403, 404, 405, 409])
    for (const { json } of answers) expect(textAt(json, "code")).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/)
    expectPayment(yield* spent.call("GET /v1/mailboxes"))
  }),
  row("decisions.errors.issues", "of a field, and of an element of a list", function* () {
    const { call, mailboxId } = yield* agent("active")
    for (const [target, body, path] of [
      ["POST /v1/mailboxes", { address: "two words" }, "address"],
      [
        `POST /v1/mailboxes/${mailboxId}/messages`,
        sendBody("", { to: ["bob@partner.dev", "nobody"] }),
        "to.1",
      ],
    ] as const)
      expectError(yield* call(target, { body }), 400, "VALIDATION_FAILED", {
        issues: [{ path, message: anyText }],
      })
  }),
]
