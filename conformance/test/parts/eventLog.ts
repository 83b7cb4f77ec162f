/** The event log. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, newMailbox, receive, receiveMany, scopedKey, send } from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row } from "../../src/Row.js"
import { World } from "../../src/World.js"
import { ABSENT, expectAnswer, expectError, expectInvalid, expectWithin } from "../expectations.js"
import { BOB } from "../values.js"

const log = ({ call }: Pick<Agent, "call">, query = "") => call(`GET /v1/events/log${query}`)

/** The subjects in a page of events. */
const subjects = (caller: Pick<Agent, "call">, query = "") =>
  Effect.map(log(caller, query), ({ json }) =>
    listAt(json, "events").map((event) => valueAt(event, "data.subject")),
  )

export const eventLog: Part = [
  row("decisions.log.list", "the events of the stream, under its ids", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    expectAnswer(yield* log(owner), 200, { events: [], metadata: { hasMore: false } })
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [{ subject: "one" }])
    yield* receive(owner, [{ subject: "two" }])
    yield* send(owner, BOB, { subject: "three" })
    const frames = yield* stream.received(3)
    expectAnswer(yield* log(owner), 200, {
      events: frames.map(({ id, event, data }) => ({
        id,
        event,
        timestamp: valueAt(data, "timestamp"),
        data: valueAt(data, "data"),
      })),
      metadata: { hasMore: false, nextAfter: frames[2]?.id },
    })
    expect(yield* subjects(owner)).toEqual(["one", "two", "three"])
  }),
  row("decisions.log.after", "page by page, to the end", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const stream = yield* listen({ key: owner.key })
    yield* receiveMany(owner, 5)
    const ids = (yield* stream.received(5)).map(({ id }) => id)
    const idsOf = (query: string) =>
      Effect.map(log(owner, query), ({ json }) => listAt(json, "events").map((event) => textAt(event, "id")))
    expect(yield* idsOf("")).toEqual(ids)
    expect(yield* idsOf(`?after=${ids[1]}`)).toEqual(ids.slice(2))
    expectWithin(yield* log(owner, `?limit=2&after=${ids[1]}`), 200, {
      events: [{ id: ids[2] }, { id: ids[3] }],
      metadata: { hasMore: true, nextAfter: ids[3] },
    })
    expectAnswer(yield* log(owner, `?after=${ids[4]}`), 200, {
      events: [],
      metadata: { hasMore: false, nextAfter: ids[4] },
    })
    for (const unknown of ["nonsense", "1-2-abcd"])
      expectInvalid(yield* log(owner, `?after=${unknown}`), "after")
  }),
  row("decisions.log.latest", "the end of the log, from which the next page continues", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    expectAnswer(yield* log(owner, "?after=latest"), 200, { events: [], metadata: { hasMore: false } })
    const stream = yield* listen({ key: owner.key })
    yield* receiveMany(owner, 2)
    const [, newest] = yield* stream.received(2)
    expectAnswer(yield* log(owner, "?after=latest"), 200, {
      events: [],
      metadata: { hasMore: false, nextAfter: newest?.id },
    })
    yield* receive(owner, [{ subject: "later" }])
    expect(yield* subjects(owner, `?after=${newest?.id}`)).toEqual(["later"])
  }),
  row("decisions.log.filters", "each alone and together; a scoped key sees its mailboxes", function* () {
    const owner = yield* agent("active")
    const second = yield* newMailbox(owner, "second")
    yield* receive(owner, [{ subject: "first" }])
    yield* receive(owner, [{ subject: "second" }], second.address)
    yield* send(owner, BOB, { subject: "sent" })
    expect(yield* subjects(owner, "?events=message.received")).toEqual(["first", "second"])
    expect(yield* subjects(owner, "?events=message.sent,message.bounced")).toEqual(["sent"])
    expect(yield* subjects(owner, `?mailboxId=${second.id}`)).toEqual(["second"])
    const both = `?events=message.received&mailboxId=${owner.mailboxId}`
    expect(yield* subjects(owner, both)).toEqual(["first"])
    expect(yield* subjects(owner, "?limit=1")).toEqual(["first"])
    expect(yield* subjects(owner, "?limit=100")).toEqual(["first", "second", "sent"])
    for (const [name, value] of [
      ["limit", "0"],
      ["limit", "101"],
      ["events.0", "message.read"],
      ["mailboxId", "inbox"],
    ] as const)
      expectInvalid(yield* log(owner, `?${name.split(".")[0]}=${value}`), name)
    const scoped = yield* scopedKey(owner)
    expect(yield* subjects(scoped)).toEqual(["first", "sent"])
    expectError(yield* log(scoped, `?mailboxId=${second.id}`), 404, "MAILBOX_NOT_FOUND")
    expectError(yield* log(owner, `?mailboxId=${ABSENT}`), 404, "MAILBOX_NOT_FOUND")
    expectAnswer(yield* log(yield* agent()), 200, { events: [], metadata: { hasMore: false } })
  }),
]
