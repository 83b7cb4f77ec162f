/** Counters of mail, and mailboxes whose sending is stopped. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, newMailbox, newestId, receive, scopedKey, send } from "../../src/agents.js"
import { type Answer, listAt, textAt, valueAt } from "../../src/Answer.js"
import { operate } from "../../src/operator.js"
import { bounceOf, complaintAbout, deliveryOf, deliveryReport, sentBy } from "../../src/reports.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import {
  ABSENT,
  anyId,
  anyText,
  anyTime,
  expectAnswer,
  expectError,
  expectInvalid,
  expectWithin,
} from "../expectations.js"
import { BOB } from "../values.js"

const zeros = { received: 0, sent: 0, delivered: 0, bounced: 0, complained: 0, gated: 0, quarantined: 0 }

const metricsOf = ({ call }: Pick<Agent, "call">, query = "") => call(`GET /v1/metrics${query}`)

const totalsOf = ({ json }: Answer) => valueAt(json, "totals")

/**
 * Sends a message to `count` (at most 50) recipients that no other test uses. Returns the first `reported` of them, with their
 * return paths.
 */
const sentToMany = (owner: Agent, count: number, reported: number) =>
  Effect.gen(function* () {
    const { next, outbox, eventually } = yield* World
    const to = yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.map(next, (number) => `many-${number}@partner.dev`),
    )
    const { status, json } = yield* send(owner, BOB, { to })
    expect(status).toBe(201)
    const recipients = to.slice(0, reported)
    const mails = yield* eventually(
      "their mails",
      outbox(...recipients),
      ({ length }) => length >= recipients.length,
    )
    return recipients.map((recipient) => ({
      recipient,
      returnPath: mails.find((mail) => mail.to.includes(recipient))?.from ?? "",
      json,
    }))
  })

/** The first mailbox, when `count` of its mails have bounced. */
const bounced = (owner: Agent, count: number) =>
  Effect.gen(function* () {
    const { eventually } = yield* World
    yield* eventually(
      `${count} bounces`,
      owner.call("GET /v1/account"),
      ({ json }) => valueAt(json, "account.bouncedToday") === count,
    )
    const { json } = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}`)
    return valueAt(json, "mailbox.sendingStopped")
  })

/** The kinds of the events about sending health, oldest first. */
const told = (owner: Agent) =>
  Effect.map(
    owner.call("GET /v1/events/log?events=mailbox.sending_warning,mailbox.sending_stopped&limit=100"),
    ({ json }) => listAt(json, "events").map((event) => textAt(event, "event")),
  )

const resume = ({ call }: Pick<Agent, "call">, mailboxId: string) =>
  call(`POST /v1/mailboxes/${mailboxId}/resume-sending`)

/** An owner with 50 sends, of which six bounced, and 14 more can. */
const stopped = Effect.gen(function* () {
  const { deliver } = yield* World
  const owner = yield* agent("active")
  const sent = yield* sentToMany(owner, 50, 20)
  yield* deliver(sent.slice(0, 6).map(bounceOf))
  expect(yield* bounced(owner, 6)).toEqual({ at: anyTime, reason: "BOUNCES" })
  return { owner, sent }
})

export const reputation: Part = [
  virtual(
    ["reputation.metrics.200", "reputation.metrics.range"],
    "in the hours and days around two mails",
    function* () {
      const { advance } = yield* Virtual
      const { now } = yield* World
      const owner = yield* agent("active")
      yield* receive(owner)
      yield* advance("2 hours")
      yield* receive(owner)
      const hour = 3_600_000
      const start = Math.floor((yield* now) / hour) * hour
      const at = (hours: number) => new Date(start + hours * hour).toISOString()
      const range = `from=${new Date(start - hour - 1).toISOString()}&to=${new Date(start + 1).toISOString()}`
      expectAnswer(yield* metricsOf(owner, `?groupBy=hour&${range}`), 200, {
        series: [
          { at: at(-2), ...zeros, received: 1 },
          { at: at(-1), ...zeros },
          { at: at(0), ...zeros, received: 1 },
        ],
        totals: { ...zeros, received: 2 },
      })
      const byHour = listAt((yield* metricsOf(owner, "?groupBy=hour")).json, "series")
      const byDay = listAt((yield* metricsOf(owner)).json, "series")
      expect([byHour.length, byDay.length]).toEqual([25, 31])
      const midnight = Math.floor((yield* now) / (24 * hour)) * 24 * hour
      const early = `?to=${new Date(midnight - 395 * 24 * hour).toISOString()}`
      expect(listAt((yield* metricsOf(owner, early)).json, "series")).toHaveLength(5)
    },
  ),
  row("reputation.metrics.counted", "a received mail, and one sent with three reports", function* () {
    const { deliver } = yield* World
    const owner = yield* agent("active")
    yield* receive(owner)
    const sent = yield* sentToMany(owner, 2, 2)
    const [one, two] = [sent.slice(0, 1), sent.slice(1)]
    const complaints = one.map(complaintAbout)
    yield* deliver([...one.map(deliveryOf), ...complaints, ...complaints, ...two.map(bounceOf)])
    yield* bounced(owner, 1)
    yield* receive(owner)
    expect(totalsOf(yield* metricsOf(owner))).toEqual({
      ...zeros,
      received: 2,
      sent: 1,
      delivered: 1,
      complained: 1,
      bounced: 1,
    })
  }),
  row("reputation.metrics.400", "and for wrong values", function* () {
    const owner = yield* agent("active")
    for (const [query, path] of [
      ["from=2026-03-02&to=2026-03-01", "from"],
      ["from=2001-01-01", "from"],
      ["groupBy=hour&from=2001-01-01", "from"],
      ["from=soon", "from"],
      ["groupBy=week", "groupBy"],
      ["mailboxId=mine", "mailboxId"],
    ] as const)
      expectInvalid(yield* metricsOf(owner, `?${query}`), path)
    const { now } = yield* World
    const before = new Date((yield* now) - 34 * 86_400_000).toISOString()
    expectInvalid(yield* metricsOf(owner, `?groupBy=hour&from=${before}`), "from")
  }),
  row("reputation.metrics.scoped", "of two mailboxes, one in scope", function* () {
    const owner = yield* agent("active")
    const scoped = yield* scopedKey(owner)
    const other = yield* newMailbox(owner, "other")
    yield* receive(owner)
    yield* receive(owner, [{}], other.address)
    expect(totalsOf(yield* metricsOf(owner))).toMatchObject({ received: 2 })
    expect(totalsOf(yield* metricsOf(owner, `?mailboxId=${other.id}`))).toMatchObject({ received: 1 })
    expect(totalsOf(yield* metricsOf(scoped))).toMatchObject({ received: 1 })
    for (const [caller, id] of [
      [scoped, other.id],
      [owner, ABSENT],
    ] as const)
      expectError(yield* metricsOf(caller, `?mailboxId=${id}`), 404, "MAILBOX_NOT_FOUND")
  }),
  row("reputation.metrics.kept", "a received message", function* () {
    const owner = yield* agent("active")
    yield* receive(owner)
    yield* owner.call(`DELETE /v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}`)
    expect(totalsOf(yield* metricsOf(owner))).toMatchObject({ received: 1 })
  }),

  virtual(
    ["reputation.health.soft", "reputation.health.warning", "reputation.health.bounces"],
    "of 50 sends 44 bounce softly and 5 hard, twice; then the sixth",
    function* () {
      const { deliver } = yield* World
      const owner = yield* agent("active")
      const sent = yield* sentToMany(owner, 50, 50)
      const soft = sent
        .slice(6)
        .map((one) => deliveryReport(one, "failed", "5.2.2", "552 5.2.2 Mailbox full"))
      const hard = sent.slice(0, 5).map(bounceOf)
      yield* deliver([...soft, ...hard, ...hard])
      expect(yield* bounced(owner, 49)).toBeNull()
      expect(yield* told(owner)).toEqual(["mailbox.sending_warning"])
      yield* deliver(sent.slice(5, 6).map(bounceOf))
      expect(yield* bounced(owner, 50)).toEqual({ at: anyTime, reason: "BOUNCES" })
      expect(yield* told(owner)).toEqual(["mailbox.sending_warning", "mailbox.sending_stopped"])
    },
  ),
  virtual(
    [
      "events.emission.sending-warning",
      "events.emission.sending-stopped",
      "events.shape.sending-warning",
      "events.shape.sending-stopped",
    ],
    "three bounces of 50, and six",
    function* () {
      const { deliver, listen } = yield* World
      const owner = yield* agent("active")
      const sent = yield* sentToMany(owner, 50, 6)
      const stream = yield* listen(
        { key: owner.key },
        "?events=mailbox.sending_warning,mailbox.sending_stopped",
      )
      yield* deliver(sent.slice(0, 3).map(bounceOf))
      yield* bounced(owner, 3)
      yield* deliver(sent.slice(3, 6).map(bounceOf))
      const frames = yield* stream.received(2)
      const data = (hardBounces: number) => ({
        mailbox_id: owner.mailboxId,
        mailbox_address: owner.address,
        reason: "BOUNCES",
        sends: 50,
        hard_bounces: hardBounces,
        complaints: 0,
      })
      expect(frames.map((frame) => frame.data)).toEqual([
        { event: "mailbox.sending_warning", timestamp: anyTime, data: { ...data(3), warned_at: anyTime } },
        { event: "mailbox.sending_stopped", timestamp: anyTime, data: { ...data(6), stopped_at: anyTime } },
      ])
      yield* stream.close
    },
  ),
  virtual("reputation.health.complaints", "1 of 200 warns, 2 stop", function* () {
    const { deliver, eventually } = yield* World
    const owner = yield* agent("active")
    const sent = yield* sentToMany(owner, 50, 2)
    yield* Effect.replicateEffect(sentToMany(owner, 50, 0), 3)
    yield* deliver(sent.slice(0, 1).map(complaintAbout))
    yield* eventually("the warning", told(owner), ({ length }) => length === 1)
    yield* deliver(sent.slice(1, 2).map(complaintAbout))
    expect(yield* eventually("the stop", told(owner), ({ length }) => length === 2)).toEqual([
      "mailbox.sending_warning",
      "mailbox.sending_stopped",
    ])
    expectWithin(yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}`), 200, {
      mailbox: { sendingStopped: { reason: "COMPLAINTS" } },
    })
  }),
  virtual("reputation.health.minimum", "49 sends with six bounces, and one more", function* () {
    const { deliver, eventually } = yield* World
    const owner = yield* agent("active")
    const sent = yield* sentToMany(owner, 49, 6)
    yield* deliver(sent.slice(0, 6).map(bounceOf))
    expect(yield* bounced(owner, 6)).toBeNull()
    expect(yield* told(owner)).toEqual([])
    yield* sentBy(owner)
    yield* eventually("the stop", told(owner), ({ length }) => length === 1)
    expectError(yield* send(owner, BOB), 403, "SENDING_STOPPED", { reason: "BOUNCES" })
  }),
  row(
    ["reputation.stop.403", "reputation.stop.shown", "reputation.stop.told"],
    "a send and a reply; a paused mailbox says that first",
    function* () {
      const { outbox, eventually } = yield* World
      const { owner } = yield* stopped
      const path = `/v1/mailboxes/${owner.mailboxId}`
      expectError(yield* send(owner, "ada@example.com"), 403, "SENDING_STOPPED", { reason: "BOUNCES" })
      yield* receive(owner)
      const reply = owner.call(`POST ${path}/messages/${yield* newestId(owner)}/reply`, {
        body: { bodyText: "Yes." },
      })
      expectError(yield* reply, 403, "SENDING_STOPPED", { reason: "BOUNCES" })
      yield* owner.call(`PATCH ${path}`, { body: { status: "paused" } })
      expectError(yield* send(owner, BOB), 400, "MAILBOX_NOT_ACTIVE")
      expect(yield* told(owner)).toContain("mailbox.sending_stopped")
      yield* eventually("the mail to the owner", outbox(owner.email), (mails) =>
        mails.some(({ subject }) => subject.includes("is stopped")),
      )
    },
  ),
  virtual("reputation.health.deleted", "they stop, and suppress; there is no event", function* () {
    const { deliver, eventually } = yield* World
    const owner = yield* agent("active")
    const sent = yield* sentToMany(owner, 50, 6)
    yield* owner.call(`DELETE /v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}`)
    yield* deliver(sent.map(bounceOf))
    yield* eventually(
      "the sending is stopped",
      owner.call(`GET /v1/mailboxes/${owner.mailboxId}`),
      ({ json }) => valueAt(json, "mailbox.sendingStopped") !== null,
    )
    const { json } = yield* owner.call("GET /v1/suppressions")
    expect(listAt(json, "suppressions")).toHaveLength(6)
    const events = yield* owner.call("GET /v1/events/log?events=message.bounced")
    expect(listAt(events.json, "events")).toEqual([])
  }),
  virtual("reputation.resume.200", "and late bounces of earlier mail", function* () {
    const { deliver } = yield* World
    const { owner, sent } = yield* stopped
    expectWithin(yield* resume(owner, owner.mailboxId), 200, { mailbox: { sendingStopped: null } })
    yield* deliver(sent.slice(6, 20).map(bounceOf))
    expect(yield* bounced(owner, 20)).toBeNull()
    yield* sentToMany(owner, 50, 0)
    expectWithin(yield* resume(owner, owner.mailboxId), 200, { mailbox: { sendingStopped: null } })
    expect((yield* send(owner, BOB)).status).toBe(201)
  }),
  row("reputation.resume.refused", "also of its own mailbox", function* () {
    const owner = yield* agent("active")
    const scoped = yield* scopedKey(owner)
    expectError(yield* resume(scoped, owner.mailboxId), 403, "SCOPE_FORBIDDEN")
    expectError(yield* resume(owner, ABSENT), 404, "MAILBOX_NOT_FOUND")
    expectWithin(yield* resume(owner, owner.mailboxId), 200, { mailbox: { sendingStopped: null } })
  }),
  virtual("reputation.resume.audit", "and no resume of a mailbox that may send", function* () {
    const { owner } = yield* stopped
    yield* Effect.replicateEffect(resume(owner, owner.mailboxId), 2)
    const { json } = yield* owner.call("GET /v1/audit?limit=2")
    expect(listAt(json, "entries")).toMatchObject([
      { action: "mailbox.sending_resumed", actor: { kind: "key" }, target: owner.mailboxId },
      { action: "mailbox.sending_stopped", actor: { kind: "system" }, detail: { reason: "BOUNCES" } },
    ])
  }),
  virtual(
    "reputation.stop.operator",
    "newest first, page by page, until one resumes, which is recorded once",
    function* () {
      const first = yield* stopped
      const second = yield* stopped
      const list = (query: string) => operate(`GET /admin/v1/stopped-mailboxes${query}`)
      const entryOf = ({ owner }: typeof first) => ({
        accountId: anyId,
        slug: owner.slug,
        mailboxId: owner.mailboxId,
        address: owner.address,
        at: anyTime,
        reason: "BOUNCES",
      })
      const page = yield* list("?limit=1")
      expectAnswer(page, 200, {
        mailboxes: [entryOf(second)],
        metadata: { limit: 1, hasMore: true, nextCursor: anyText },
      })
      const next = yield* list(`?limit=1&cursor=${textAt(page.json, "metadata.nextCursor")}`)
      expect(valueAt(next.json, "mailboxes")).toEqual([entryOf(first)])
      const resuming = `POST /admin/v1/mailboxes/${second.owner.mailboxId}/resume-sending`
      yield* Effect.replicateEffect(operate(resuming), 2)
      expect(valueAt((yield* list("?limit=1")).json, "mailboxes")).toEqual([entryOf(first)])
      const { json } = yield* second.owner.call("GET /v1/audit?limit=2")
      expect(listAt(json, "entries")).toMatchObject([
        { action: "mailbox.sending_resumed", actor: { kind: "admin" }, target: second.owner.mailboxId },
        { action: "mailbox.sending_stopped" },
      ])
      expectInvalid(yield* list("?limit=0"), "limit")
    },
  ),
  virtual("reputation.resume.operator", "and the statistics count it until then", function* () {
    const { owner } = yield* stopped
    const stats = Effect.map(operate("GET /admin/v1/stats"), ({ json }) =>
      valueAt(json, "stats.stoppedMailboxes"),
    )
    expect(yield* stats).toBeGreaterThan(0)
    const answer = yield* operate(`POST /admin/v1/mailboxes/${owner.mailboxId}/resume-sending`)
    expectWithin(answer, 200, { mailbox: { sendingStopped: null } })
    expectError(yield* operate(`POST /admin/v1/mailboxes/${ABSENT}/resume-sending`), 404, "MAILBOX_NOT_FOUND")
    expect((yield* send(owner, BOB)).status).toBe(201)
  }),
]
