/** Sends to mailboxes of this service (`spec: decisions.inside.delivered`, `decisions.inside.rules`). */
import { describe, expect } from "@effect/vitest"
import { Engine, Mailboxes, MessageStore, RawMailStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import { receivedMany } from "./support/arrivals.js"
import { addDomain, suspendAccount } from "./support/changes.js"
import { rule } from "./support/mailroom.js"
import { lastMailTo, outbox, relayedTo } from "./support/outbox.js"
import { as, type Owner, paying, signUp, unverified } from "./support/owners.js"
import { accountOf, eventsOf, listed, newest, receivedOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { RECIPIENT, send, upload } from "./support/sends.js"

const two = Effect.all({ acme: paying("acme"), other: paying("other") })

const removeMailbox = (owner: Owner) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
  })

describe("a send to another account's mailbox", () => {
  rule(
    "is not relayed, and arrives like received mail",
    Effect.gen(function* () {
      const { acme, other } = yield* two
      const before = yield* outbox
      const file = yield* upload(acme, "menu.bin", Buffer.from("soup"))
      const sent = yield* send(acme, { to: [other.address], attachments: [file] })
      expect(sent.status).toBe("SENT")
      yield* Engine.settle
      expect(yield* outbox).toEqual(before)
      const arrived = yield* newest(other)
      expect(arrived).toMatchObject({
        direction: "INBOUND",
        status: "RECEIVED",
        messageId: sent.content.messageId,
        fromAddress: acme.address,
        toAddresses: [other.address],
        attachments: [{ filename: "menu.bin", sizeBytes: 4 }],
      })
      expect(arrived.id).not.toBe(sent.content.id)
      expect(yield* receivedOf(other)).toMatchObject([{ message_id: arrived.id, from: acme.address }])
      expect((yield* eventsOf(acme)).map(({ event }) => event)).toEqual(["message.sent"])
      expect(yield* accountOf(other)).toMatchObject({ monthlyInboundCount: 1, storageUsedBytes: 4 })
    }),
  )

  rule(
    "is relayed only for recipients outside",
    Effect.gen(function* () {
      const { acme, other } = yield* two
      const { content } = yield* send(acme, {
        to: [RECIPIENT],
        cc: [other.address],
        bcc: ["dora@elsewhere.org"],
      })
      expect(yield* relayedTo(content.messageId)).toEqual([RECIPIENT, "dora@elsewhere.org"])
      yield* Engine.settle
      expect(yield* newest(other)).toMatchObject({ ccAddresses: [other.address], bccAddresses: [] })
    }),
  )

  rule(
    "reaches a blind copy, which is in no header field",
    Effect.gen(function* () {
      const { acme, other } = yield* two
      yield* send(acme, { to: [RECIPIENT], bcc: [other.address] })
      yield* Engine.settle
      expect(yield* newest(other)).toMatchObject({
        toAddresses: [RECIPIENT],
        ccAddresses: [],
        bccAddresses: [],
      })
    }),
  )

  rule(
    "to an address with a tag reaches the mailbox",
    Effect.gen(function* () {
      const { acme } = yield* two
      yield* send(acme, { to: ["agent+x@other.mailroom.localhost"] })
      yield* send(acme, { to: [acme.address], subject: "Note to self" })
      yield* Engine.settle
      expect(yield* newest(acme)).toMatchObject({ subject: "Note to self", direction: "INBOUND" })
    }),
  )

  rule(
    "is answered in the same thread on both sides",
    Effect.gen(function* () {
      const { acme, other } = yield* two
      const question = yield* send(acme, { to: [other.address], subject: "Lunch?" })
      yield* Engine.settle
      const asked = yield* newest(other)
      const answer = yield* send(other, { to: [acme.address], subject: "Re: Lunch?", inReplyTo: asked.id })
      yield* Engine.settle
      expect(answer.threadId).toBe(asked.threadId)
      expect(yield* newest(acme, { direction: "INBOUND" })).toMatchObject({ threadId: question.threadId })
    }),
  )

  rule(
    "is gated by the receiver's inbound limit",
    Effect.gen(function* () {
      const acme = yield* paying("acme")
      const other = yield* unverified("other")
      yield* receivedMany(other.address, 100)
      yield* send(acme, { to: [other.address] })
      yield* Engine.settle
      expect((yield* accountOf(other)).overLimitMessageCount).toBe(1)
    }),
  )

  rule(
    "reaches a mailbox of a custom domain inside, and is relayed for other addresses of that domain",
    Effect.gen(function* () {
      const { acme, other } = yield* two
      const mailboxes = yield* Mailboxes
      const domainId = yield* addDomain(other, "other.dev")
      const wanted = { localPart: "hello", displayName: null, domainId }
      const made = yield* mailboxes.create(yield* as(other), wanted)
      yield* Engine.settle
      yield* send(acme, { to: ["hello@other.dev", "elsewhere@other.dev"] })
      yield* Engine.settle
      expect((yield* lastMailTo("elsewhere@other.dev")).envelope.to).toEqual(["elsewhere@other.dev"])
      expect(yield* listed({ ...other, mailboxId: made.id })).toHaveLength(1)
    }),
  )
})

describe("a recipient inside who cannot receive mail", () => {
  rule(
    "is named in the refusal when the mailbox does not exist, and no recipient gets the mail",
    Effect.gen(function* () {
      const { acme, other } = yield* two
      const nobody = "nobody@other.mailroom.localhost"
      const refusal = yield* refused(send(acme, { to: [RECIPIENT, nobody, other.address] }))
      expect(refusal).toMatchObject({ _tag: "RelayRefused", recipients: [nobody] })
      yield* Engine.settle
      expect((yield* outbox).filter(({ envelope }) => envelope.to.includes(RECIPIENT))).toEqual([])
      expect(yield* listed(other)).toEqual([])
      expect(yield* accountOf(acme)).toMatchObject({ sentToday: 0 })
    }),
  )

  rule(
    "is refused when its account is suspended",
    Effect.gen(function* () {
      const { acme, other } = yield* two
      yield* suspendAccount(other)
      const refusal = yield* refused(send(acme, { to: [other.address] }))
      expect(refusal).toMatchObject({ _tag: "RelayRefused", recipients: [other.address] })
    }),
  )

  rule(
    "is refused temporarily while the mailbox is not provisioned",
    Effect.gen(function* () {
      const acme = yield* paying("acme")
      yield* signUp("other")
      const address = "agent@other.mailroom.localhost"
      expect(yield* refused(send(acme, { to: [address] }))).toMatchObject({ _tag: "RelayUnavailable" })
      yield* Engine.settle
      expect((yield* send(acme, { to: [address] })).status).toBe("SENT")
    }),
  )
})

describe("a mail inside, when the sender's mailbox is deleted", () => {
  rule(
    "is delivered all the same, with its raw mail",
    Effect.gen(function* () {
      const { acme, other } = yield* two
      yield* send(acme, { to: [other.address] })
      yield* removeMailbox(acme)
      yield* Engine.settle
      const [messages, raws] = yield* Effect.all([MessageStore, RawMailStore])
      const { rawId } = yield* Effect.flatten(messages.byId(other.mailboxId, (yield* newest(other)).id))
      expect(Option.isSome(rawId === null ? Option.none() : yield* raws.byId(rawId))).toBe(true)
    }),
  )
})
