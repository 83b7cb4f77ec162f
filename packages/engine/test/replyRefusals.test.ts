/** Messages that cannot be answered, and the send rules for replies (`spec: decisions.gated.reply`). */
import { describe, expect } from "@effect/vitest"
import { MessageId } from "@mailroom/domain"
import { Engine, Mailboxes } from "@mailroom/engine"
import { Effect } from "effect"
import { accepted, aMail, received, SENDER } from "./support/arrivals.js"
import { changeAccount, changeMailbox, suppress } from "./support/changes.js"
import { rule } from "./support/mailroom.js"
import { as, paying, verified } from "./support/owners.js"
import { accountOf, arrival, listed, newest, stubsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { reply, replyAll } from "./support/sends.js"

describe("a reply is refused for", () => {
  for (const [what, from] of [
    ["the null sender, without a From", ""],
    ["a From that is no address", "undisclosed"],
  ] as const)
    rule(
      `a mail of ${what}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* Effect.zipRight(accepted(owner.address, aMail({ from }), ""), Engine.settle)
        const parent = yield* newest(owner)
        for (const answering of [reply, replyAll])
          expect(yield* refused(answering(owner, parent.id))).toMatchObject({ _tag: "NobodyToAnswer" })
        expect(yield* listed(owner, { direction: "OUTBOUND" })).toEqual([])
      }),
    )

  rule(
    "a gated message, with the error of a read",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* changeAccount(owner, { lapsed: true })
      yield* received(owner.address)
      yield* changeAccount(owner, { lapsed: false })
      const id = (yield* stubsOf(owner)).at(-1)?.message_id ?? MessageId.make(owner.mailboxId)
      for (const answering of [reply, replyAll])
        expect(yield* refused(answering(owner, id))).toMatchObject({
          _tag: "OverInboundLimit",
          gate: "INBOUND_TRIAL_LIMIT_EXCEEDED",
          resource: { type: "message", id },
        })
    }),
  )

  rule(
    "a message that does not exist or is in another mailbox",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = { ...owner, mailboxId: (yield* mailboxes.create(yield* as(owner), wanted)).id }
      const parent = yield* arrival(owner)
      const absent = MessageId.make("00000000-0000-7000-8000-000000000000")
      for (const [caller, id] of [
        [owner, absent],
        [second, parent.id],
        [other, parent.id],
      ] as const)
        expect(yield* refused(reply(caller, id))).toMatchObject({ _tag: "NotFound", resource: "message" })
      const stolen = { ...other, mailboxId: owner.mailboxId }
      expect(yield* refused(reply(stolen, parent.id))).toMatchObject({
        _tag: "NotFound",
        resource: "mailbox",
      })
    }),
  )
})

describe("the send rules", () => {
  rule(
    "apply to a reply: suppression, recipients, status, quota",
    Effect.gen(function* () {
      const owner = yield* paying()
      const parent = yield* arrival(owner, { headers: ["Cc: eve@mailinator.com"] })
      expect(yield* refused(replyAll(owner, parent.id))).toMatchObject({
        _tag: "RecipientNotAllowed",
        address: "eve@mailinator.com",
      })
      yield* suppress(owner, SENDER)
      expect(yield* refused(reply(owner, parent.id))).toMatchObject({
        _tag: "RecipientSuppressed",
        address: SENDER,
      })
      const carl = yield* arrival(owner, { from: "carl@elsewhere.org" })
      yield* changeMailbox(owner, { sentDay: { window: "2026-03-10", count: 100_000 } })
      expect(yield* refused(reply(owner, carl.id))).toMatchObject({ _tag: "DailySendLimitReached" })
      yield* changeMailbox(owner, { status: "paused" })
      expect(yield* refused(reply(owner, carl.id))).toMatchObject({ _tag: "MailboxNotActive" })
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0 })
    }),
  )

  rule(
    "limit a reply to the owner's address during the trial, and count it",
    Effect.gen(function* () {
      const owner = yield* verified()
      const foreign = yield* arrival(owner)
      expect(yield* refused(reply(owner, foreign.id))).toMatchObject({ _tag: "TrialRecipientLocked" })
      const own = yield* arrival(owner, { from: owner.email })
      expect((yield* reply(owner, own.id)).status).toBe("SENT")
      expect((yield* accountOf(owner)).trial).toMatchObject({ sendsUsed: 1 })
    }),
  )
})
