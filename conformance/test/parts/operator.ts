/** The operator's routes: suspensions, plans and statistics. */
import { expect } from "vitest"
import { accountOf, agent, send, signIn, type State } from "../../src/agents.js"
import { textAt, valueAt } from "../../src/Answer.js"
import {
  operate,
  REASON,
  setPlan,
  suspend,
  suspendedAgent,
  suspendMailbox,
  unsuspend,
  unsuspendMailbox,
} from "../../src/operator.js"
import { type Part, row, wire } from "../../src/Row.js"
import { Wire, World } from "../../src/World.js"
import {
  ABSENT,
  anyCount,
  expectAnswer,
  expectError,
  expectInvalid,
  expectSuspended,
  expectWithin,
} from "../expectations.js"
import { BOB } from "../values.js"

const states: ReadonlyArray<State> = ["unverified", "trial", "payment_required", "active"]

/** All routes of the operator. */
const routes = [
  "GET /admin/v1/accounts",
  `POST /admin/v1/accounts/${ABSENT}/suspend`,
  `POST /admin/v1/accounts/${ABSENT}/unsuspend`,
  `POST /admin/v1/accounts/${ABSENT}/plan`,
  `POST /admin/v1/mailboxes/${ABSENT}/suspend`,
  `POST /admin/v1/mailboxes/${ABSENT}/unsuspend`,
  `POST /admin/v1/mailboxes/${ABSENT}/resume-sending`,
  "GET /admin/v1/stats",
  "POST /admin/v1/doctor",
  "GET /admin/v1/errors",
]

export const operator: Part = [
  row("decisions.state.suspended", "as the account says, with the reason; the plan stays", function* () {
    for (const state of states) {
      const owner = yield* agent(state)
      const before = yield* accountOf(owner)
      expect(before).toMatchObject({ state, suspended: false, suspendedReason: null })
      yield* suspend(owner)
      expect(yield* accountOf(owner)).toMatchObject({
        state: "suspended",
        suspended: true,
        suspendedReason: REASON,
        plan: valueAt(before, "plan"),
      })
    }
  }),
  wire("decisions.smtp.suspended", "a suspended account's mailbox, and a suspended mailbox", function* () {
    const { smtp } = yield* Wire
    const [whole, one] = [yield* suspendedAgent(), yield* agent()]
    yield* suspendMailbox(one)
    const session = yield* smtp
    yield* session.say("MAIL FROM:<bob@sender.dev>")
    for (const { address } of [whole, one])
      expect(yield* session.say(`RCPT TO:<${address}>`)).toMatch(/^550 5\.2\.1 /)
    yield* unsuspendMailbox(one)
    expect(yield* session.say(`RCPT TO:<${one.address}>`)).toMatch(/^250 /)
  }),

  row("decisions.admin.token", "and no key, session or other token", function* () {
    const { visit } = yield* World
    const owner = yield* agent("active")
    const cookie = yield* signIn(owner)
    for (const target of routes)
      for (const credentials of [{}, { key: owner.key }, { cookie }, { key: "the-operators-token" }])
        expectError(yield* visit(target, credentials), 401, "UNAUTHORIZED")
    expect((yield* operate("GET /admin/v1/stats")).status).toBe(200)
  }),
  wire(
    "decisions.admin.token",
    "where none is set there are no such paths",
    function* () {
      for (const target of routes) expectWithin(yield* operate(target), 404, { code: "ENDPOINT_NOT_FOUND" })
    },
    { ADMIN_TOKEN: "" },
  ),
  row("decisions.admin.accounts", "by email, by slug and by id, as their owners see them", function* () {
    const owner = yield* agent()
    const account = yield* accountOf(owner)
    const find = (q: string) => operate(`GET /admin/v1/accounts?q=${encodeURIComponent(q)}`)
    for (const q of [owner.email, owner.email.toUpperCase(), textAt(account, "id")])
      expectAnswer(yield* find(q), 200, { accounts: [account], metadata: { limit: 50, hasMore: false } })
    expectWithin(yield* find(owner.slug), 200, { accounts: expect.arrayContaining([account]) })
    expectWithin(yield* find("nobody@nowhere.dev"), 200, { accounts: [] })
    expectInvalid(yield* operate("GET /admin/v1/accounts?limit=0"), "limit")
  }),
  row("decisions.admin.suspend", "with the account as its owner sees it; its streams end", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const stream = yield* listen({ key: owner.key })
    const answer = yield* suspend(owner)
    expectAnswer(answer, 200, { account: yield* accountOf(owner) })
    expectWithin(answer, 200, { account: { state: "suspended", suspendedReason: REASON } })
    yield* stream.ended
    expectSuspended(yield* send(owner, BOB), REASON)
    const target = `POST /admin/v1/accounts/${ABSENT}/suspend`
    expectError(yield* operate(target, { reason: REASON }), 404, "ACCOUNT_NOT_FOUND")
    for (const body of [{}, { reason: "" }]) expectInvalid(yield* operate(target, body), "reason")
  }),
  row("decisions.admin.unsuspend", "as it was before, in whichever state that is", function* () {
    for (const state of states) {
      const owner = yield* agent(state)
      const before = yield* accountOf(owner)
      yield* suspend(owner)
      expectAnswer(yield* unsuspend(owner), 200, { account: before })
      expect(yield* accountOf(owner)).toEqual(before)
    }
    const target = `POST /admin/v1/accounts/${ABSENT}/unsuspend`
    expectError(yield* operate(target), 404, "ACCOUNT_NOT_FOUND")
  }),
  row("decisions.admin.plan", "without payment, and takes it away", function* () {
    const owner = yield* agent("payment_required")
    const given = yield* setPlan(owner, "Growth")
    expectAnswer(given, 200, { account: yield* accountOf(owner) })
    expectWithin(given, 200, { account: { plan: "Growth", state: "active", billingLinked: false } })
    expect((yield* send(owner, BOB)).status).toBe(201)
    expectWithin(yield* setPlan(owner, "Free"), 200, { account: { plan: "Free" } })
    const paying = yield* agent("active")
    for (const plan of ["Growth", "Free"] as const)
      expectWithin(yield* setPlan(paying, plan), 200, { account: { plan, billingLinked: false } })
    const target = `POST /admin/v1/accounts/${ABSENT}/plan`
    expectError(yield* operate(target, { plan: "Scale" }), 404, "ACCOUNT_NOT_FOUND")
    expectInvalid(yield* operate(target, { plan: "Gold" }), "plan")
  }),
  row("decisions.admin.mailbox", "it does not send, and then it does again", function* () {
    const owner = yield* agent("active")
    const get = owner.call(`GET /v1/mailboxes/${owner.mailboxId}`)
    const suspended = yield* suspendMailbox(owner)
    expectWithin(suspended, 200, { mailbox: { status: "suspended", suspendedReason: REASON } })
    expectAnswer(yield* get, 200, suspended.json)
    expect((yield* send(owner, BOB)).status).toBe(400)
    const restored = yield* unsuspendMailbox(owner)
    expectWithin(restored, 200, { mailbox: { status: "ACTIVE", suspendedReason: null } })
    expectAnswer(yield* get, 200, restored.json)
    expect((yield* send(owner, BOB)).status).toBe(201)
    for (const what of ["suspend", "unsuspend"])
      expectError(yield* operate(`POST /admin/v1/mailboxes/${ABSENT}/${what}`), 404, "MAILBOX_NOT_FOUND")
  }),
  row("decisions.admin.stats", "accounts, mailboxes, messages and what waits", function* () {
    yield* suspendedAgent()
    const { status, json } = yield* operate("GET /admin/v1/stats")
    expect([status, json]).toEqual([
      200,
      {
        stats: {
          countedTo: 100_000,
          accounts: anyCount,
          suspendedAccounts: anyCount,
          mailboxes: anyCount,
          stoppedMailboxes: anyCount,
          messagesToday: anyCount,
          queuedMails: anyCount,
          waitingDeliveries: anyCount,
          waitingJobs: anyCount,
        },
      },
    ])
    for (const name of ["accounts", "suspendedAccounts", "mailboxes", "messagesToday"])
      expect(valueAt(json, `stats.${name}`), name).toBeGreaterThan(0)
  }),
  row("admin.doctor", "all counts of a sound service are compared, and none is wrong", function* () {
    yield* agent()
    const { status, json } = yield* operate("POST /admin/v1/doctor")
    expect([status, json]).toEqual([
      200,
      { examination: { compared: anyCount, wrong: 0, findings: [], isComplete: true } },
    ])
    expect(valueAt(json, "examination.compared")).toBeGreaterThan(0)
  }),
  row("admin.errors", "a list, newest first", function* () {
    const { status, json } = yield* operate("GET /admin/v1/errors")
    expect([status, json]).toEqual([200, { errors: expect.any(Array) }])
  }),
]
