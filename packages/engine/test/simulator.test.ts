/** Sends to the simulator (`spec: simulator.delivered`; docs/decisions/0069). */
import { describe, expect } from "@effect/vitest"
import { SIMULATED_DELAY, type SimulatorBehaviour } from "@mailroom/domain"
import { Engine, MailSpool, Messages, Suppressions } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, TestClock } from "effect"
import { rule } from "./support/mailroom.js"
import { outbox } from "./support/outbox.js"
import { as, type Owner, paying, verified } from "./support/owners.js"
import { eventsOf, listed, newest } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { reply, send } from "./support/sends.js"

const simulated = (behaviour: SimulatorBehaviour, tag = "") =>
  `${behaviour}${tag}@simulator.mailroom.localhost`

const kindsOf = (owner: Owner) => Effect.map(eventsOf(owner), (events) => events.map(({ event }) => event))

const statusOf = (owner: Owner) =>
  Effect.map(newest(owner, { direction: "OUTBOUND" }), ({ status }) => status)

const suppressed = (owner: Owner) =>
  Effect.gen(function* () {
    const suppressions = yield* Suppressions
    const page = yield* suppressions.list(yield* as(owner), { email: null, before: null, limit: 10 })
    return page.suppressions.map(({ email }) => email)
  })

/** An owner who sent a mail to an address of the simulator, all of whose reactions that are due have arrived. */
const havingSent = (...to: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const owner = yield* paying()
    const sent = yield* send(owner, { to, subject: "Grüße" })
    yield* Engine.settle
    return { owner, sent }
  })

describe("a send to the simulator", () => {
  for (const [behaviour, status, ...events] of [
    ["delivered", "DELIVERED", "message.delivered"],
    ["bounced", "BOUNCED", "message.bounced"],
    ["soft-bounced", "BOUNCED", "message.bounced"],
    ["complained", "COMPLAINED", "message.delivered", "message.complaint"],
    ["auto-reply", "DELIVERED", "message.delivered", "message.received"],
    ["never", "SENT"],
  ] as const)
    rule(
      `${behaviour}: ends as ${status}, and never reaches the relay`,
      Effect.gen(function* () {
        const { owner, sent } = yield* havingSent(simulated(behaviour, "+7"))
        expect(sent.status).toBe("SENT")
        expect(yield* statusOf(owner)).toBe(status)
        expect(yield* kindsOf(owner)).toEqual(["message.sent", ...events])
        expect((yield* outbox).filter(({ mail }) => mail.messageId === sent.content.messageId)).toEqual([])
      }),
    )

  rule(
    "bounces with the recipient, the status and the reply, and can be repeated: nothing is suppressed",
    Effect.gen(function* () {
      const [gone, full] = [simulated("bounced"), simulated("soft-bounced")]
      const { owner } = yield* havingSent(gone, full)
      const bounces = (yield* eventsOf(owner)).filter(({ event }) => event === "message.bounced")
      expect(bounces).toMatchObject([
        {
          data: {
            bounced_recipients: [gone, full],
            bounces: [
              { recipient: gone, status: "5.1.1", diagnostic: "550 5.1.1 No such user", permanent: true },
              { recipient: full, status: "4.2.2", diagnostic: "452 4.2.2 Mailbox full", permanent: false },
            ],
          },
        },
      ])
      expect(yield* suppressed(owner)).toEqual([])
      expect((yield* send(owner, { to: [gone] })).status).toBe("SENT")
    }),
  )

  rule(
    "is refused for an address that the owner suppresses, with a tag too",
    Effect.gen(function* () {
      const owner = yield* paying()
      const suppressions = yield* Suppressions
      const suppress = (address: string) =>
        Effect.flatMap(as(owner), (principal) => suppressions.add(principal, address, null))
      yield* suppress(simulated("bounced"))
      yield* suppress(simulated("delayed", "+1"))
      for (const to of [simulated("bounced"), simulated("bounced", "+2"), simulated("delayed", "+1")])
        expect(yield* refused(send(owner, { to: [to] }))).toMatchObject({ _tag: "RecipientSuppressed" })
      expect((yield* send(owner, { to: [simulated("delayed", "+2")] })).status).toBe("SENT")
    }),
  )

  rule(
    "delayed: is delivered ten seconds later",
    Effect.gen(function* () {
      const { owner } = yield* havingSent(simulated("delayed"))
      yield* TestClock.adjust(SIMULATED_DELAY - 1)
      yield* Engine.settle
      expect(yield* statusOf(owner)).toBe("SENT")
      yield* TestClock.adjust(1)
      yield* Engine.settle
      expect(yield* statusOf(owner)).toBe("DELIVERED")
      expect(yield* kindsOf(owner)).toEqual(["message.sent", "message.delivered"])
    }),
  )

  rule(
    "auto-reply: gets an answer in its thread that says that it is automatic, and our reply to it none",
    Effect.gen(function* () {
      const { owner, sent } = yield* havingSent(simulated("auto-reply"))
      const answer = yield* newest(owner, { direction: "INBOUND" })
      expect(answer).toMatchObject({
        fromAddress: simulated("auto-reply"),
        toAddresses: [owner.address],
        subject: "Auto: Grüße",
        threadId: sent.threadId,
        inReplyTo: sent.content.messageId,
        automated: true,
      })
      yield* reply(owner, answer.id)
      yield* Engine.settle
      expect(yield* listed(owner, { direction: "INBOUND" })).toHaveLength(1)
      expect((yield* kindsOf(owner)).filter((kind) => kind === "message.delivered")).toHaveLength(2)
    }),
  )

  rule(
    "is taken beside recipients outside, also in the trial, and each recipient reacts",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* send(owner, { to: [owner.email], cc: [simulated("delivered")], bcc: [simulated("bounced")] })
      yield* Engine.settle
      expect((yield* outbox).at(-1)?.envelope.to).toEqual([owner.email])
      expect(yield* kindsOf(owner)).toEqual(["message.sent", "message.delivered", "message.bounced"])
    }),
  )

  rule(
    "needs no relay",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* (yield* MemoryRelay).reachable(false)
      expect((yield* send(owner, { to: [simulated("delivered")] })).status).toBe("SENT")
    }),
  )

  rule(
    "to another name is refused, and mail from outside to the simulator finds no mailbox",
    Effect.gen(function* () {
      const owner = yield* paying()
      const nobody = "nobody@simulator.mailroom.localhost"
      expect(yield* refused(send(owner, { to: [nobody] }))).toMatchObject({
        _tag: "RelayRefused",
        answer: expect.stringContaining("only delivered, bounced, soft-bounced, complained, auto-reply"),
      })
      const spool = yield* MailSpool
      const asked = [simulated("delivered"), simulated("bounced", "+7"), nobody]
      expect(yield* spool.recipients(asked.map((to) => ({ from: "someone@outside.dev", to })))).toEqual(
        asked.map(() => ({ kind: "unknown" })),
      )
    }),
  )

  rule(
    "keeps the mail as it was sent",
    Effect.gen(function* () {
      const { owner, sent } = yield* havingSent(simulated("never"))
      const messages = yield* Messages
      expect((yield* messages.get(yield* as(owner), owner.mailboxId, sent.content.id)).content).toMatchObject(
        {
          toAddresses: [simulated("never")],
        },
      )
    }),
  )
})
