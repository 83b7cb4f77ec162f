/** Account states, send rules in their order, upgrading, and what is gated. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  checkout,
  listMessages,
  newcomer,
  newKey,
  pay,
  receive,
  receiveMany,
  send,
  signIn,
  signUp,
  upload,
  verify,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial, sharedOverTheMonth } from "../../src/gates.js"
import { type Part, row, virtual } from "../../src/Row.js"
import type { RowId } from "../../src/rows/index.js"
import { Virtual, World } from "../../src/World.js"
import {
  ABSENT,
  anyText,
  anyTime,
  expectAnswer,
  expectError,
  expectPayment,
  expectWithin,
  UPGRADE_HINT,
  upgrade,
} from "../expectations.js"

const BOB = "bob@partner.dev"
const MB = 1024 * 1024
const GB = 1024 * MB

const accountOf = ({ call }: Agent) =>
  Effect.map(call("GET /v1/account"), ({ json }) => valueAt(json, "account"))
const quotaOf = ({ call }: Agent) =>
  Effect.map(call("GET /v1/account"), ({ headers }) => headers.get("x-service-inbound-quota"))

const pause = (owner: Agent) =>
  owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { status: "paused" } })

/** An attachment inside a send body, above its limit. */
const tooLarge = {
  filename: "big.bin",
  contentType: "application/octet-stream",
  content: Buffer.alloc(25 * MB + 1).toString("base64"),
}

/** That a refused send took nothing. */
const expectNothingTaken = (owner: Agent) =>
  Effect.gen(function* () {
    expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0, sentThisMonth: 0 })
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, {
      mailboxes: [{ dailySendCount: 0, monthlySendCount: 0 }],
    })
  })

/** A full-access key that is the only one does not go by bearer. */
const lastKeyStays = (owner: Agent) =>
  Effect.gen(function* () {
    const listed = yield* owner.call("GET /v1/api-keys")
    const answer = yield* owner.call(`DELETE /v1/api-keys/${textAt(listed.json, "keys.0.id")}`)
    expectError(answer, 400, "LAST_FULL_KEY")
  })

/** What reading a gated message answers, another request answers too. */
const sameGate = (id: RowId, method: string, suffix: string, body?: object) =>
  row(id, "word for word, and nothing changes", function* () {
    const { owner, path } = yield* overTheTrial
    const read = yield* owner.call(`GET ${path}`)
    const answer = yield* owner.call(`${method} ${path}${suffix}`, { body })
    expectAnswer(answer, 402, read.json)
    yield* pay(owner)
    expectWithin(yield* owner.call(`GET ${path}`), 200, { message: { readAt: null, labels: [] } })
  })

/** Where the owner goes after verification. */
const targetOf = (email: string) => Effect.map(verify({ email }), ({ json }) => textAt(json, "target"))

export const decisionsGates: Part = [
  row("decisions.state.flow", "as the account says after each step", function* () {
    const owner = yield* signUp()
    const state = Effect.map(accountOf(owner), (account) => valueAt(account, "state"))
    expect(yield* state).toBe("unverified")
    yield* verify(owner)
    expect(yield* state).toBe("trial")
    yield* Effect.replicateEffect(send(owner, owner.email), 10)
    expect(yield* state).toBe("payment_required")
    yield* pay(owner)
    expect(yield* state).toBe("active")
  }),
  virtual(
    "decisions.state.no-billing",
    "on DEFAULT_PLAN, without a trial, and it writes to anybody",
    function* () {
      const owner = yield* signUp()
      yield* verify(owner)
      expect(yield* accountOf(owner)).toMatchObject({ state: "active", plan: "Growth", trial: null })
      expect((yield* send(owner, BOB)).status).toBe(201)
    },
    { billing: "none", defaultPlan: "Growth" },
  ),
  row("decisions.state.unverified", "it makes, reads and receives; it does not send", function* () {
    const owner = yield* signUp()
    yield* receive(owner, [{ subject: "early" }])
    expectWithin(yield* listMessages(owner), 200, { messages: [{ subject: "early" }] })
    expect((yield* owner.call("POST /v1/mailboxes", { body: { address: "second" } })).status).toBe(201)
    expect((yield* upload(owner, "a.txt", "A")).status).toBe(201)
    expectError(yield* send(owner, owner.email), 403, "EMAIL_NOT_VERIFIED")
  }),
  virtual("decisions.trial.starts", "not at signup: two days later it still has three", function* () {
    const { advance } = yield* Virtual
    const { now } = yield* World
    const owner = yield* signUp()
    yield* advance("2 days")
    yield* verify(owner)
    const at = yield* now
    const iso = (time: number) => new Date(time).toISOString()
    expect(valueAt(yield* accountOf(owner), "trial")).toMatchObject({
      sendCap: 10,
      receiveCap: 10,
      startedAt: iso(at),
      expiresAt: iso(at + 3 * 24 * 60 * 60 * 1000),
    })
  }),
  row("decisions.trial.spent-sends", "with the 9th it runs, with the 10th it does not", function* () {
    const owner = yield* agent("trial")
    yield* Effect.replicateEffect(send(owner, owner.email), 9)
    expect(yield* accountOf(owner)).toMatchObject({ state: "trial" })
    expect((yield* send(owner, owner.email)).status).toBe(201)
    expect(yield* accountOf(owner)).toMatchObject({
      state: "payment_required",
      trial: { active: false, exhausted: true, expired: false, sendsRemaining: 0 },
    })
  }),
  virtual("decisions.trial.spent-days", "a millisecond before it runs, then it does not", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agent("trial")
    yield* advance(3 * 24 * 60 * 60 * 1000 - 1)
    expect(yield* accountOf(owner)).toMatchObject({ state: "trial" })
    yield* advance(1)
    expect(yield* accountOf(owner)).toMatchObject({
      state: "payment_required",
      trial: { active: false, exhausted: false, expired: true },
    })
  }),
  row("decisions.trial.receives", "it reads as 402, and the trial goes on", function* () {
    const { owner, path } = yield* overTheTrial
    expectWithin(yield* owner.call(`GET ${path}`), 402, { code: "INBOUND_TRIAL_LIMIT_EXCEEDED" })
    expect((yield* send(owner, owner.email)).status).toBe(201)
    expect(yield* accountOf(owner)).toMatchObject({ state: "trial", trial: { receivesRemaining: 0 } })
  }),
  row("decisions.trial.recipient", "alone, beside the owner, and as a copy", function* () {
    const owner = yield* agent("trial")
    for (const more of [{ to: [BOB] }, { to: [owner.email, BOB] }, { cc: [BOB] }, { bcc: [BOB] }])
      expectPayment(yield* send(owner, owner.email, more), "TRIAL_RECIPIENT_LOCKED")
    yield* expectNothingTaken(owner)
  }),

  row("decisions.send.inactive", "a paused mailbox of an unverified owner", function* () {
    const owner = yield* agent()
    yield* pause(owner)
    expectError(yield* send(owner, BOB), 400, "MAILBOX_NOT_ACTIVE")
  }),
  row("decisions.send.unverified", "an unverified owner who paid, to a test domain", function* () {
    const owner = yield* agent()
    yield* pay(owner)
    expectError(yield* send(owner, "ada@example.com"), 403, "EMAIL_NOT_VERIFIED")
  }),
  row("decisions.send.trial-recipient", "and it takes none of them", function* () {
    const owner = yield* agent("trial")
    expectPayment(yield* send(owner, "ada@example.com"), "TRIAL_RECIPIENT_LOCKED")
    expect(yield* accountOf(owner)).toMatchObject({ trial: { sendsUsed: 0 } })
  }),
  row("decisions.send.trial-units", "11 at once: 10 are sent", function* () {
    const owner = yield* agent("trial")
    const answers = yield* Effect.all(
      Array.from({ length: 11 }, () => send(owner, owner.email)),
      { concurrency: "unbounded" },
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 402])
    expect(yield* accountOf(owner)).toMatchObject({ sentToday: 10, trial: { sendsUsed: 10 } })
  }),
  row(
    "decisions.send.attachments",
    "an unknown one, and another account's, beside one too large",
    function* () {
      const owner = yield* agent("active")
      const foreign = textAt((yield* upload(yield* agent(), "a.txt", "A")).json, "id")
      for (const id of [ABSENT, foreign])
        expectError(yield* send(owner, BOB, { attachments: [tooLarge, id] }), 400, "ATTACHMENT_NOT_FOUND")
    },
  ),
  virtual(
    "decisions.send.sizes",
    "with the velocity exceeded",
    function* () {
      const owner = yield* agent("active")
      yield* send(owner, BOB)
      expectError(yield* send(owner, BOB, { attachments: [tooLarge] }), 413, "SIZE_EXCEEDED")
      expectError(yield* send(owner, BOB), 429, "SEND_VELOCITY_EXCEEDED")
    },
    { sendVelocityPerMinute: 1 },
  ),
  virtual("decisions.send.velocity", "with the day's sends used up as well", function* () {
    const { advance, pretend } = yield* Virtual
    const owner = yield* agent("active")
    yield* pretend(owner.email, { sendsToday: 440 })
    yield* Effect.replicateEffect(send(owner, BOB), 60)
    expectError(yield* send(owner, BOB), 429, "SEND_VELOCITY_EXCEEDED")
    yield* advance("1 minute")
    expectError(yield* send(owner, BOB), 429, "DAILY_SEND_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
  }),
  virtual("decisions.send.daily", "with the month's sends used up as well", function* () {
    const owner = yield* agent("active")
    yield* (yield* Virtual).pretend(owner.email, { sendsToday: 500, sendsThisMonth: 15_000 })
    expectError(yield* send(owner, BOB), 429, "DAILY_SEND_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
  }),
  virtual("decisions.send.monthly", "with the relay away", function* () {
    const { pretend, relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* pretend(owner.email, { sendsThisMonth: 15_000 })
    yield* relay.reachable(false)
    expectError(yield* send(owner, BOB), 429, "MONTHLY_SEND_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
  }),
  virtual("decisions.send.refused", "and of the trial's too", function* () {
    const { relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.answer(BOB, "550 5.1.1 no such user")
    expectError(yield* send(owner, BOB), 400, "RELAY_REFUSED")
    yield* expectNothingTaken(owner)
    const trying = yield* agent("trial")
    yield* relay.answer(trying.email, "550 5.1.1 no such user")
    expectError(yield* send(trying, trying.email), 400, "RELAY_REFUSED")
    expect(yield* accountOf(trying)).toMatchObject({ trial: { sendsUsed: 0 } })
  }),
  virtual("decisions.send.unavailable", "without a connection, and refused for now", function* () {
    const { relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.reachable(false)
    expectError(yield* send(owner, BOB), 503, "RELAY_UNAVAILABLE")
    yield* relay.reachable(true)
    yield* relay.answer(BOB, "450 4.2.1 come back later")
    expectError(yield* send(owner, BOB), 503, "RELAY_UNAVAILABLE")
    yield* expectNothingTaken(owner)
  }),
  virtual("decisions.send.parallel", "of 12 at once with 5 left", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    yield* (yield* Virtual).pretend(owner.email, { sendsToday: 495 })
    const answers = yield* Effect.all(
      Array.from({ length: 12 }, () => send(owner, BOB)),
      { concurrency: "unbounded" },
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
    expect(yield* outbox(BOB)).toHaveLength(5)
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, { mailboxes: [{ dailySendCount: 500 }] })
  }),
  row("decisions.send.test-domains", "each is refused, and what only looks like one is not", function* () {
    const owner = yield* agent("active")
    for (const domain of [
      "example.com",
      "example.net",
      "example.org",
      "shop.test",
      "a.b.example",
      "x.invalid",
      "x.localhost",
    ])
      expectError(yield* send(owner, `ada@${domain}`), 400, "RECIPIENT_NOT_ALLOWED", {
        address: `ada@${domain}`,
      })
    for (const domain of ["myexample.com", "example.dev", "test.partner.dev"])
      expect((yield* send(owner, `ada@${domain}`)).status).toBe(201)
  }),
  row("decisions.send.exempt-platform", "below .localhost as it is here", function* () {
    const owner = yield* agent("active")
    const other = yield* agent()
    expect((yield* send(owner, other.address)).status).toBe(201)
  }),
  row("decisions.send.exempt-owner", "at a test domain, where another address is refused", function* () {
    const { next } = yield* World
    const email = `owner-${yield* next}@example.com`
    const owner = yield* signUp({ email })
    yield* verify({ email })
    yield* pay(owner)
    expect((yield* send(owner, email)).status).toBe(201)
    expectError(yield* send(owner, "ada@example.com"), 400, "RECIPIENT_NOT_ALLOWED", {
      address: "ada@example.com",
    })
  }),

  row("decisions.upgrade.default", "that is what the owner gets", function* () {
    const { visit } = yield* World
    const owner = yield* agent()
    yield* visit(`POST ${yield* checkout(owner)}/complete`, { body: {} })
    expect(yield* accountOf(owner)).toMatchObject({ plan: "Developer", billingPeriod: "monthly" })
  }),
  row("decisions.upgrade.chosen", "and nothing that is not for sale", function* () {
    const { visit } = yield* World
    const owner = yield* agent()
    const path = yield* checkout(owner, { plan: "Growth", period: "annual" })
    yield* visit(`POST ${path}/complete`, { body: {} })
    expect(yield* accountOf(owner)).toMatchObject({ plan: "Growth", billingPeriod: "annual" })
    const other = yield* agent()
    for (const body of [{ plan: "Free" }, { plan: "Gold" }, { period: "weekly" }])
      expect((yield* other.call("POST /v1/billing/upgrade", { body })).status).toBe(400)
  }),
  row("decisions.upgrade.page", "looking at it buys nothing", function* () {
    const { visit } = yield* World
    const owner = yield* agent()
    const path = yield* checkout(owner, { plan: "Growth" })
    const page = yield* visit(`GET ${path}`)
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ])
    expect(page.text.match(/<button/g)).toHaveLength(1)
    expect(yield* accountOf(owner)).toMatchObject({ plan: "Free", billingLinked: false })
  }),
  row("decisions.upgrade.complete-json", "exactly", function* () {
    expectAnswer(yield* pay(yield* agent(), "Scale"), 200, { ok: true, plan: "Scale" })
  }),
  row("decisions.upgrade.complete-form", "to a page that is there", function* () {
    const { visit } = yield* World
    const owner = yield* agent()
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const answer = yield* visit(`POST ${yield* checkout(owner)}/complete`, { body: "", headers })
    expect(answer.status).toBe(303)
    expect((yield* visit(`GET ${answer.headers.get("location")}`)).status).toBe(200)
    expect(yield* accountOf(owner)).toMatchObject({ plan: "Developer" })
  }),
  row("decisions.upgrade.once", "to a program and to a person", function* () {
    const { visit } = yield* World
    const owner = yield* agent()
    const path = yield* checkout(owner)
    yield* visit(`POST ${path}/complete`, { body: {} })
    const again = yield* visit(`POST ${path}/complete`, { body: {} })
    expectWithin(again, 410, { error: anyText, code: "CHECKOUT_COMPLETED" })
    const page = yield* visit(`GET ${path}`)
    expect([page.status, page.headers.get("content-type")]).toEqual([
      410,
      expect.stringMatching(/^text\/html/),
    ])
  }),
  row("decisions.upgrade.unlocks", "with the answer to the button", function* () {
    const { owner, path } = yield* overTheTrial
    expectWithin(yield* pay(owner), 200, { ok: true })
    expect(yield* accountOf(owner)).toMatchObject({
      state: "active",
      billingLinked: true,
      overLimitMessageCount: 0,
      trial: null,
    })
    expect((yield* owner.call(`GET ${path}`)).status).toBe(200)
  }),
  virtual(
    "decisions.upgrade.409-none",
    "there is nothing to buy",
    function* () {
      expectError(yield* (yield* agent()).call("POST /v1/billing/upgrade"), 409, "BILLING_DISABLED")
    },
    { billing: "none" },
  ),
  row("decisions.upgrade.annual", "as the account says afterwards", function* () {
    const { visit } = yield* World
    for (const [plan, sold] of [
      ["Developer", "annual"],
      ["Growth", "annual"],
      ["Scale", "monthly"],
    ] as const) {
      const owner = yield* agent()
      const path = yield* checkout(owner, { plan, period: "annual" })
      yield* visit(`POST ${path}/complete`, { body: {} })
      expect(yield* accountOf(owner)).toMatchObject({ plan, billingPeriod: sold })
    }
  }),
  row("decisions.upgrade.before-verification", "and verification lifts that", function* () {
    const owner = yield* signUp()
    yield* pay(owner)
    expect(yield* accountOf(owner)).toMatchObject({ state: "active", emailVerified: false })
    expectError(yield* send(owner, BOB), 403, "EMAIL_NOT_VERIFIED")
    yield* verify(owner)
    expect((yield* send(owner, BOB)).status).toBe(201)
  }),
  row("decisions.upgrade.intent", "the owner is led to it after verification", function* () {
    const { email } = yield* signUp({ plan: "Growth", period: "annual" })
    expect(yield* targetOf(email)).toBe("/onboarding")
  }),
  row("decisions.upgrade.last-key-states", "however many scoped and revoked ones there are", function* () {
    for (const state of ["unverified", "trial", "active"] as const) {
      const owner = yield* agent(state)
      yield* lastKeyStays(owner)
    }
    const owner = yield* agent()
    const revoked = yield* newKey(owner)
    yield* owner.call(`DELETE /v1/api-keys/${revoked.id}`)
    const listed = listAt((yield* owner.call("GET /v1/api-keys")).json, "keys")
    const first = listed.find((one) => valueAt(one, "enabled") === true)
    const answer = yield* owner.call(`DELETE /v1/api-keys/${textAt(first, "id")}`)
    expectError(answer, 400, "LAST_FULL_KEY")
  }),
  row("decisions.upgrade.last-key-session", "and makes another", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const cookie = yield* signIn(owner)
    const listed = yield* call("GET /v1/api-keys", { cookie })
    const target = `DELETE /v1/api-keys/${textAt(listed.json, "keys.0.id")}`
    expectAnswer(yield* call(target, { cookie }), 200, { revoked: true })
    expectError(yield* owner.call("GET /v1/account"), 401, "UNAUTHORIZED")
    expect((yield* call("POST /v1/api-keys", { cookie, body: { name: "k" } })).status).toBe(201)
  }),

  row("decisions.plan.free", "through the trial and after it", function* () {
    for (const state of ["unverified", "trial", "payment_required"] as const)
      expect(yield* accountOf(yield* agent(state))).toMatchObject({ plan: "Free", state })
  }),
  row("decisions.quota.unverified", "from the first on", function* () {
    const owner = yield* agent()
    expect(yield* quotaOf(owner)).toBe("0/100")
    yield* receiveMany(owner, 3)
    expect(yield* quotaOf(owner)).toBe("3/100")
  }),
  row("decisions.quota.trial", "what came before does not count", function* () {
    const owner = yield* signUp()
    yield* receiveMany(owner, 3)
    yield* verify(owner)
    expect(yield* quotaOf(owner)).toBe("0/10")
    yield* receive(owner)
    expect(yield* quotaOf(owner)).toBe("1/10")
  }),
  virtual("decisions.quota.payment-required", "until it is bought, whatever the month", function* () {
    const { listen } = yield* World
    const { advance } = yield* Virtual
    const owner = yield* agent("payment_required")
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [{ subject: "secret" }])
    const [frame] = yield* stream.received(1)
    expect(valueAt(frame?.data, "data.over_limit")).toBe(true)
    yield* advance("40 days")
    expect(yield* accountOf(owner)).toMatchObject({ overLimitMessageCount: 1 })
    yield* pay(owner)
    expectWithin(yield* listMessages(owner, "?direction=INBOUND"), 200, {
      messages: [{ subject: "secret" }],
      metadata: { overLimitCount: 0 },
    })
  }),
  row("decisions.quota.paid", "of each plan", function* () {
    for (const [plan, quota] of [
      ["Developer", "1/2000"],
      ["Growth", "1/20000"],
      ["Scale", "1/unlimited"],
    ] as const) {
      const owner = yield* agent()
      yield* pay(owner, plan)
      yield* receive(owner)
      expect(yield* quotaOf(owner)).toBe(quota)
    }
  }),
  sameGate("decisions.gated.raw", "GET", "/raw"),
  sameGate("decisions.gated.patch", "PATCH", "", { read: true, labels: ["seen"] }),
  sameGate("decisions.gated.delete", "DELETE", ""),
  virtual("decisions.gated.attachments", "as themselves, until it is bought", function* () {
    const { hiddenAttachments } = yield* Virtual
    const { owner, id } = yield* overTheTrial
    const [attachment] = yield* hiddenAttachments(owner.mailboxId, id)
    const target = `GET /v1/attachments/${attachment}`
    expectError(yield* owner.call(target), 402, "INBOUND_TRIAL_LIMIT_EXCEEDED", {
      resource: { type: "attachment", id: attachment },
      upgrade,
    })
    yield* pay(owner)
    expectWithin(yield* owner.call(target), 200, { filename: "secret.txt" })
  }),
  row("decisions.gated.no-second-event", "the next event is the next mail's", function* () {
    const { listen } = yield* World
    const { owner } = yield* overTheTrial
    const stream = yield* listen({ key: owner.key })
    yield* pay(owner)
    yield* receive(owner, [{ subject: "the next" }])
    expect(yield* stream.received(1)).toMatchObject([{ data: { data: { subject: "the next" } } }])
  }),
  row("decisions.gated.reset", "side by side", function* () {
    const byMonth = yield* sharedOverTheMonth
    const ofMonth = yield* byMonth.owner.call(`GET ${byMonth.path}`)
    expectWithin(ofMonth, 402, { resetAt: anyTime })
    expect(ofMonth.headers.get("retry-after")).toMatch(/^\d+$/)
    expect(ofMonth.headers.get("x-service-reset-at")).toBe(valueAt(ofMonth.json, "resetAt"))
    const byTrial = yield* overTheTrial
    const ofTrial = yield* byTrial.owner.call(`GET ${byTrial.path}`)
    expect(valueAt(ofTrial.json, "resetAt")).toBeUndefined()
    for (const name of ["retry-after", "x-service-reset-at"]) expect(ofTrial.headers.has(name)).toBe(false)
  }),
  virtual("decisions.storage-full", "its attachment can be read, and counts", function* () {
    const owner = yield* agent()
    yield* (yield* Virtual).pretend(owner.email, { storageUsedBytes: GB })
    yield* receive(owner, [
      { attachments: [{ filename: "a.txt", contentType: "text/plain", content: "12345" }] },
    ])
    const { json } = yield* listMessages(owner)
    const id = textAt(json, "messages.0.attachments.0.id")
    expectWithin(yield* owner.call(`GET /v1/attachments/${id}`), 200, { sizeBytes: 5 })
    expect(yield* accountOf(owner)).toMatchObject({ storageUsedBytes: GB + 5 })
    expectError(yield* upload(owner, "b.txt", "1"), 413, "STORAGE_FULL", { upgrade: UPGRADE_HINT })
  }),
  row("decisions.reserved-slugs", "each that the decisions name", function* () {
    const { call } = yield* World
    const slugs = "admin api app docs help mail postmaster root smtp status support webmail www".split(" ")
    for (const slug of slugs) {
      const { body, headers } = yield* newcomer
      const answer = yield* call("POST /v1/signup", { body: { ...body, slug }, headers })
      expectError(answer, 409, "SLUG_RESERVED")
    }
  }),
]
