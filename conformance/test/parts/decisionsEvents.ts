/** Payloads, the stream, webhooks and their retries. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  listMessages,
  newcomer,
  newMailbox,
  receive,
  receiveMany,
  scopedKey,
  send,
  signUp,
} from "../../src/agents.js"
import { textAt, valueAt } from "../../src/Answer.js"
import { subjectsOf } from "../../src/StreamClient.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { ABSENT, expectAnswer, expectError, expectWithin } from "../expectations.js"

const eventOf = (owner: Agent, draft: object = {}) =>
  Effect.gen(function* () {
    const { listen } = yield* World
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [draft])
    const [frame] = yield* stream.received(1)
    return frame?.data
  })

export const decisionsEvents: Part = [
  row("decisions.payload.message_id", "of what came and of what went", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [{ subject: "in" }])
    yield* send(owner, "bob@partner.dev", { subject: "out" })
    for (const { data } of yield* stream.received(2)) {
      const id = textAt(data, "data.message_id")
      const read = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}`)
      expectWithin(read, 200, { message: { subject: valueAt(data, "data.subject") } })
    }
  }),
  row("decisions.payload.rfc_message_id", "with its angle brackets", function* () {
    const data = yield* eventOf(yield* agent(), { messageId: "<one@sender.dev>" })
    expect(valueAt(data, "data.rfc_message_id")).toBe("<one@sender.dev>")
  }),
  row("decisions.payload.from", "of a name beyond ASCII", function* () {
    const data = yield* eventOf(yield* agent(), { from: "zoe@corp.dev", fromName: "Zoë, Bob" })
    expect(valueAt(data, "data")).toMatchObject({ from: "zoe@corp.dev", from_name: "Zoë, Bob" })
  }),
  row("decisions.check-slug.reasons", "each for its own", function* () {
    const { call } = yield* World
    const { slug } = yield* signUp()
    const { headers } = yield* newcomer
    for (const [asked, reason] of [
      ["admin", "reserved"],
      [slug, "taken"],
    ])
      expectAnswer(yield* call(`GET /v1/signup/check-slug?slug=${asked}`, { headers }), 200, {
        available: false,
        reason,
      })
  }),
  row("decisions.stream.stored", "with the event in hand", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner)
    const [frame] = yield* stream.received(1)
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${textAt(frame?.data, "data.message_id")}`
    expect((yield* owner.call(`GET ${path}`)).status).toBe(200)
    expect((yield* listMessages(owner)).text).toContain(textAt(frame?.data, "data.message_id"))
  }),
  row("decisions.stream.counter", "over two mailboxes, in and out", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const second = yield* newMailbox(owner, "second")
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner)
    yield* receive(owner, [{}], second.address)
    yield* send(owner, "bob@partner.dev")
    const counters = (yield* stream.received(3)).map(({ id }) => Number(id.split("-")[1]))
    expect(counters).toEqual([1, 2, 3])
  }),
  row("decisions.stream.order", "of ten that came at once", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const live = yield* listen({ key: owner.key })
    yield* receiveMany(owner, 10)
    const seen = yield* live.received(10)
    const replay = yield* listen({ key: owner.key, headers: { "last-event-id": "none" } })
    expect((yield* replay.received(10)).map(({ id }) => id)).toEqual(seen.map(({ id }) => id))
  }),
  row("decisions.stream.unknown-id", "nonsense, and an id that never was", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    yield* receiveMany(owner, 3)
    for (const id of ["nonsense", "1-2-abcd"]) {
      const stream = yield* listen({ key: owner.key, headers: { "last-event-id": id } })
      expect(yield* stream.received(3)).toHaveLength(3)
    }
  }),
  row("decisions.stream.headers", "both", function* () {
    const { listen } = yield* World
    const { key } = yield* agent()
    const { headers } = yield* listen({ key })
    expect([headers.get("cache-control"), headers.get("x-accel-buffering")]).toEqual([
      "no-cache, no-transform",
      "no",
    ])
  }),
  virtual("decisions.stream.reconnect", "as the last of the stream", function* () {
    const { listen } = yield* World
    const { advance, settle } = yield* Virtual
    const stream = yield* listen({ key: (yield* agent()).key })
    for (let spent = 0; spent < 270; spent += 30) {
      yield* advance("30 seconds")
      yield* settle
    }
    yield* stream.ended
    expect(stream.text()).toMatch(/event: reconnect\ndata: \{\}\n\n$/)
  }),
  row("decisions.stream.scoped", "live, and replayed", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const { key } = yield* scopedKey(owner)
    const live = yield* listen({ key })
    yield* receive(owner, [{ subject: "to the second" }], second.address)
    yield* receive(owner, [{ subject: "to the first" }])
    expect(subjectsOf(yield* live.received(1))).toEqual(["to the first"])
    const replay = yield* listen({ key, headers: { "last-event-id": "none" } })
    expect(subjectsOf(yield* replay.received(1))).toEqual(["to the first"])
  }),
  row("decisions.stream.unknown-kind", "alone, and beside one that is there", function* () {
    const { call } = yield* agent()
    for (const kinds of ["message.read", "message.sent,message.read", ""])
      expectWithin(yield* call(`GET /v1/events?events=${kinds}`), 400, { code: "VALIDATION_FAILED" })
  }),
  row("decisions.stream.foreign-mailbox", "another account's, none, and one out of scope", function* () {
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const other = yield* agent()
    for (const id of [other.mailboxId, ABSENT])
      expectError(yield* owner.call(`GET /v1/events?mailboxId=${id}`), 404, "MAILBOX_NOT_FOUND")
    const { call } = yield* scopedKey(owner)
    expectError(yield* call(`GET /v1/events?mailboxId=${second.id}`), 404, "MAILBOX_NOT_FOUND")
  }),
]
