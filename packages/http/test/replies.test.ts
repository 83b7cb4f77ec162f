/** Replies and forwards beyond `decisions.messages.*`: a reply-all to our own message, files of a forwarded one. */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { act, arrival, sent } from "./support/replies.js"
import { One } from "./support/sends.js"
import { inOneService } from "./support/service.js"

inOneService((shared) => {
  describe("POST /v1/mailboxes/{id}/messages/{msgId}/reply-all", () => {
    shared("answers 201 with an answer to all whom our own message went to", () =>
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
    shared("answers 201 with the message that went out, its files with it", () =>
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
  })
})
