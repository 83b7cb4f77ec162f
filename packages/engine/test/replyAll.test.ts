/** Replies to all, and conversations inside the platform (`spec: decisions.messages.reply-all`). */
import { describe, expect } from "@effect/vitest"
import { Engine, Messages } from "@mailroom/engine"
import { Effect } from "effect"
import { SENDER } from "./support/arrivals.js"
import { rule } from "./support/mailroom.js"
import { relayedTo, lastMailTo, outbox } from "./support/outbox.js"
import { as, paying } from "./support/owners.js"
import { arrival, itemsOf, listed, newest, subjectsOf, threadsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { recipientsOf, RECIPIENT, reply, replyAll, send } from "./support/sends.js"

describe("a reply to all", () => {
  rule(
    "goes to every address of the mail once, and not to the mailbox itself",
    Effect.gen(function* () {
      const owner = yield* paying()
      const parent = yield* arrival(owner, {
        to: `Agent <agent+shop@acme.mailroom.localhost>, Bob <bob@elsewhere.org>, ${SENDER}`,
        headers: [`Cc: ${owner.address}, Carl <Carl@elsewhere.org>, bob@elsewhere.org, carl@elsewhere.org`],
      })
      expect(recipientsOf(yield* replyAll(owner, parent.id))).toEqual({
        to: [SENDER, "bob@elsewhere.org"],
        cc: ["carl@elsewhere.org"],
      })
      const { mail } = yield* lastMailTo(SENDER)
      expect(yield* relayedTo(mail.messageId ?? "")).toEqual([
        SENDER,
        "bob@elsewhere.org",
        "carl@elsewhere.org",
      ])
      expect(mail).toMatchObject({
        to: [{ address: SENDER }, { address: "bob@elsewhere.org" }],
        cc: [{ address: "carl@elsewhere.org" }],
      })
    }),
  )

  rule(
    "to a sent mail goes to its To and Cc, not to its blind copies",
    Effect.gen(function* () {
      const owner = yield* paying()
      const first = yield* send(owner, { cc: ["carl@elsewhere.org"], bcc: ["dora@elsewhere.org"] })
      const second = yield* replyAll(owner, first.content.id)
      expect(recipientsOf(second)).toEqual({ to: [RECIPIENT], cc: ["carl@elsewhere.org"] })
      expect(second.content.bccAddresses).toEqual([])
    }),
  )

  rule(
    "with more than 50 recipients in a field is refused, and nothing is sent",
    Effect.gen(function* () {
      const owner = yield* paying()
      const crowd = Array.from({ length: 50 }, (_, index) => `b${index}@elsewhere.org`)
      const parent = yield* arrival(owner, { to: crowd.join(", ") })
      expect(yield* refused(replyAll(owner, parent.id))).toMatchObject({
        _tag: "InvalidInput",
        issues: [{ path: "to" }],
      })
      expect(yield* listed(owner, { direction: "OUTBOUND" })).toEqual([])
      expect((yield* reply(owner, parent.id)).status).toBe("SENT")
    }),
  )
})

describe("a conversation between two mailboxes of the platform", () => {
  rule(
    "is one thread on both sides, after any number of replies",
    Effect.gen(function* () {
      const acme = yield* paying("acme")
      const other = yield* paying("other")
      const before = yield* outbox
      const question = yield* send(acme, { to: [other.address], subject: "Lunch?" })
      yield* Engine.settle
      const asked = yield* newest(other)
      const yes = yield* reply(other, asked.id)
      yield* Engine.settle
      const told = yield* newest(acme, { direction: "INBOUND" })
      yield* replyAll(acme, told.id)
      yield* Engine.settle
      expect(yes.threadId).toBe(asked.threadId)
      for (const [owner, threadId] of [
        [acme, question.threadId],
        [other, asked.threadId],
      ] as const) {
        expect((yield* threadsOf(owner)).threads).toMatchObject([{ id: threadId, messageCount: 3 }])
        const messages = yield* Messages
        const thread = yield* messages.thread(yield* as(owner), owner.mailboxId, threadId)
        expect(subjectsOf(itemsOf(thread.messages))).toEqual(["Lunch?", "Re: Lunch?", "Re: Lunch?"])
      }
      expect(yield* outbox).toEqual(before)
    }),
  )
})
