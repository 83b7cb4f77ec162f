/** Upgrading, and the simulated checkout. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  changePlan,
  checkout,
  newcomer,
  newKey,
  newMailbox,
  pay,
  send,
  signIn,
  signUp,
  verify,
  accountOf,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial } from "../../src/gates.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { type Call, Virtual, World } from "../../src/World.js"
import { anyText, expectAnswer, expectError, expectPayment, expectWithin } from "../expectations.js"
import { BOB } from "../values.js"

/** Checks that a key cannot revoke the only full-access key. */
const lastKeyStays = (owner: Agent) =>
  Effect.gen(function* () {
    const listed = yield* owner.call("GET /v1/api-keys")
    const answer = yield* owner.call(`DELETE /v1/api-keys/${textAt(listed.json, "keys.0.id")}`)
    expectError(answer, 400, "LAST_FULL_KEY")
  })

const DASHBOARD = "/dashboard?verified=true"

/** An owner on Developer with one mailbox more than Free allows. */
const fourMailboxes = Effect.gen(function* () {
  const owner = yield* agent("active")
  for (const address of ["second", "third", "fourth"]) yield* newMailbox(owner, address)
  return owner
})

/** The page after verification. */
const targetOf = (email: string) => Effect.map(verify({ email }), ({ json }) => textAt(json, "target"))

export const upgrading: Part = [
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
  row("decisions.upgrade.change-plan", "at once, and not the one that it is", function* () {
    const owner = yield* agent("active")
    const body = { plan: "Growth", period: "annual" } as const
    expectError(yield* owner.call("POST /v1/billing/change-plan", { body }), 403, "SESSION_REQUIRED")
    const changed = yield* changePlan(owner, body)
    expectWithin(changed, 200, { account: { plan: "Growth", billingPeriod: "annual", mailboxLimit: 50 } })
    expectAnswer(yield* owner.call("GET /v1/account"), 200, changed.json)
    expectError(yield* changePlan(owner, body), 409, "ALREADY_PAID")
    expectError(yield* changePlan(yield* agent("trial"), body), 409, "NO_SUBSCRIPTION")
  }),
  row("decisions.upgrade.change-plan", "beside the page for invoices and payment", function* () {
    const { call } = yield* World
    const owner = yield* agent("active")
    expectError(yield* owner.call("POST /v1/billing/portal"), 403, "SESSION_REQUIRED")
    expectAnswer(yield* call("POST /v1/billing/portal", { cookie: yield* signIn(owner) }), 200, {
      url: "http://mailroom.test/dashboard/billing",
    })
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
  row("decisions.upgrade.intent-cleared", "the owner is led to the dashboard", function* () {
    for (const plan of ["Free", "Gold"]) {
      const { email } = yield* signUp({ plan, period: "annual" })
      expect(yield* targetOf(email)).toBe(DASHBOARD)
    }
  }),
  row("decisions.upgrade.target", "for the first call, whoever makes it", function* () {
    const { call } = yield* World
    const target = (caller: Call) =>
      Effect.map(call("POST /v1/account/post-verify-target", caller), ({ json }) => valueAt(json, "target"))
    const twice = (caller: Call) => Effect.replicateEffect(target(caller), 2)

    const buyer = yield* signUp({ plan: "Growth" })
    yield* verify(buyer)
    expect(yield* twice({ key: buyer.key })).toEqual(["/onboarding", DASHBOARD])

    const { body, headers } = yield* newcomer
    yield* call("POST /v1/signup", { body, headers })
    yield* verify(body)
    expect(yield* twice({ cookie: yield* signIn(body) })).toEqual(["/onboarding", DASHBOARD])

    expect(yield* twice({ key: (yield* agent("trial")).key })).toEqual([DASHBOARD, DASHBOARD])
  }),
  virtual("decisions.upgrade.lapse", "and the next payment makes it active again", function* () {
    const owner = yield* agent("active")
    yield* (yield* Virtual).lapse(owner.email)
    expect(yield* accountOf(owner)).toMatchObject({ state: "payment_required" })
    expectPayment(yield* owner.call("GET /v1/mailboxes"))
    expectPayment(yield* send(owner, BOB))
    yield* pay(owner)
    expect(yield* accountOf(owner)).toMatchObject({ state: "active", plan: "Developer" })
    expect((yield* send(owner, BOB)).status).toBe(201)
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

  row("decisions.downgrade", "the oldest run, and a larger plan starts the others again", function* () {
    const owner = yield* fourMailboxes
    expectWithin(yield* changePlan(owner, { plan: "Free" }), 200, {
      account: { mailboxCount: 4, activeMailboxCount: 3 },
    })
    const running = { status: "ACTIVE", pausedByBilling: false }
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, {
      mailboxes: [running, running, running, { status: "paused", pausedByBilling: true }],
    })
    yield* pay(owner)
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, {
      mailboxes: [running, running, running, running],
    })
  }),
  virtual("decisions.downgrade", "a lapse: to what Free has", function* () {
    const owner = yield* fourMailboxes
    yield* (yield* Virtual).lapse(owner.email)
    expect(yield* accountOf(owner)).toMatchObject({ mailboxCount: 4, activeMailboxCount: 3 })
    yield* pay(owner)
    expect(yield* accountOf(owner)).toMatchObject({ mailboxCount: 4, activeMailboxCount: 4 })
  }),
]
