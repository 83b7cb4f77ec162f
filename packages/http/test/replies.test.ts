/** Answering a message and sending it on (decisions §4). */
import { describe } from "@effect/vitest"
import { MemoryRelay } from "@mailroom/mail"
import { Effect } from "effect"
import { expect } from "vitest"
import { owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { act, arrival, listed, sent } from "./support/replies.js"
import { One } from "./support/sends.js"
import { rule } from "./support/service.js"

describe("POST /v1/mailboxes/{id}/messages/{msgId}/reply", () => {
  rule("answers 201 with the answer SENT, in the thread of the message", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const parent = yield* arrival(account, { subject: "Lunch?" })
      const answer = yield* act(account, parent.id, "reply", { cc: ["eve@partner.dev"], labels: ["x"] })
      expect(answer.status).toBe(201)
      expect(read(One)(answer).message).toMatchObject({
        mailboxId: account.mailboxId,
        direction: "OUTBOUND",
        status: "SENT",
        threadId: parent.threadId,
        fromAddress: account.address,
        toAddresses: ["bob@sender.dev"],
        ccAddresses: ["eve@partner.dev"],
        subject: "Re: Lunch?",
        bodyText: "Yes.",
        inReplyTo: expect.stringMatching(/^<in-\d+@sender\.dev>$/),
        labels: ["x"],
        attachments: [],
      })
      const relayed = (yield* (yield* MemoryRelay).sent).slice(-2)
      expect(relayed.map(({ envelope }) => envelope.to)).toEqual([["bob@sender.dev"], ["eve@partner.dev"]])
    }),
  )

  rule("is read like any message afterwards", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const parent = yield* arrival(account)
      const answer = yield* act(account, parent.id, "reply")
      const { id } = read(One)(answer).message
      const shown = yield* ask(`GET /v1/mailboxes/${account.mailboxId}/messages/${id}`, { key: account.key })
      expect(shown.json).toEqual(answer.json)
      expect((yield* listed(account)).map((one) => one.threadId)).toEqual([parent.threadId, parent.threadId])
    }),
  )
})

describe("POST /v1/mailboxes/{id}/messages/{msgId}/reply-all", () => {
  rule("answers 201 with an answer to all whom our own message went to", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const { id } = yield* sent(account)
      const answer = yield* act(account, id, "reply-all")
      expect(answer.status).toBe(201)
      expect(read(One)(answer).message).toMatchObject({
        toAddresses: ["bob@partner.dev"],
        ccAddresses: ["eve@partner.dev"],
        subject: "Re: Hello",
      })
    }),
  )
})

describe("POST /v1/mailboxes/{id}/messages/{msgId}/forward", () => {
  rule("answers 201 with the message that went out, its files with it", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const attachment = { filename: "a.txt", type: "text/plain", content: "A" }
      const parent = yield* arrival(account, { subject: "Lunch?", text: "Shall we?", attachment })
      const answer = yield* act(account, parent.id, "forward", { bodyText: "For you." })
      expect(answer.status).toBe(201)
      const { message } = read(One)(answer)
      expect(message).toMatchObject({
        toAddresses: ["dan@partner.dev"],
        subject: "Fwd: Lunch?",
        bodyText: expect.stringMatching(/^For you\.\n\n-+ Forwarded message -+\n[^]*\n\nShall we\?\s*$/),
        inReplyTo: null,
        references: [],
        attachments: [{ filename: "a.txt", sizeBytes: 1, messageId: message.id }],
      })
      expect(message.threadId).not.toBe(parent.threadId)
      const file = yield* ask(`GET /v1/attachments/${message.attachments[0]?.id}`, { key: account.key })
      expect(file.status).toBe(200)
    }),
  )

  rule("needs no comment", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const parent = yield* arrival(account)
      expect((yield* act(account, parent.id, "forward")).status).toBe(201)
    }),
  )
})
