/** Limits. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  checkout,
  listMessages,
  newcomer,
  newMailbox,
  type PaidPlan,
  pay,
  receive,
  receiveMany,
  send,
  upload,
} from "../../src/agents.js"
import { listAt, numberAt, textAt, valueAt } from "../../src/Answer.js"
import { claim } from "../../src/domains.js"
import { overTheMonth } from "../../src/gates.js"
import { type Part, row, virtual } from "../../src/Row.js"
import type { RowId } from "../../src/rows/index.js"
import { Virtual, World } from "../../src/World.js"
import { expectError, expectPayment, expectWithin, UPGRADE_HINT } from "../expectations.js"
import { BOB, GB } from "../values.js"

interface Numbers {
  readonly mailboxes: number
  readonly day: number
  readonly month: number | null
  readonly inbound: number | null
  readonly storage: number
}

/** The limits of the plan in the account and the mailbox. */
const expectPlan = ({ call }: Agent, { mailboxes, day, month, inbound, storage }: Numbers) =>
  Effect.gen(function* () {
    expectWithin(yield* call("GET /v1/account"), 200, {
      account: { mailboxLimit: mailboxes, monthlyInboundLimit: inbound, storageLimitBytes: storage },
    })
    expectWithin(yield* call("GET /v1/mailboxes"), 200, {
      mailboxes: [{ dailySendLimit: day, monthlySendLimit: month }],
    })
  })

const paidPlan = (id: RowId, plan: PaidPlan, priceUsd: number, numbers: Numbers) =>
  row(id, "the checkout has the price, account and mailbox the limits", function* () {
    const { visit } = yield* World
    const owner = yield* agent()
    const page = yield* visit(`GET ${yield* checkout(owner, { plan })}`)
    expect(page.text).toContain(`${priceUsd} USD`)
    yield* pay(owner, plan)
    yield* expectPlan(owner, numbers)
  })

/** Checks that this many domains can be added and no more; null means unlimited. */
const domainsOf = (id: RowId, plan: PaidPlan | "Free", limit: number | null) =>
  row(id, limit === null ? "more than any other plan" : "and the next is refused", function* () {
    const owner = yield* agent("trial")
    if (plan !== "Free") yield* pay(owner, plan)
    for (let claimed = 0; claimed < (limit ?? 7); claimed++)
      expect((yield* claim(owner, `acme-${claimed}.dev`)).status).toBe(201)
    if (limit !== null)
      expectError(yield* claim(owner, "one-more.dev"), 403, "CUSTOM_DOMAIN_LIMIT_REACHED", {
        upgrade: UPGRADE_HINT,
      })
  })

/** The time to the next midnight UTC, and to the next month. */
const until = Effect.gen(function* () {
  const { now } = yield* World
  const at = yield* now
  const date = new Date(at)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  return { midnight: Date.UTC(year, month, day + 1) - at, month: Date.UTC(year, month + 1, 1) - at }
})

export const limits: Part = [
  row(
    "limits.plans.free",
    "account and mailbox tell these numbers, and the 4th mailbox is refused",
    function* () {
      const owner = yield* agent()
      yield* expectPlan(owner, { mailboxes: 3, day: 100, month: 5000, inbound: 100, storage: GB })
      for (const address of ["second", "third"]) yield* newMailbox(owner, address)
      const fourth = yield* owner.call("POST /v1/mailboxes", { body: { address: "fourth" } })
      expectError(fourth, 403, "MAILBOX_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
    },
  ),
  paidPlan("limits.plans.developer", "Developer", 19, {
    mailboxes: 10,
    day: 500,
    month: 15_000,
    inbound: 2000,
    storage: 10 * GB,
  }),
  paidPlan("limits.plans.growth", "Growth", 79, {
    mailboxes: 50,
    day: 1000,
    month: null,
    inbound: 20_000,
    storage: 25 * GB,
  }),
  paidPlan("limits.plans.scale", "Scale", 199, {
    mailboxes: 200,
    day: 2000,
    month: null,
    inbound: null,
    storage: 100 * GB,
  }),
  domainsOf("limits.plans.free-domains", "Free", 0),
  domainsOf("limits.plans.developer-domains", "Developer", 1),
  domainsOf("limits.plans.growth-domains", "Growth", 5),
  domainsOf("limits.plans.scale-domains", "Scale", null),
  virtual("limits.send.independent", "one is at its limit, the other sends", function* () {
    const owner = yield* agent("active")
    const second = yield* newMailbox(owner, "second")
    yield* (yield* Virtual).pretend(owner.email, { sendsToday: 500, sendsThisMonth: 500 })
    expect((yield* send(owner, BOB)).status).toBe(429)
    expect((yield* send({ ...owner, mailboxId: second.id }, BOB)).status).toBe(201)
  }),
  virtual("limits.send.day", "a millisecond before, and then", function* () {
    const { advance, pretend } = yield* Virtual
    const owner = yield* agent("active")
    yield* pretend(owner.email, { sendsToday: 500 })
    yield* advance((yield* until).midnight - 1)
    expect((yield* send(owner, BOB)).status).toBe(429)
    yield* advance(1)
    expect((yield* send(owner, BOB)).status).toBe(201)
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, { mailboxes: [{ dailySendCount: 1 }] })
  }),
  virtual("limits.send.month", "a millisecond before, and then", function* () {
    const { advance, pretend } = yield* Virtual
    const owner = yield* agent("active")
    yield* pretend(owner.email, { sendsThisMonth: 15_000 })
    yield* advance((yield* until).month - 1)
    expect((yield* send(owner, BOB)).status).toBe(429)
    yield* advance(1)
    expect((yield* send(owner, BOB)).status).toBe(201)
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, { mailboxes: [{ monthlySendCount: 1 }] })
  }),
  virtual(
    ["limits.send.429-day", "decisions.quota.free-day"],
    "100 are sent on Free, the 101st is not",
    function* () {
      const owner = yield* agent("trial")
      const statuses = (yield* Effect.replicateEffect(send(owner, BOB), 101)).map(({ status }) => status)
      expect(statuses).toEqual([...Array.from({ length: 100 }, () => 201), 429])
    },
    { billing: "none", sendVelocityPerMinute: 1000 },
  ),
  virtual("limits.send.velocity", "60 in a minute, and 60 in the next", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agent("active")
    for (const _ of ["this minute", "the next"]) {
      const statuses = (yield* Effect.replicateEffect(send(owner, BOB), 61)).map(({ status }) => status)
      expect(statuses).toEqual([...Array.from({ length: 60 }, () => 201), 429])
      yield* advance("1 minute")
    }
  }),
  virtual("limits.send.trial", "each of the four ends it or is refused", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agent("trial")
    expectPayment(yield* send(owner, BOB), "TRIAL_RECIPIENT_LOCKED")
    for (let sent = 0; sent < 10; sent++) expect((yield* send(owner, owner.email)).status).toBe(201)
    expectPayment(yield* send(owner, owner.email))
    const receiving = yield* agent("trial")
    yield* receiveMany(receiving, 11)
    expectWithin(yield* listMessages(receiving), 200, { metadata: { overLimitCount: 1 } })
    yield* advance("3 days")
    expectPayment(yield* listMessages(receiving))
  }),
  row("limits.inbound.account", "five to each of two mailboxes, and the 11th is gated", function* () {
    const owner = yield* agent("trial")
    const second = yield* newMailbox(owner, "second")
    yield* receiveMany(owner, 5)
    yield* receiveMany(owner, 5, second.address)
    yield* receive(owner)
    expectWithin(yield* listMessages(owner), 200, { metadata: { overLimitCount: 1 } })
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { monthlyInboundCount: 11 } })
  }),
  virtual("limits.inbound.month", "a millisecond before, and then", function* () {
    const { advance, pretend } = yield* Virtual
    const owner = yield* agent("active")
    yield* pretend(owner.email, { receivedThisMonth: 2000 })
    const count = Effect.map(owner.call("GET /v1/account"), ({ json }) =>
      numberAt(json, "account.monthlyInboundCount"),
    )
    yield* advance((yield* until).month - 1)
    expect(yield* count).toBe(2000)
    yield* advance(1)
    expect(yield* count).toBe(0)
    yield* receive(owner)
    expectWithin(yield* listMessages(owner), 200, { messages: [{ overLimit: false }] })
  }),
  row("limits.inbound.gated", "all four, of one message", function* () {
    const { owner, path, stub } = yield* overTheMonth
    expect(valueAt(stub, "data.over_limit")).toBe(true)
    expect((yield* owner.call(`GET ${path}`)).status).toBe(402)
    const listed = yield* listMessages(owner, "?limit=100")
    expect(listAt(listed.json, "messages")).toHaveLength(100)
    expectWithin(listed, 200, { metadata: { overLimitCount: 1 } })
    yield* pay(owner)
    expectWithin(yield* owner.call(`GET ${path}`), 200, { message: { subject: "secret subject" } })
  }),
  row("limits.inbound.unlock-upgrade", "by the id that the stub told", function* () {
    const { owner, path, id } = yield* overTheMonth
    yield* pay(owner)
    expectWithin(yield* owner.call(`GET ${path}`), 200, { message: { id, overLimit: false } })
  }),
  virtual("limits.inbound.unlock-month", "by the id that the stub told", function* () {
    const { owner, path, id } = yield* overTheMonth
    yield* (yield* Virtual).advance((yield* until).month)
    expectWithin(yield* owner.call(`GET ${path}`), 200, { message: { id, overLimit: false } })
    expectWithin(yield* listMessages(owner), 200, { metadata: { overLimitCount: 0 } })
  }),
  row("limits.storage.usage", "an upload adds to it, its deletion takes it away", function* () {
    const owner = yield* agent()
    const file = yield* upload(owner, "a.txt", "12345")
    expectWithin(yield* owner.call("GET /v1/account"), 200, {
      account: { storageUsedBytes: 5, storageLimitBytes: GB },
    })
    yield* owner.call(`DELETE /v1/attachments/${textAt(file.json, "id")}`)
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { storageUsedBytes: 0 } })
  }),
  virtual("limits.storage.413", "and the account's usage stays", function* () {
    const owner = yield* agent()
    yield* (yield* Virtual).pretend(owner.email, { storageUsedBytes: GB - 3 })
    expectError(yield* upload(owner, "a.txt", "1234"), 413, "STORAGE_FULL", { upgrade: UPGRADE_HINT })
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { storageUsedBytes: GB - 3 } })
  }),
  virtual("limits.rate.signup", "4, 3, 2, 1, 0, refused; an hour later it begins anew", function* () {
    const { call } = yield* World
    const { advance } = yield* Virtual
    const { headers } = yield* newcomer
    const signup = Effect.gen(function* () {
      const { body } = yield* newcomer
      const answer = yield* call("POST /v1/signup", { body, headers })
      return [answer.status, answer.headers.get("x-ratelimit-remaining")]
    })
    expect((yield* Effect.replicateEffect(signup, 6)).slice(0, 5)).toEqual([
      [201, "4"],
      [201, "3"],
      [201, "2"],
      [201, "1"],
      [201, "0"],
    ])
    expect((yield* signup)[0]).toBe(429)
    const { body, headers: others } = yield* newcomer
    expect((yield* call("POST /v1/signup", { body, headers: others })).status).toBe(201)
    yield* advance("1 hour")
    expect(yield* signup).toEqual([201, "4"])
  }),
  virtual("limits.rate.check-slug", "30 are answered, the 31st is refused, a minute later not", function* () {
    const { call } = yield* World
    const { advance } = yield* Virtual
    const { headers, slug } = yield* newcomer
    const check = Effect.map(
      call(`GET /v1/signup/check-slug?slug=${slug}`, { headers }),
      ({ status }) => status,
    )
    expect(yield* Effect.replicateEffect(check, 31)).toEqual([...Array.from({ length: 30 }, () => 200), 429])
    yield* advance("1 minute")
    expect(yield* check).toBe(200)
  }),
  row("limits.rate.streams", "of one account; another has its own five", function* () {
    const { listen } = yield* World
    const [one, other] = [yield* agent(), yield* agent()]
    for (const { key } of [one, other]) yield* Effect.replicateEffect(listen({ key }), 5)
    for (const { call } of [one, other]) expectError(yield* call("GET /v1/events"), 429, "TOO_MANY_STREAMS")
  }),
  row("limits.rate.none", "200 reads in a row are answered", function* () {
    const { call } = yield* agent()
    const statuses = (yield* Effect.replicateEffect(call("GET /v1/mailboxes"), 200)).map(
      ({ status }) => status,
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  }),
]
