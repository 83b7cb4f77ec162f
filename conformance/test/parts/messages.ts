/** Listing and reading messages. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  listMessages,
  newestId,
  receive,
  receiveMany,
  scopedKey,
  send,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial, sharedOverTheMonth } from "../../src/gates.js"
import { REASON, suspend, suspendedAgent } from "../../src/operator.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import {
  ABSENT,
  expectError,
  expectInvalid,
  expectPayment,
  expectSuspended,
  expectWithin,
} from "../expectations.js"

const subjects = (owner: Agent, query = "") =>
  Effect.map(listMessages(owner, query), ({ json }) =>
    listAt(json, "messages").map((message) => valueAt(message, "subject")),
  )

export const messages: Part = [
  row("messages.list.200", "newest first, with what the page is", function* () {
    const owner = yield* agent()
    for (const subject of ["first", "second", "third"]) yield* receive(owner, [{ subject }])
    expectWithin(yield* listMessages(owner), 200, {
      messages: [{ subject: "third" }, { subject: "second" }, { subject: "first" }],
      metadata: { limit: 50, offset: 0, hasMore: false },
    })
  }),
  row("messages.list.overLimitCount", "two gated ones are counted, and not listed", function* () {
    const { owner } = yield* overTheTrial
    yield* receive(owner)
    const listed = yield* listMessages(owner)
    expectWithin(listed, 200, { metadata: { overLimitCount: 2 } })
    expect(listAt(listed.json, "messages")).toHaveLength(10)
  }),
  row("messages.list.direction", "each direction has its own", function* () {
    const owner = yield* agent("active")
    yield* receive(owner, [{ subject: "in" }])
    yield* send(owner, "bob@partner.dev", { subject: "out" })
    expect(yield* subjects(owner, "?direction=INBOUND")).toEqual(["in"])
    expect(yield* subjects(owner, "?direction=OUTBOUND")).toEqual(["out"])
  }),
  row("messages.list.threadId", "one thread's messages, and no other's", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "one", messageId: "<one@sender.dev>" }, { subject: "another" }])
    yield* receive(owner, [{ subject: "Re: one", inReplyTo: "<one@sender.dev>" }])
    const threadId = textAt((yield* listMessages(owner)).json, "messages.0.threadId")
    expect(yield* subjects(owner, `?threadId=${threadId}`)).toEqual(["Re: one", "one"])
    expect(yield* subjects(owner, `?threadId=${ABSENT}`)).toEqual([])
  }),
  virtual("messages.list.since", "the instant itself is in, the millisecond before is not", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "early" }])
    yield* advance("1 hour")
    yield* receive(owner, [{ subject: "late" }])
    const createdAt = textAt((yield* listMessages(owner)).json, "messages.0.createdAt")
    expect(yield* subjects(owner, `?since=${createdAt}`)).toEqual(["late"])
    const later = new Date(Date.parse(createdAt) + 1).toISOString()
    expect(yield* subjects(owner, `?since=${later}`)).toEqual([])
    const hourBefore = new Date(Date.parse(createdAt) - 3_600_001).toISOString()
    expect(yield* subjects(owner, `?since=${hourBefore}`)).toEqual(["late", "early"])
  }),
  row("messages.list.limit", "1 and 100 are taken, 0 and 101 are not, 50 is what comes", function* () {
    const owner = yield* agent()
    yield* receiveMany(owner, 51)
    expect(yield* subjects(owner, "?limit=1")).toHaveLength(1)
    expect(yield* subjects(owner, "?limit=100")).toHaveLength(51)
    expect(yield* subjects(owner)).toHaveLength(50)
    for (const limit of ["0", "101", "ten", "1.5"])
      expectInvalid(yield* listMessages(owner, `?limit=${limit}`), "limit")
  }),
  row("messages.list.offset", "it leaves out as many, and 0 leaves out none", function* () {
    const owner = yield* agent()
    for (const subject of ["first", "second", "third"]) yield* receive(owner, [{ subject }])
    expect(yield* subjects(owner, "?offset=1&limit=1")).toEqual(["second"])
    expect(yield* subjects(owner, "?offset=0")).toEqual(yield* subjects(owner))
    expect(yield* subjects(owner, "?offset=3")).toEqual([])
    expectInvalid(yield* listMessages(owner, "?offset=-1"), "offset")
  }),
  row("messages.list.400", "every parameter that is wrong is refused by name", function* () {
    const owner = yield* agent()
    for (const query of ["direction=inbound", "threadId=seven", "since=yesterday", "limit=0", "offset=x"])
      expectInvalid(yield* listMessages(owner, `?${query}`), query.split("=")[0] ?? "")
  }),
  row("messages.list.401", "without a key there is no list", function* () {
    const { call } = yield* World
    const { mailboxId } = yield* agent()
    expectError(yield* call(`GET /v1/mailboxes/${mailboxId}/messages`), 401, "UNAUTHORIZED")
  }),
  row("messages.list.402", "with a spent trial there is no list", function* () {
    expectPayment(yield* listMessages(yield* agent("payment_required")))
  }),
  row("messages.list.403", "with the reason, and without a message", function* () {
    expectSuspended(yield* listMessages(yield* suspendedAgent()), REASON)
  }),
  row("messages.list.404", "absent, foreign and malformed mailboxes are not there", function* () {
    const { call } = yield* agent()
    const other = yield* agent()
    for (const id of [ABSENT, other.mailboxId, "not-an-id"])
      expectError(yield* call(`GET /v1/mailboxes/${id}/messages`), 404, "MAILBOX_NOT_FOUND")
  }),

  row("messages.get.200", "the whole message, with what is known of each attachment", function* () {
    const owner = yield* agent()
    const file = { filename: "a.csv", contentType: "text/csv", content: "a;b" }
    yield* receive(owner, [{ subject: "With a file", attachments: [file] }])
    const id = yield* newestId(owner)
    const answer = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}`)
    expectWithin(answer, 200, {
      message: {
        id,
        subject: "With a file",
        hasAttachments: true,
        attachments: [{ messageId: id, filename: "a.csv", contentType: "text/csv", sizeBytes: 3 }],
      },
    })
  }),
  row("messages.get.401", "without a key it is not read", function* () {
    const { call } = yield* World
    const { mailboxId } = yield* agent()
    expectError(yield* call(`GET /v1/mailboxes/${mailboxId}/messages/${ABSENT}`), 401, "UNAUTHORIZED")
  }),
  row("messages.get.402", "with a spent trial it is not read", function* () {
    const { call, mailboxId } = yield* agent("payment_required")
    expectPayment(yield* call(`GET /v1/mailboxes/${mailboxId}/messages/${ABSENT}`))
  }),
  row("messages.get.402-inbound", "the 101st of the month is not read", function* () {
    const { owner, path } = yield* sharedOverTheMonth
    expectWithin(yield* owner.call(`GET ${path}`), 402, { code: "INBOUND_LIMIT_EXCEEDED" })
  }),
  row("messages.get.402-trial", "the 11th of the trial is not read", function* () {
    const { owner, path } = yield* overTheTrial
    expectWithin(yield* owner.call(`GET ${path}`), 402, { code: "INBOUND_TRIAL_LIMIT_EXCEEDED" })
  }),
  row("messages.get.403", "with the reason, and without the message", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const target = `GET /v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}`
    yield* suspend(owner)
    expectSuspended(yield* owner.call(target), REASON)
  }),
  row("messages.get.404", "absent, malformed, foreign and another mailbox's are not there", function* () {
    const owner = yield* agent()
    const other = yield* agent()
    yield* receive(other)
    const foreign = yield* newestId(other)
    for (const id of [ABSENT, "not-an-id", foreign])
      expectError(
        yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}`),
        404,
        "MESSAGE_NOT_FOUND",
      )
    const theirs = yield* owner.call(`GET /v1/mailboxes/${other.mailboxId}/messages/${foreign}`)
    expectError(theirs, 404, "MAILBOX_NOT_FOUND")
    const { call } = yield* scopedKey(other)
    expect((yield* call(`GET /v1/mailboxes/${other.mailboxId}/messages/${foreign}`)).status).toBe(200)
  }),
]
