/** The event stream, rule by rule. */
import { Effect } from "effect"
import { expect } from "vitest"
import { agent, listMessages, newMailbox, receive, receiveMany, send } from "../../src/agents.js"
import { textAt, valueAt } from "../../src/Answer.js"
import { subjectsOf } from "../../src/StreamClient.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { expectError, expectWithin } from "../expectations.js"
import { BOB } from "../values.js"

export const stream: Part = [
  row("events.stream.rule-1", "5 are open, the 6th is refused; when one closes there is room", function* () {
    const { listen, eventually } = yield* World
    const { key, call } = yield* agent()
    const [first] = yield* Effect.replicateEffect(listen({ key }), 5)
    expectError(yield* call("GET /v1/events"), 429, "TOO_MANY_STREAMS")
    yield* first?.close ?? Effect.void
    yield* eventually(
      "there is room again",
      Effect.scoped(Effect.exit(listen({ key }))),
      ({ _tag }) => _tag === "Success",
    )
  }),
  virtual("events.stream.rule-2", "after 30, 60 and 90 seconds, and not before", function* () {
    const { listen, eventually } = yield* World
    const { advance } = yield* Virtual
    const { key } = yield* agent()
    const stream = yield* listen({ key })
    const beats = (count: number) =>
      eventually(
        `${count} heartbeats`,
        Effect.sync(() => stream.text()),
        (text) => text.split(":heartbeat\n\n").length - 1 === count,
      )
    for (const count of [1, 2, 3]) {
      yield* advance("29999 millis")
      yield* beats(count - 1)
      yield* advance("1 millis")
      yield* beats(count)
    }
  }),
  virtual("events.stream.rule-3", "after 270 seconds, and nothing before", function* () {
    const { listen } = yield* World
    const { advance, settle } = yield* Virtual
    const { key } = yield* agent()
    const stream = yield* listen({ key })
    for (let spent = 0; spent < 260; spent += 10) {
      yield* advance("10 seconds")
      yield* settle
    }
    expect(stream.text()).not.toContain("event: reconnect")
    yield* advance("10 seconds")
    yield* stream.ended
    expect(stream.text()).toMatch(/event: reconnect\ndata: .*\n\n$/)
    const again = yield* listen({ key })
    expect(again.text()).not.toContain("event: reconnect")
  }),
  row("events.stream.rule-4", "id, event and data, in this order, and nothing else", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner)
    const [frame] = yield* stream.received(1)
    const [, at, counter] = /^(\d+)-(\d+)-[0-9a-f]{4}$/.exec(frame?.id ?? "") ?? []
    expect(Number(at)).toBe(Date.parse(textAt(frame?.data, "timestamp")))
    expect(Number(counter)).toBeGreaterThan(0)
    const written = `id: ${frame?.id}\nevent: message.received\ndata: ${JSON.stringify(frame?.data)}\n\n`
    expect(stream.text().replace(/^:.*\n\n/gm, "")).toBe(written)
  }),
  row("events.stream.rule-5", "all that came after the id, in order, and then what is new", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const first = yield* listen({ key: owner.key })
    for (const subject of ["one", "two", "three"]) yield* receive(owner, [{ subject }])
    const seen = yield* first.received(3)
    yield* first.close
    yield* receive(owner, [{ subject: "four" }])
    const again = yield* listen({ key: owner.key, headers: { "last-event-id": seen[0]?.id ?? "" } })
    yield* receive(owner, [{ subject: "five" }])
    expect(subjectsOf(yield* again.received(4))).toEqual(["two", "three", "four", "five"])
  }),
  virtual("events.stream.rule-5-buffer", "the newest 100, of the last hour", function* () {
    const { listen } = yield* World
    const { advance } = yield* Virtual
    const owner = yield* agent("active")
    yield* receiveMany(owner, 101)
    const replay = listen({ key: owner.key, headers: { "last-event-id": "none" } })
    const frames = yield* (yield* replay).received(100)
    expect([frames.length, subjectsOf(frames)[0]]).toEqual([100, "Mail 2"])
    yield* advance("61 minutes")
    yield* receive(owner, [{ subject: "young" }])
    expect(subjectsOf(yield* (yield* replay).received(1))).toEqual(["young"])
  }),
  row("events.stream.rule-6-mailbox", "the events of one, whatever comes to the other", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const stream = yield* listen({ key: owner.key }, `?mailboxId=${owner.mailboxId}`)
    yield* receive(owner, [{ subject: "to the second" }], second.address)
    yield* receive(owner, [{ subject: "to the first" }])
    expect(subjectsOf(yield* stream.received(1))).toEqual(["to the first"])
  }),
  row("events.stream.rule-6-kinds", "one kind, and several with commas", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const sent = yield* listen({ key: owner.key }, "?events=message.sent")
    const both = yield* listen({ key: owner.key }, "?events=message.received,message.sent")
    yield* receive(owner)
    yield* send(owner, BOB)
    expect((yield* both.received(2)).map(({ event }) => event)).toEqual(["message.received", "message.sent"])
    expect((yield* sent.received(1)).map(({ event }) => event)).toEqual(["message.sent"])
  }),
  row("events.stream.rule-7", "whoever was not listening finds it there", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    yield* stream.close
    yield* receive(owner, [{ subject: "while nobody listened" }])
    expectWithin(yield* listMessages(owner), 200, { messages: [{ subject: "while nobody listened" }] })
  }),
  row("events.stream.rule-8", "no header at 90%, and the numbers in the event", function* () {
    const { listen } = yield* World
    const owner = yield* agent("trial")
    yield* receiveMany(owner, 8)
    const stream = yield* listen({ key: owner.key })
    expect(stream.headers.has("x-service-inbound-quota")).toBe(false)
    expect(stream.headers.has("x-service-inbound-warning")).toBe(false)
    yield* receive(owner)
    const [frame] = yield* stream.received(1)
    expect(valueAt(frame?.data, "data.account.inbound_usage")).toMatchObject({ current: 9, limit: 10 })
  }),
]
