/** Account states, plans, quotas and gated messages. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  listMessages,
  newcomer,
  pay,
  receive,
  receiveMany,
  send,
  signUp,
  upload,
  verify,
  accountOf,
} from "../../src/agents.js"
import { textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial, sharedOverTheMonth } from "../../src/gates.js"
import { type Part, row, virtual } from "../../src/Row.js"
import type { RowId } from "../../src/rows/index.js"
import { Virtual, World } from "../../src/World.js"
import {
  anyTime,
  expectAnswer,
  expectError,
  expectPayment,
  expectWithin,
  UPGRADE_HINT,
  upgrade,
} from "../expectations.js"
import { BOB, GB } from "../values.js"

const quotaOf = ({ call }: Agent) =>
  Effect.map(call("GET /v1/account"), ({ headers }) => headers.get("x-service-inbound-quota"))

/** Checks that a refused send did not count. */
const expectNothingTaken = (owner: Agent) =>
  Effect.gen(function* () {
    expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0, sentThisMonth: 0 })
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, {
      mailboxes: [{ dailySendCount: 0, monthlySendCount: 0 }],
    })
  })

/** Checks that a request gets the same refusal as a read of the gated message. */
const sameGate = (id: RowId, method: string, suffix: string, body?: object) =>
  row(id, "word for word, and nothing changes", function* () {
    const { owner, path } = yield* overTheTrial
    const read = yield* owner.call(`GET ${path}`)
    const answer = yield* owner.call(`${method} ${path}${suffix}`, { body })
    expectAnswer(answer, 402, read.json)
    yield* pay(owner)
    expectWithin(yield* owner.call(`GET ${path}`), 200, { message: { readAt: null, labels: [] } })
  })

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
  sameGate("decisions.gated.reply", "POST", "/reply", { bodyText: "Yes." }),
  sameGate("decisions.gated.forward", "POST", "/forward", { to: [BOB] }),
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
  virtual("decisions.deleted-reserved", "to the millisecond, and are free afterwards", function* () {
    const { advance, settle } = yield* Virtual
    const { call } = yield* World
    const { slug, email, call: owner } = yield* signUp()
    yield* owner("DELETE /v1/account", { body: { confirm: "DELETE" } })
    const signUpWith = (fields: object) =>
      Effect.flatMap(newcomer, ({ body, headers }) =>
        call("POST /v1/signup", { body: { ...body, ...fields }, headers }),
      )
    const reserved = Effect.gen(function* () {
      expectError(yield* signUpWith({ slug }), 409, "SLUG_TAKEN")
      expectError(yield* signUpWith({ email }), 409, "EMAIL_TAKEN")
      expectAnswer(yield* call(`GET /v1/signup/check-slug?slug=${slug}`), 200, {
        available: false,
        reason: "taken",
      })
    })
    yield* reserved
    yield* settle
    yield* advance(30 * 24 * 60 * 60 * 1000 - 1)
    yield* reserved
    yield* advance("1 millis")
    expectAnswer(yield* call(`GET /v1/signup/check-slug?slug=${slug}`), 200, { available: true })
    expect((yield* signUpWith({ slug, email })).status).toBe(201)
  }),
]
