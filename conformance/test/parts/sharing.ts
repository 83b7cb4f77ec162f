/** Waiting for messages, and sharing them. */
import { Effect, Fiber } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  newestId,
  newMailbox,
  receive,
  receiveMany,
  scopedKey,
  send,
  signIn,
} from "../../src/agents.js"
import { type Answer, listAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial } from "../../src/gates.js"
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

const wait = ({ call, mailboxId }: Pick<Agent, "call" | "mailboxId">, query = "") =>
  call(`GET /v1/mailboxes/${mailboxId}/messages/wait${query}`)
const next = ({ call, mailboxId }: Agent, body: object = {}) =>
  call(`POST /v1/mailboxes/${mailboxId}/messages/claim`, { body })

/** A request about one message. */
const of = ({ call, mailboxId }: Agent, id: string, action: string, body: object = {}) =>
  call(`POST /v1/mailboxes/${mailboxId}/messages/${id}/${action}`, { body })

const takeBack = ({ call, mailboxId }: Agent, id: string) =>
  call(`DELETE /v1/mailboxes/${mailboxId}/messages/${id}/claim`)

/** The owner's agent, and the person who owns the account, at the dashboard. */
const withPerson = (owner: Agent) =>
  Effect.gen(function* () {
    const { call } = yield* World
    const cookie = yield* signIn(owner)
    const person: Agent = { ...owner, call: (target, options) => call(target, { cookie, ...options }) }
    return { owner, person }
  })

const subjectOf = ({ json }: Answer) => valueAt(json, "message.subject")
const afterOf = ({ json }: Answer) => textAt(json, "after")

/** An agent with messages `Mail 1` to `Mail {count}`. */
const agentWith = (count: number) => Effect.tap(agent("active"), (owner) => receiveMany(owner, count))

/** Claims the oldest message. */
const claimed = (owner: Agent, body: object = {}) =>
  Effect.map(next(owner, body), ({ json }) => ({
    id: textAt(json, "message.id"),
    token: textAt(json, "claim.token"),
  }))

const NOTHING = { message: null, claim: null }
/** The worker of most rows: the first key of the agent. */
const AGENT = { kind: "key", id: anyId, name: "Default key" }
const HELD = { state: "CLAIMED", expiresAt: anyTime, claimedBy: AGENT }
const DONE = { state: "COMPLETED", expiresAt: null, claimedBy: AGENT }

export const sharing: Part = [
  row("sharing.wait.200", "a mail that arrives ends the wait that began before", function* () {
    const owner = yield* agentWith(1)
    const start = afterOf(yield* wait(owner, "?timeout=0"))
    const waiting = yield* Effect.fork(wait(owner, `?timeout=55&after=${start}`))
    yield* receive(owner, [{ subject: "Later" }])
    const answer = yield* Fiber.join(waiting)
    expectWithin(answer, 200, { message: { subject: "Later" }, timedOut: false, after: anyText })
    const read = yield* owner.call(
      `GET /v1/mailboxes/${owner.mailboxId}/messages/${textAt(answer.json, "message.id")}`,
    )
    expect(valueAt(answer.json, "message")).toEqual(valueAt(read.json, "message"))
  }),
  row("sharing.wait.timeout", "no message in no time", function* () {
    const owner = yield* agentWith(1)
    expectAnswer(yield* wait(owner, "?timeout=0"), 200, { message: null, timedOut: true, after: anyText })
    for (const timeout of ["-1", "56", "x"])
      expectInvalid(yield* wait(owner, `?timeout=${timeout}`), "timeout")
  }),
  row("sharing.wait.since", "the oldest of three", function* () {
    const owner = yield* agent()
    const { now } = yield* World
    const since = new Date(yield* now).toISOString()
    yield* receiveMany(owner, 3)
    expect(subjectOf(yield* wait(owner, `?since=${since}`))).toBe("Mail 1")
    expectInvalid(yield* wait(owner, "?since=yesterday"), "since")
  }),
  row("sharing.wait.after", "five messages, each once", function* () {
    const owner = yield* agent()
    let after = afterOf(yield* wait(owner, "?timeout=0"))
    yield* receiveMany(owner, 5)
    const subjects: Array<unknown> = []
    for (let count = 0; count < 5; count++) {
      const answer = yield* wait(owner, `?after=${after}`)
      subjects.push(subjectOf(answer))
      after = afterOf(answer)
    }
    expect(new Set(subjects)).toEqual(new Set([1, 2, 3, 4, 5].map((number) => `Mail ${number}`)))
    expectWithin(yield* wait(owner, `?timeout=0&after=${after}`), 200, { timedOut: true, after })
  }),
  row("sharing.wait.after-400", "of another account, malformed, and with since", function* () {
    const other = yield* agentWith(3)
    const foreign = afterOf(yield* wait(other, "?timeout=0"))
    const owner = yield* agent()
    expectInvalid(yield* wait(owner, `?after=${foreign}`), "after")
    expectInvalid(yield* wait(owner, "?after=nonsense"), "after")
    const own = afterOf(yield* wait(owner, "?timeout=0"))
    expectInvalid(yield* wait(owner, `?after=${own}&since=2026-01-01`), "after")
  }),
  row("sharing.wait.filters", "each finds its message among the others", function* () {
    const owner = yield* agent("active")
    const start = afterOf(yield* wait(owner, "?timeout=0"))
    yield* receive(owner, [{ subject: "Plain" }])
    yield* receive(owner, [
      {
        subject: "Your Code",
        from: "noreply@shop.dev",
        text: "Your verification code is 482913. https://shop.dev/orders/1",
        attachments: [{ filename: "a.txt", contentType: "text/plain", content: "A" }],
      },
    ])
    yield* send(owner, BOB, { subject: "Sent", labels: ["out"] })
    const id = yield* newestId(owner)
    const { json } = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}`)
    const found = (query: string) => Effect.map(wait(owner, `?timeout=0&after=${start}${query}`), subjectOf)
    for (const query of [
      "&from=noreply@shop.dev",
      "&from=@SHOP.dev",
      "&subject=code",
      "&hasCode=true",
      "&hasLink=true",
      "&hasAttachment=true",
      "&unread=true&hasCode=true&from=@shop.dev",
    ])
      expect([query, yield* found(query)]).toEqual([query, "Your Code"])
    expect(yield* found("&hasCode=false")).toBe("Plain")
    expect(yield* found(`&to=${owner.address}`)).toBe("Plain")
    expect(yield* found("&direction=OUTBOUND&labels=out")).toBe("Sent")
    expect(yield* found(`&direction=OUTBOUND&threadId=${textAt(json, "message.threadId")}`)).toBe("Sent")
    for (const nothing of [
      "&unread=false",
      "&labels=out",
      "&hasCode=true&subject=plain",
      "&before=2000-01-01",
    ])
      expect([nothing, yield* found(nothing)]).toEqual([nothing, undefined])
    for (const [name, value] of [
      ["direction", "in"],
      ["hasCode", "yes"],
      ["from", "ada"],
      ["threadId", "t"],
    ] as const)
      expectInvalid(yield* wait(owner, `?${name}=${value}`), name)
  }),
  row("sharing.wait.gated", "the 11th mail of a trial is not found", function* () {
    const { owner } = yield* overTheTrial
    const { json } = yield* wait(owner, "?timeout=0&since=2020-01-01&subject=secret")
    expect(valueAt(json, "message")).toBeNull()
  }),
  virtual("sharing.wait.limit", "one of 21 at once, until one ends", function* () {
    const owner = yield* agent()
    const waiting = yield* Effect.forEach(Array.from({ length: 21 }), () =>
      Effect.fork(wait(owner, "?timeout=55")),
    )
    // Nothing else ends before the mail arrives.
    expectError(yield* Effect.raceAll(waiting.map(Fiber.join)), 429, "TOO_MANY_WAITS")
    expectWithin(yield* wait(owner, "?timeout=0"), 200, { timedOut: true })
    yield* receive(owner, [{ subject: "For all" }])
    const answers = yield* Effect.forEach(waiting, Fiber.join)
    const answered = answers.filter(({ status }) => status === 200)
    expect(answered.map(subjectOf)).toEqual(Array.from({ length: 20 }, () => "For all"))
    expectWithin(yield* wait(owner, "?timeout=1&since=2000-01-01"), 200, { timedOut: false })
  }),
  virtual("sharing.wait.stop", "by the key that is revoked", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agent()
    const { call } = yield* World
    const { id, key } = yield* scopedKey(owner)
    const waiting = yield* Effect.fork(
      call(`GET /v1/mailboxes/${owner.mailboxId}/messages/wait?timeout=55`, { key }),
    )
    yield* advance(0)
    yield* owner.call(`DELETE /v1/api-keys/${id}`)
    expectWithin(yield* Fiber.join(waiting), 200, { message: null, timedOut: true })
  }),
  row("sharing.wait.404", "absent, foreign and malformed mailboxes", function* () {
    const { call } = yield* agent()
    const other = yield* agent()
    for (const mailboxId of [ABSENT, other.mailboxId, "not-an-id"])
      expectError(yield* wait({ call, mailboxId }, "?timeout=0"), 404, "MAILBOX_NOT_FOUND")
  }),
  row("sharing.wait.account", "a key of one mailbox does not see the other", function* () {
    const owner = yield* agent("active")
    const { call } = yield* World
    const second = yield* newMailbox(owner, "second")
    const { key } = yield* scopedKey(owner)
    const start = afterOf(yield* owner.call("GET /v1/messages/wait?timeout=0"))
    yield* receive(owner, [{ subject: "In the second" }], second.address)
    yield* receive(owner, [{ subject: "In the first" }])
    const query = `?timeout=0&after=${start}`
    expect(subjectOf(yield* owner.call(`GET /v1/messages/wait${query}`))).toBe("In the second")
    expect(subjectOf(yield* call(`GET /v1/messages/wait${query}`, { key }))).toBe("In the first")
  }),

  row("sharing.claim.oldest", "five workers, five messages", function* () {
    const owner = yield* agentWith(6)
    const first = yield* next(owner)
    expectWithin(first, 200, {
      message: { claim: HELD, direction: "INBOUND" },
      claim: { token: anyText, expiresAt: anyTime },
    })
    const others = yield* Effect.all(
      Array.from({ length: 5 }, () => next(owner, { leaseSeconds: 3600 })),
      { concurrency: "unbounded" },
    )
    expect(new Set([first, ...others].map(subjectOf)).size).toBe(6)
    for (const leaseSeconds of [0, 3601, 1.5])
      expectInvalid(yield* next(owner, { leaseSeconds }), "leaseSeconds")
  }),
  row("sharing.claim.none", "in an empty mailbox", function* () {
    const owner = yield* agent()
    expectAnswer(yield* owner.call(`POST /v1/mailboxes/${owner.mailboxId}/messages/claim`), 200, NOTHING)
  }),
  row("sharing.claim.timeout", "a worker that waits gets the mail that arrives", function* () {
    const owner = yield* agent()
    const waiting = yield* Effect.fork(next(owner, { timeout: 55 }))
    yield* receive(owner, [{ subject: "New" }])
    expectWithin(yield* Fiber.join(waiting), 200, { message: { subject: "New", claim: HELD } })
    expectInvalid(yield* next(owner, { timeout: 56 }), "timeout")
  }),
  row("sharing.claim.filter", "by sender, and by code", function* () {
    const owner = yield* agentWith(2)
    yield* receive(owner, [{ subject: "Code", from: "noreply@shop.dev", text: "Your code is 482913." }])
    const filter = { from: "@shop.dev", hasCode: true, labels: [], unread: true }
    expect(subjectOf(yield* next(owner, { filter }))).toBe("Code")
    expectAnswer(yield* next(owner, { filter }), 200, NOTHING)
    expectInvalid(yield* next(owner, { filter: { from: "shop" } }), "filter.from")
  }),
  row("sharing.claim.gated", "of eleven mails ten are claimed", function* () {
    const { owner } = yield* overTheTrial
    const answers = yield* Effect.forEach(Array.from({ length: 11 }), () => next(owner))
    expect(answers.filter(({ json }) => valueAt(json, "message") === null)).toHaveLength(1)
  }),

  row("sharing.claim.one", "a younger message before an older", function* () {
    const owner = yield* agentWith(2)
    const id = yield* newestId(owner)
    expectWithin(yield* of(owner, id, "claim", { leaseSeconds: 5 }), 200, {
      message: { id, claim: HELD },
      claim: { token: anyText, expiresAt: anyTime },
    })
    expectError(yield* of(owner, ABSENT, "claim"), 404, "MESSAGE_NOT_FOUND")
  }),
  virtual("sharing.claim.409", "with the seconds that are left", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agentWith(1)
    const { id } = yield* claimed(owner, { leaseSeconds: 60 })
    yield* advance("20 seconds")
    const answer = yield* of(owner, id, "claim")
    expectError(answer, 409, "CLAIMED")
    expect(answer.headers.get("retry-after")).toBe("40")
  }),
  row("sharing.claim.done", "there is nothing to wait for", function* () {
    const owner = yield* agentWith(1)
    const { id, token } = yield* claimed(owner)
    yield* of(owner, id, "complete", { token })
    const answer = yield* of(owner, id, "claim")
    expectError(answer, 409, "CLAIMED")
    expect(answer.headers.get("retry-after")).toBeNull()
  }),
  row("sharing.claim.inbound", "our own mail is not work", function* () {
    const owner = yield* agent("active")
    const sent = yield* send(owner, BOB)
    expectInvalid(yield* of(owner, textAt(sent.json, "message.id"), "claim"), "msgId")
    expectAnswer(yield* next(owner), 200, NOTHING)
  }),
  row("sharing.claim.402", "the 11th mail of a trial", function* () {
    const { owner, id } = yield* overTheTrial
    expect((yield* of(owner, id, "claim")).status).toBe(402)
  }),

  virtual("sharing.renew", "for the same length, and for another", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agentWith(1)
    const { now } = yield* World
    const { id, token } = yield* claimed(owner, { leaseSeconds: 10 })
    const until = (seconds: number) =>
      Effect.map(now, (time) => ({
        claim: { ...HELD, expiresAt: new Date(time + seconds * 1000).toISOString() },
      }))
    yield* advance("9 seconds")
    expectAnswer(yield* of(owner, id, "renew", { token }), 200, yield* until(10))
    yield* advance("9 seconds")
    expectAnswer(yield* of(owner, id, "renew", { token, leaseSeconds: 99 }), 200, yield* until(99))
  }),
  row("sharing.renew", "the claim is shown with its new end", function* () {
    const owner = yield* agentWith(1)
    const { id, token } = yield* claimed(owner, { leaseSeconds: 10 })
    const renewed = yield* of(owner, id, "renew", { token, leaseSeconds: 3600 })
    const shown = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}`)
    const expiresAt = textAt(shown.json, "message.claim.expiresAt")
    expectAnswer(renewed, 200, { claim: { ...HELD, expiresAt } })
    const { now } = yield* World
    expect(Date.parse(expiresAt) - (yield* now)).toBeGreaterThan(3_000_000)
  }),
  row("sharing.release", "the next worker gets it", function* () {
    const owner = yield* agentWith(1)
    const { id, token } = yield* claimed(owner)
    expectAnswer(yield* of(owner, id, "release", { token }), 200, { claim: null })
    expect((yield* claimed(owner)).id).toBe(id)
  }),
  row("sharing.complete", "no worker gets it", function* () {
    const owner = yield* agentWith(1)
    const { id, token } = yield* claimed(owner)
    expectAnswer(yield* of(owner, id, "complete", { token }), 200, { claim: DONE })
    expectAnswer(yield* next(owner), 200, NOTHING)
  }),
  row("sharing.repeat", "for a worker that did not get its answer", function* () {
    const owner = yield* agentWith(2)
    for (const [action, claim] of [
      ["complete", DONE],
      ["release", null],
    ] as const) {
      const { id, token } = yield* claimed(owner)
      for (let count = 0; count < 2; count++)
        expectAnswer(yield* of(owner, id, action, { token }), 200, { claim })
    }
  }),
  row("sharing.lost", "the token of another message, and of a claim that ended", function* () {
    const owner = yield* agentWith(2)
    const [one, two] = [yield* claimed(owner), yield* claimed(owner)]
    for (const action of ["renew", "release", "complete"])
      expectError(yield* of(owner, one.id, action, { token: two.token }), 409, "CLAIM_LOST")
    yield* of(owner, one.id, "release", { token: one.token })
    yield* of(owner, two.id, "complete", { token: two.token })
    for (const { id, token } of [one, two])
      expectError(yield* of(owner, id, "renew", { token }), 409, "CLAIM_LOST")
    expectInvalid(yield* of(owner, one.id, "complete", {}), "token")
  }),
  row("sharing.take-back", "the next worker gets it, and the audit trail says who did it", function* () {
    const { owner, person } = yield* withPerson(yield* agentWith(1))
    const { id, token } = yield* claimed(owner, { leaseSeconds: 3600 })
    const claim = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}`)
    for (let count = 0; count < 2; count++) expectAnswer(yield* takeBack(person, id), 200, { deleted: true })
    for (const action of ["renew", "complete"])
      expectError(yield* of(owner, id, action, { token }), 409, "CLAIM_LOST")
    expect((yield* claimed(owner)).id).toBe(id)
    const { json } = yield* owner.call("GET /v1/audit")
    const entries = listAt(json, "entries").filter((entry) => valueAt(entry, "target") === id)
    expect(entries).toMatchObject([
      {
        action: "claim.taken_back",
        actor: { kind: "session" },
        detail: { mailboxId: owner.mailboxId, keyId: textAt(claim.json, "message.claim.claimedBy.id") },
      },
    ])
  }),
  row("sharing.take-back.done", "a done message stays done", function* () {
    const owner = yield* agentWith(1)
    const { id, token } = yield* claimed(owner)
    yield* of(owner, id, "complete", { token })
    const answer = yield* takeBack(owner, id)
    expectError(answer, 409, "CLAIMED")
    expect(answer.headers.get("retry-after")).toBeNull()
    expectAnswer(yield* next(owner), 200, NOTHING)
  }),
  row("sharing.take-back.permission", "not by a worker, and not for an absent message", function* () {
    const owner = yield* agentWith(1)
    const { id } = yield* claimed(owner)
    const worker = yield* scopedKey(owner)
    const refused = yield* takeBack({ ...owner, call: worker.call }, id)
    expectError(refused, 403, "PERMISSION_DENIED", { required: ["manage"] })
    expectAnswer(yield* next(owner), 200, NOTHING)
    expectError(yield* takeBack(owner, ABSENT), 404, "MESSAGE_NOT_FOUND")
    expectAnswer(yield* takeBack(owner, id), 200, { deleted: true })
  }),
  virtual("sharing.lease", "the message of a worker that died", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agentWith(1)
    const { id, token } = yield* claimed(owner, { leaseSeconds: 30 })
    yield* advance("29 seconds")
    expectAnswer(yield* next(owner), 200, NOTHING)
    yield* advance("1 second")
    expectError(yield* of(owner, id, "complete", { token }), 409, "CLAIM_LOST")
    expect((yield* claimed(owner)).id).toBe(id)
  }),
  row("sharing.listed", "three messages, one of each", function* () {
    const owner = yield* agentWith(3)
    const done = yield* claimed(owner)
    const held = yield* claimed(owner)
    yield* of(owner, done.id, "complete", { token: done.token })
    const listed = (condition: string) =>
      Effect.map(owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages?claim=${condition}`), ({ json }) =>
        listAt(json, "messages").map((message) => textAt(message, "id")),
      )
    expect(yield* listed("completed")).toEqual([done.id])
    expect(yield* listed("claimed")).toEqual([held.id])
    const free = yield* listed("free")
    expect(free).toHaveLength(1)
    expect([done.id, held.id]).not.toContain(free[0])
    expectInvalid(yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages?claim=mine`), "claim")
  }),
  row("sharing.shown", "in lists and alone, free, held and done", function* () {
    const owner = yield* agentWith(1)
    const shown = Effect.gen(function* () {
      const mailbox = `/v1/mailboxes/${owner.mailboxId}/messages`
      const list = yield* owner.call(`GET ${mailbox}`)
      const one = yield* owner.call(`GET ${mailbox}/${textAt(list.json, "messages.0.id")}`)
      expect(valueAt(one.json, "message.claim")).toEqual(valueAt(list.json, "messages.0.claim"))
      return valueAt(one.json, "message.claim")
    })
    expect(yield* shown).toBeNull()
    const { id, token } = yield* claimed(owner)
    expect(yield* shown).toEqual(HELD)
    yield* of(owner, id, "complete", { token })
    expect(yield* shown).toEqual(DONE)
  }),
  row("sharing.shown.worker", "a key, by the name that it had, and the owner's session", function* () {
    const { owner, person } = yield* withPerson(yield* agentWith(2))
    const worker = yield* scopedKey(owner)
    const one = yield* next({ ...owner, call: worker.call })
    const name = { kind: "key", id: worker.id, name: "another" }
    expect(valueAt(one.json, "message.claim.claimedBy")).toEqual(name)
    yield* owner.call(`DELETE /v1/api-keys/${worker.id}`)
    expect(valueAt((yield* next(person)).json, "message.claim.claimedBy")).toEqual({ kind: "session" })
    const { json } = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages?claim=claimed`)
    const holders = listAt(json, "messages").map((message) => valueAt(message, "claim.claimedBy"))
    expect(holders).toEqual([{ kind: "session" }, name])
  }),
]
