/** Replies and forwards. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, newestId, receive } from "../../src/agents.js"
import { type Answer, textAt, valueAt } from "../../src/Answer.js"
import type { Draft } from "../../src/mail.js"
import { type Part, row } from "../../src/Row.js"
import { World } from "../../src/World.js"
import { ABSENT, anyId, expectAnswer, expectError, expectInvalid, expectWithin } from "../expectations.js"

/** An address at another host that only this account writes to and hears from. */
const outside = ({ slug }: Agent, name: string): string => `${name}-${slug}@partner.dev`

/** A received message and its path. */
const arrival = (owner: Agent, draft: Draft) =>
  Effect.gen(function* () {
    yield* receive(owner, [{ messageId: "<question@partner.dev>", ...draft }])
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}`
    const read = yield* owner.call(`GET ${path}`)
    return { path, threadId: textAt(read.json, "message.threadId") }
  })

/** Checks that the response is a message that can be read. */
const expectSent = (owner: Agent, answer: Answer, message: object) =>
  Effect.gen(function* () {
    expectWithin(answer, 201, {
      message: { id: anyId, direction: "OUTBOUND", status: "SENT", fromAddress: owner.address, ...message },
    })
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${textAt(answer.json, "message.id")}`
    expectAnswer(yield* owner.call(`GET ${path}`), 200, answer.json)
  })

/** Checks that a message that does not exist cannot be used. */
const expectAbsent = (owner: Agent, suffix: string, body: object) =>
  Effect.gen(function* () {
    const other = yield* agent("active")
    const foreign = yield* arrival(other, {})
    for (const id of [ABSENT, foreign.path.split("/").at(-1)]) {
      const target = `POST /v1/mailboxes/${owner.mailboxId}/messages/${id}/${suffix}`
      expectError(yield* owner.call(target, { body }), 404, "MESSAGE_NOT_FOUND")
    }
  })

const answering = { inReplyTo: "<question@partner.dev>", references: ["<question@partner.dev>"] }

export const replies: Part = [
  row("decisions.messages.reply", "alone, in the message's thread", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const [from, dan, eve] = [outside(owner, "from"), outside(owner, "dan"), outside(owner, "eve")]
    const { path, threadId } = yield* arrival(owner, { from, subject: "Lunch?", to: [dan], cc: [eve] })
    const answer = yield* owner.call(`POST ${path}/reply`, { body: { bodyText: "Yes.", labels: ["lunch"] } })
    yield* expectSent(owner, answer, {
      toAddresses: [from],
      ccAddresses: [],
      subject: "Re: Lunch?",
      bodyText: "Yes.",
      labels: ["lunch"],
      threadId,
      ...answering,
    })
    const [mail, ...more] = yield* outbox(from)
    expect(more).toEqual([])
    expect(mail).toMatchObject({ to: [from], subject: "Re: Lunch?" })
    expect(mail?.headers).toMatchObject({
      "in-reply-to": "<question@partner.dev>",
      references: "<question@partner.dev>",
    })
    const replyTo = outside(owner, "desk")
    const asking = yield* arrival(owner, { from, replyTo, subject: "Re: Lunch?" })
    const markup = { bodyHtml: "<p>Yes.</p>", cc: [eve] }
    yield* expectSent(owner, yield* owner.call(`POST ${asking.path}/reply`, { body: markup }), {
      toAddresses: [replyTo],
      ccAddresses: [eve],
      subject: "Re: Lunch?",
      bodyHtml: "<p>Yes.</p>",
    })
    expectInvalid(yield* owner.call(`POST ${path}/reply`, { body: {} }), "bodyText")
    yield* expectAbsent(owner, "reply", { bodyText: "Yes." })
  }),
  row("decisions.messages.reply-all", "but not the mailbox itself", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const [from, dan, eve] = [outside(owner, "from"), outside(owner, "dan"), outside(owner, "eve")]
    const { path, threadId } = yield* arrival(owner, { from, subject: "Lunch?", to: [dan], cc: [eve] })
    const answer = yield* owner.call(`POST ${path}/reply-all`, { body: { bodyText: "Yes." } })
    yield* expectSent(owner, answer, {
      toAddresses: [from, dan],
      ccAddresses: [eve],
      subject: "Re: Lunch?",
      bodyText: "Yes.",
      threadId,
      ...answering,
    })
    for (const recipient of [from, dan, eve])
      expect(yield* outbox(recipient)).toMatchObject([{ to: [recipient], subject: "Re: Lunch?" }])
    expectInvalid(yield* owner.call(`POST ${path}/reply-all`, { body: {} }), "bodyText")
    yield* expectAbsent(owner, "reply-all", { bodyText: "Yes." })
  }),
  row(
    "decisions.messages.forward",
    "with its files, below the comment, in a thread of its own",
    function* () {
      const { outbox } = yield* World
      const owner = yield* agent("active")
      const [from, dan] = [outside(owner, "from"), outside(owner, "dan")]
      const { path, threadId } = yield* arrival(owner, {
        from,
        subject: "Figures",
        text: "As agreed.",
        attachments: [{ filename: "a.csv", contentType: "text/csv", content: "a;b" }],
      })
      const answer = yield* owner.call(`POST ${path}/forward`, { body: { to: [dan], bodyText: "For you." } })
      yield* expectSent(owner, answer, {
        toAddresses: [dan],
        subject: "Fwd: Figures",
        bodyText: expect.stringMatching(/^For you\.\n\n-+ Forwarded message -+\n[^]*\n\nAs agreed\.\s*$/),
        inReplyTo: null,
        references: [],
        attachments: [{ filename: "a.csv", sizeBytes: 3, messageId: valueAt(answer.json, "message.id") }],
      })
      expect(textAt(answer.json, "message.bodyText")).toContain(from)
      expect(valueAt(answer.json, "message.threadId")).not.toBe(threadId)
      const attachments = [{ filename: "a.csv", contentType: "text/csv", sizeBytes: 3 }]
      expect(yield* outbox(dan)).toMatchObject([{ to: [dan], subject: "Fwd: Figures", attachments }])
      expect((yield* owner.call(`POST ${path}/forward`, { body: { to: [dan] } })).status).toBe(201)
      expectInvalid(yield* owner.call(`POST ${path}/forward`, { body: { bodyText: "For you." } }), "to")
      yield* expectAbsent(owner, "forward", { to: [dan] })
    },
  ),
]
