/** Threads. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, receive, receiveMany } from "../../src/agents.js"
import { listAt, numberAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial } from "../../src/gates.js"
import { REASON, suspend, suspendedAgent } from "../../src/operator.js"
import { type Part, row } from "../../src/Row.js"
import { World } from "../../src/World.js"
import {
  ABSENT,
  anyId,
  anyTime,
  expectAnswer,
  expectError,
  expectPayment,
  expectSuspended,
  expectWithin,
  upgrade,
} from "../expectations.js"

const list = ({ call, mailboxId }: Agent) => call(`GET /v1/mailboxes/${mailboxId}/threads`)

const get = ({ call, mailboxId }: Agent, id: string) => call(`GET /v1/mailboxes/${mailboxId}/threads/${id}`)

/** Checks that a thread route answers 404 for ids that do not exist. */
const absentMailboxes = (path: string) =>
  Effect.gen(function* () {
    const { call } = yield* agent()
    const other = yield* agent()
    for (const id of [ABSENT, other.mailboxId, "not-an-id"])
      expectError(yield* call(`GET /v1/mailboxes/${id}/threads${path}`), 404, "MAILBOX_NOT_FOUND")
  })

export const threads: Part = [
  row("threads.list.200", "an answer brings its thread to the top", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "old", messageId: "<old@sender.dev>" }])
    yield* receive(owner, [{ subject: "new" }])
    expectWithin(yield* list(owner), 200, { threads: [{ subject: "new" }, { subject: "old" }] })
    yield* receive(owner, [{ subject: "Re: old", inReplyTo: "<old@sender.dev>" }])
    expectWithin(yield* list(owner), 200, {
      threads: [
        { subject: "old", messageCount: 2 },
        { subject: "new", messageCount: 1 },
      ],
    })
  }),
  row("threads.list.50", "of 51 the newest 50 are listed", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "the oldest" }])
    yield* receiveMany(owner, 50)
    const { json, text } = yield* list(owner)
    expect(listAt(json, "threads")).toHaveLength(50)
    expect(text).not.toContain("the oldest")
  }),
  row("threads.list.metadata", "with nothing gated, and with something", function* () {
    expectAnswer(yield* list(yield* agent()), 200, {
      threads: [],
      metadata: { overLimitCount: 0, limit: 50, offset: 0, hasMore: false },
    })
    const { owner } = yield* overTheTrial
    expectWithin(yield* list(owner), 200, { metadata: { overLimitCount: 1, upgrade } })
  }),
  row("threads.list.gated", "the 11th mail's thread is not listed", function* () {
    const { owner } = yield* overTheTrial
    const { json, text } = yield* list(owner)
    expect(listAt(json, "threads")).toHaveLength(10)
    expect(text).not.toContain("secret")
  }),
  row("threads.list.401", "without a key there is no list", function* () {
    const { call } = yield* World
    const { mailboxId } = yield* agent()
    expectError(yield* call(`GET /v1/mailboxes/${mailboxId}/threads`), 401, "UNAUTHORIZED")
  }),
  row("threads.list.402", "with a spent trial there is no list", function* () {
    expectPayment(yield* list(yield* agent("payment_required")))
  }),
  row("threads.list.403", "with the reason, and without a thread", function* () {
    expectSuspended(yield* list(yield* suspendedAgent()), REASON)
  }),
  row("threads.list.404", "absent, foreign and malformed mailboxes are not there", function* () {
    yield* absentMailboxes("")
  }),

  row("threads.get.200", "the thread as listed, with its messages, oldest first", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "one", messageId: "<one@sender.dev>" }])
    yield* receive(owner, [{ subject: "Re: one", inReplyTo: "<one@sender.dev>" }])
    const { json } = yield* list(owner)
    const listed = valueAt(json, "threads.0")
    expect(listed).toEqual({
      id: anyId,
      mailboxId: owner.mailboxId,
      subject: "one",
      participants: expect.arrayContaining(["bob@sender.dev", owner.address]),
      messageCount: 2,
      lastMessageAt: anyTime,
      createdAt: anyTime,
      takenOverAt: null,
    })
    const read = yield* get(owner, textAt(listed, "id"))
    expectWithin(read, 200, { thread: { messages: [{ subject: "one" }, { subject: "Re: one" }] } })
    expect(valueAt(read.json, "thread")).toMatchObject(Object(listed))
    expect(numberAt(read.json, "thread.messageCount")).toBe(2)
  }),
  row("threads.get.401", "without a key it is not read", function* () {
    const { call } = yield* World
    const { mailboxId } = yield* agent()
    expectError(yield* call(`GET /v1/mailboxes/${mailboxId}/threads/${ABSENT}`), 401, "UNAUTHORIZED")
  }),
  row("threads.get.402", "with a spent trial it is not read", function* () {
    expectPayment(yield* get(yield* agent("payment_required"), ABSENT))
  }),
  row("threads.get.403", "with the reason, and without the thread", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const id = textAt((yield* list(owner)).json, "threads.0.id")
    yield* suspend(owner)
    expectSuspended(yield* get(owner, id), REASON)
  }),
  row(
    "threads.get.404",
    "absent, malformed, foreign ids and those of absent mailboxes are not there",
    function* () {
      const owner = yield* agent()
      const other = yield* agent()
      yield* receive(other)
      const foreign = textAt((yield* list(other)).json, "threads.0.id")
      for (const id of [ABSENT, "not-an-id", foreign])
        expectError(yield* get(owner, id), 404, "THREAD_NOT_FOUND")
      yield* absentMailboxes(`/${ABSENT}`)
    },
  ),
]
