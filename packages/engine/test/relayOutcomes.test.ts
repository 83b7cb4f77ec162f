/** Effects of the relay's reply, or of none, on a send (`spec: decisions.send.refused`, `decisions.send.unavailable`). */
import { describe, expect } from "@effect/vitest"
import { MINUTE, RelayRefused, SECOND } from "@mailroom/domain"
import {
  type Attempt,
  Attachments,
  Engine,
  Idempotency,
  Integrity,
  Messages,
  type OutboundEnvelope,
  OutboundMail,
  StorageFailure,
  Transactions,
} from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { logLinesOf } from "@mailroom/test-services"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Stream, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { draft, draftsOf, sendDraft } from "./support/drafts.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { mailsTo, relayedTo } from "./support/outbox.js"
import { as, paying, verified } from "./support/owners.js"
import { accountOf, eventsOf, listed, mailboxOf, newest, subjectsOf, threadsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { inline, RECIPIENT, send, upload } from "./support/sends.js"
import { Relaying, slowRelay } from "./support/slowRelay.js"
import { readableStores, tablesWith } from "./support/tables.js"

const failures = [
  ["refuses the recipient", "RelayRefused", "550 5.1.1 no such user"],
  ["puts the recipient off", "RelayUnavailable", "450 4.2.1 later"],
  ["is away", "RelayUnavailable", null],
] as const

const relayFails = (reply: string | null) =>
  Effect.flatMap(MemoryRelay, (relay) =>
    reply === null ? relay.reachable(false) : relay.answer(RECIPIENT, reply),
  )

const relayRecovers = Effect.flatMap(MemoryRelay, (relay) =>
  Effect.zipRight(relay.reachable(true), relay.answer(RECIPIENT, null)),
)

for (const [what, tag, reply] of failures)
  describe(`a relay that ${what}`, () => {
    ruleWith(watchedBlobs)(
      "is rolled back: quota, storage, uploads, threads",
      Effect.gen(function* () {
        const owner = yield* paying()
        const uploaded = yield* upload(owner, "uploaded.bin", Buffer.from("12345"))
        yield* received(owner.address, {
          id: "<1@elsewhere.org>",
          files: [{ name: "old.bin", bytes: Buffer.alloc(7) }],
        })
        const before = yield* Effect.all([
          accountOf(owner),
          mailboxOf(owner),
          threadsOf(owner),
          eventsOf(owner),
          blobKeys,
        ])
        const [forwarded] = (yield* newest(owner)).attachments
        if (forwarded === undefined) return yield* Effect.dieMessage("nothing to forward")

        yield* relayFails(reply)
        const refusal = yield* refused(
          send(owner, {
            inReplyTo: "<1@elsewhere.org>",
            bodyText: "long ".repeat(60_000),
            attachments: [uploaded, forwarded.id, inline("fresh.bin", Buffer.alloc(11))],
          }),
        )
        expect(refusal).toMatchObject({ _tag: tag })
        yield* Engine.settle
        expect(yield* listed(owner, { direction: "OUTBOUND" })).toEqual([])
        const after = yield* Effect.all([
          accountOf(owner),
          mailboxOf(owner),
          threadsOf(owner),
          eventsOf(owner),
          blobKeys,
        ])
        expect(after).toEqual(before)

        yield* relayRecovers
        const again = yield* send(owner, { attachments: [uploaded, forwarded.id] })
        expect(again.content.attachments).toMatchObject([{ id: uploaded }, { filename: "old.bin" }])
      }),
    )

    rule(
      "returns the send of the trial",
      Effect.gen(function* () {
        const owner = yield* verified()
        const relay = yield* MemoryRelay
        yield* reply === null ? relay.reachable(false) : relay.answer(owner.email, reply)
        yield* refused(send(owner, { to: [owner.email] }))
        expect((yield* accountOf(owner)).trial).toMatchObject({ sendsUsed: 0, sendsRemaining: 10 })
      }),
    )
  })

/** A relay that takes two minutes for the mail to each reader. */
const twoMinutesEach = Layer.effectContext(
  Effect.gen(function* () {
    const relay = yield* OutboundMail
    const begun = yield* Deferred.make<OutboundEnvelope>()
    const send: typeof relay.send = (envelope, raw, within) =>
      Deferred.succeed(begun, envelope).pipe(
        Effect.zipRight(Effect.sleep(2 * MINUTE)),
        Effect.when(() => envelope.to.some((address) => address.startsWith("reader-"))),
        Effect.zipRight(relay.send(envelope, raw, within)),
      )
    return Context.make(OutboundMail, { send }).pipe(
      Context.add(Relaying, { begun, mayEnd: yield* Deferred.make<void>() }),
    )
  }),
)

describe("a mail to several recipients", () => {
  const OTHER = "carol@elsewhere.org"

  rule(
    "is sent when the relay accepts it for one of them, and bounces for those it refuses",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      yield* relay.answer(RECIPIENT, "550 5.1.1 no such user")
      const sent = yield* send(owner, { to: [RECIPIENT, OTHER] })
      expect(yield* relayedTo(sent.content.messageId)).toEqual([OTHER])
      expect(yield* eventsOf(owner)).toMatchObject([
        { event: "message.sent" },
        {
          event: "message.bounced",
          data: {
            bounces: [
              {
                recipient: RECIPIENT,
                status: "5.1.1",
                diagnostic: "550 5.1.1 no such user",
                permanent: true,
              },
            ],
          },
        },
      ])
      expect(yield* listed(owner)).toMatchObject([{ id: sent.content.id, status: "BOUNCED" }])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 1, bouncedToday: 1 })
    }),
  )

  rule(
    "reaches all recipients but those that the relay puts off",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      const others = Array.from({ length: 8 }, (_, index) => `reader-${index + 1}@elsewhere.org`)
      yield* relay.answer(OTHER, "450 4.1.2 domain not found")
      const sent = yield* send(owner, { to: [OTHER, ...others] })
      expect(yield* relayedTo(sent.content.messageId)).toEqual(others)
      const [, bounced] = yield* eventsOf(owner)
      expect(bounced).toMatchObject({
        data: { bounces: [{ recipient: OTHER, diagnostic: "450 4.1.2 domain not found" }] },
      })
    }),
  )

  ruleWith(twoMinutesEach)(
    "is not tried for the recipients whose turn has not come after five minutes",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relaying = yield* Relaying
      const sending = yield* Effect.fork(
        send(owner, { to: Array.from({ length: 10 }, (_, index) => `reader-${index + 1}@elsewhere.org`) }),
      )
      yield* Deferred.await(relaying.begun)
      for (let round = 0; round < 3; round++) yield* TestClock.adjust(2 * MINUTE)
      const sent = yield* Fiber.join(sending)
      expect(sent.status).toBe("SENT")
      const [, bounced] = yield* eventsOf(owner)
      expect(bounced).toMatchObject({
        data: {
          bounces: [10].map((reader) => ({ recipient: `reader-${reader}@elsewhere.org`, permanent: false })),
        },
      })
    }),
  )

  rule(
    "does not suppress a recipient that the relay refused temporarily",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      yield* relay.answer(OTHER, "450 4.2.1 later")
      yield* send(owner, { to: [RECIPIENT, OTHER] })
      const [, bounced] = yield* eventsOf(owner)
      expect(bounced).toMatchObject({ data: { bounces: [{ recipient: OTHER, permanent: false }] } })
      yield* relay.answer(OTHER, null)
      expect((yield* send(owner, { to: [OTHER] })).status).toBe("SENT")
    }),
  )

  rule(
    "is refused, and does not count, when the relay refuses all of them",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      for (const address of [RECIPIENT, OTHER]) yield* relay.answer(address, "550 5.1.1 no such user")
      const refusal = yield* refused(send(owner, { to: [RECIPIENT, OTHER] }))
      expect(refusal).toMatchObject({ _tag: "RelayRefused", recipients: [RECIPIENT, OTHER] })
      expect(yield* listed(owner)).toEqual([])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0, bouncedToday: 0 })
    }),
  )

  ruleWith(readableStores)(
    "leaves no thread when the relay refuses all of them",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* relayFails("550 5.1.1 no such user")
      yield* refused(send(owner))
      yield* Engine.settle
      expect(yield* tablesWith([owner.mailboxId])).not.toContain("threads")
      expect(yield* tablesWith([owner.mailboxId])).not.toContain("thread_links")
    }),
  )

  rule(
    "is UNKNOWN when the relay does not reply for one of them",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      yield* relay.answer(OTHER, "550 5.1.1 no such user")
      yield* relay.loseAnswers
      expect(yield* refused(send(owner, { to: [OTHER, RECIPIENT] }))).toMatchObject({
        _tag: "RelayUncertain",
      })
      expect(yield* listed(owner)).toMatchObject([{ status: "UNKNOWN" }])
    }),
  )

  rule(
    "reaches the recipients inside once when the relay does not reply for the others",
    Effect.gen(function* () {
      const owner = yield* paying()
      const inside = yield* paying("reader")
      const relay = yield* MemoryRelay
      yield* relay.loseAnswers
      yield* refused(send(owner, { to: [OTHER], cc: [inside.address], subject: "For both" }))
      yield* Engine.settle
      yield* TestClock.adjust(2 * 60 * MINUTE)
      yield* Engine.settle
      expect(subjectsOf(yield* listed(inside))).toEqual(["For both"])
      expect(yield* listed(owner)).toMatchObject([{ status: "UNKNOWN" }])
    }),
  )
})

describe("a send that was refused after midnight", () => {
  rule(
    "returns nothing to the counter of the new day",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* TestClock.setTime(Date.UTC(2026, 2, 11))
      yield* send(owner)
      yield* relayFails("550 no")
      yield* refused(send(owner))
      expect(yield* mailboxOf(owner)).toMatchObject({ dailySendCount: 1, monthlySendCount: 1 })
    }),
  )
})

describe("a relay that gets a mail and does not reply", () => {
  rule(
    "makes the send UNKNOWN at once, with an error, and returns no quota",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      yield* relay.loseAnswers
      const refusal = yield* refused(send(owner, { subject: "Lost" }))
      const [message] = yield* listed(owner)
      expect(refusal).toMatchObject({ _tag: "RelayUncertain", messageId: message?.id })
      expect(message).toMatchObject({ subject: "Lost", status: "UNKNOWN", sentAt: null })
      expect(subjectsOf((yield* threadsOf(owner)).threads)).toEqual(["Lost"])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 1 })
      yield* TestClock.adjust("1 hour")
      yield* Engine.settle
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      expect(yield* eventsOf(owner)).toEqual([])
    }),
  )
})

/** How the store fails while the test makes it unavailable. */
class Storage extends Context.Tag("test/Storage")<
  Storage,
  {
    readonly away: (away: boolean) => Effect.Effect<void>
    /** Returns when it became unavailable. */
    readonly gone: Effect.Effect<void>
  }
>() {}

/** A relay that accepts or refuses mail for `RECIPIENT`, after which the store is unavailable. */
const storeGoesAway = (refuses: boolean) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { run } = yield* Transactions
      const relay = yield* OutboundMail
      const gone = yield* Deferred.make<void>()
      let isAway = false
      const away = (next: boolean) =>
        Effect.sync(() => {
          isAway = next
        })
      const send: OutboundMail["Type"]["send"] = (envelope, raw, within) =>
        envelope.to.includes(RECIPIENT)
          ? Effect.zipRight(
              Effect.zipRight(away(true), Deferred.succeed(gone, undefined)),
              refuses
                ? new RelayRefused({ answer: "550 no", recipients: envelope.to })
                : relay.send(envelope, raw, within),
            )
          : relay.send(envelope, raw, within)
      return Context.make(OutboundMail, { send }).pipe(
        Context.add(Storage, { away, gone: Deferred.await(gone) }),
        Context.add(Transactions, {
          run: (effect) =>
            Effect.suspend(() =>
              isAway
                ? Effect.die(new StorageFailure({ reason: "unavailable", cause: "connection lost" }))
                : run(effect),
            ),
        }),
      )
    }),
  )

const storeWent = Effect.flatMap(Storage, (storage) => storage.gone)

const storeIsAway = (away: boolean) => Effect.flatMap(Storage, (storage) => storage.away(away))

describe("a store that fails after the reply of the relay", () => {
  ruleWith(storeGoesAway(false))(
    "leaves the caller uncertain, and the message SENT with one event after the outage",
    Effect.gen(function* () {
      const owner = yield* paying()
      const sending = yield* Effect.fork(refused(send(owner)))
      yield* storeWent
      yield* TestClock.adjust(2 * SECOND)
      expect(yield* Fiber.join(sending)).toMatchObject({ _tag: "RelayUncertain" })
      expect(yield* listed(owner)).toEqual([])
      yield* storeIsAway(false)
      yield* TestClock.adjust(2 * SECOND)
      expect(yield* listed(owner)).toMatchObject([{ status: "SENT" }])
      yield* TestClock.adjust("1 hour")
      yield* Engine.settle
      expect(yield* listed(owner)).toMatchObject([{ status: "SENT" }])
      expect((yield* eventsOf(owner)).map(({ event }) => event)).toEqual(["message.sent"])
      expect((yield* threadsOf(owner)).threads).toMatchObject([{ messageCount: 1 }])
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  ruleWith(storeGoesAway(false))(
    "delays the response only until it is back, when that is soon",
    Effect.gen(function* () {
      const owner = yield* paying()
      const sending = yield* Effect.fork(send(owner))
      yield* storeWent
      yield* TestClock.adjust(SECOND)
      yield* storeIsAway(false)
      yield* TestClock.adjust(SECOND)
      expect((yield* Fiber.join(sending)).status).toBe("SENT")
    }),
  )

  ruleWith(storeGoesAway(false))(
    "lets an UNKNOWN message become SENT after a long outage",
    Effect.gen(function* () {
      const owner = yield* paying()
      const sending = yield* Effect.fork(refused(send(owner)))
      yield* storeWent
      yield* TestClock.adjust("11 minutes")
      yield* Fiber.join(sending)
      yield* storeIsAway(false)
      yield* Engine.settle
      expect(yield* listed(owner)).toMatchObject([{ status: "UNKNOWN" }])
      yield* TestClock.adjust(30 * SECOND)
      expect(yield* listed(owner)).toMatchObject([{ status: "SENT" }])
      expect((yield* eventsOf(owner)).map(({ event }) => event)).toEqual(["message.sent"])
      expect((yield* threadsOf(owner)).threads).toMatchObject([{ messageCount: 1 }])
    }),
  )

  ruleWith(storeGoesAway(true))(
    "rolls back a refused send after the outage",
    Effect.gen(function* () {
      const owner = yield* paying()
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "RelayRefused" })
      yield* storeIsAway(false)
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 1 })
      yield* TestClock.adjust(1 * SECOND)
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0 })
      expect(yield* listed(owner)).toEqual([])
    }),
  )

  ruleWith(storeGoesAway(true))(
    "frees the Idempotency-Key of a refused send, though its request ended before the rollback",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { once } = yield* Idempotency
      const principal = yield* Effect.orDie(as(owner))
      const ask = <R>(work: Effect.Effect<Attempt, never, R>) =>
        once(principal, { key: "k", route: "POST /send", body: {} }, work, () =>
          Effect.dieMessage("not sent"),
        ).pipe(Effect.flatMap(({ answer }) => answer))
      const answer = { status: 502, headers: {}, body: "refused" }
      yield* ask(Effect.as(Effect.orDie(refused(send(owner))), { answer, final: false }))
      yield* storeIsAway(false)
      yield* TestClock.adjust(1 * SECOND)
      const sent = { status: 201, headers: {}, body: "sent" }
      expect(yield* ask(Effect.succeed({ answer: sent, final: true }))).toEqual(sent)
    }),
  )

  ruleWith(storeGoesAway(true))(
    "rolls back a refused send that is UNKNOWN after a long outage",
    Effect.gen(function* () {
      const owner = yield* paying()
      const before = yield* Effect.all([accountOf(owner), threadsOf(owner)])
      yield* refused(send(owner))
      yield* TestClock.adjust("11 minutes")
      yield* storeIsAway(false)
      yield* Engine.settle
      expect(yield* listed(owner)).toMatchObject([{ status: "UNKNOWN" }])
      yield* TestClock.adjust(30 * SECOND)
      expect(yield* listed(owner)).toEqual([])
      expect(yield* Effect.all([accountOf(owner), threadsOf(owner)])).toEqual(before)
      yield* TestClock.adjust("1 day")
      yield* Engine.settle
      const { check } = yield* Integrity
      const steps = yield* Stream.runCollect(check)
      expect([...steps].flatMap(({ drifts }) => drifts)).toEqual([])
    }),
  )
})

/** A relay that accepts a mail, after which the process dies without the reply. */
const diesAfterwards = Layer.effect(
  OutboundMail,
  Effect.map(OutboundMail, ({ send }): OutboundMail["Type"] => ({
    send: (envelope, raw, within) =>
      Effect.flatMap(send(envelope, raw, within), (answer) =>
        envelope.to.includes(RECIPIENT) ? Effect.dieMessage("the process is gone") : Effect.succeed(answer),
      ),
  })),
)

describe("a send whose process died before it stored the reply", () => {
  const interrupted = Effect.gen(function* () {
    const owner = yield* paying()
    expect(Exit.isFailure(yield* Effect.exit(send(owner, { subject: "Lost" })))).toBe(true)
    return owner
  })

  ruleWith(diesAfterwards)(
    "is hidden while a process may still be sending it",
    Effect.gen(function* () {
      const owner = yield* interrupted
      yield* TestClock.setTime(NOON + 10 * MINUTE)
      yield* Engine.settle
      expect(yield* listed(owner)).toEqual([])
      expect((yield* threadsOf(owner)).threads).toEqual([])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 1 })
    }),
  )

  ruleWith(diesAfterwards)(
    "becomes visible as UNKNOWN after ten minutes, with a warning in the log",
    Effect.gen(function* () {
      const owner = yield* interrupted
      yield* TestClock.setTime(NOON + 10 * MINUTE + 1)
      const warnings = (yield* logLinesOf(Engine.settle)).filter(({ level }) => level === "WARN")
      expect(warnings).toMatchObject([
        { said: [expect.stringMatching(/^A send has no recorded end/), { mailboxId: owner.mailboxId }] },
      ])
      expect(yield* listed(owner)).toMatchObject([{ subject: "Lost", status: "UNKNOWN", sentAt: null }])
      expect(subjectsOf((yield* threadsOf(owner)).threads)).toEqual(["Lost"])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 1 })
    }),
  )

  ruleWith(diesAfterwards)(
    "is never sent again and has no message.sent event",
    Effect.gen(function* () {
      const owner = yield* interrupted
      for (const _ of ["once", "twice", "again"]) {
        yield* TestClock.adjust("11 minutes")
        yield* Engine.settle
      }
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      expect(yield* eventsOf(owner)).toEqual([])
      expect((yield* threadsOf(owner)).threads).toMatchObject([{ messageCount: 1 }])
    }),
  )
})

describe("a draft whose relay refuses it while its client makes it again", () => {
  ruleWith(slowRelay)(
    "comes back without its clientId, which the new one has",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { begun, mayEnd } = yield* Relaying
      const first = yield* draft(owner, { clientId: "offer" })
      const sending = yield* Effect.fork(refused(sendDraft(owner, first.id)))
      yield* Deferred.await(begun)
      const second = yield* draft(owner, { clientId: "offer" })
      expect(second.id).not.toBe(first.id)
      yield* relayFails("550 no")
      yield* Deferred.succeed(mayEnd, undefined)
      expect(yield* Fiber.join(sending)).toMatchObject({ _tag: "RelayRefused" })
      const clientIds = new Map((yield* draftsOf(owner)).map(({ id, clientId }) => [id, clientId]))
      expect([clientIds.get(first.id), clientIds.get(second.id)]).toEqual([null, "offer"])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0 })
    }),
  )
})

describe("before the relay replies", () => {
  ruleWith(slowRelay)(
    "the message is hidden, its quota is used, and its attachment cannot be removed",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { begun, mayEnd } = yield* Relaying
      const file = yield* upload(owner, "a.bin", Buffer.from("12345"))
      const sending = yield* Effect.fork(send(owner, { attachments: [file] }))
      yield* Deferred.await(begun)
      expect(yield* listed(owner)).toEqual([])
      expect(yield* mailboxOf(owner)).toMatchObject({ dailySendCount: 1 })
      const attachments = yield* Attachments
      const { messageId } = yield* attachments.get(yield* as(owner), file)
      const messages = yield* Messages
      if (messageId === null) return yield* Effect.dieMessage("the file belongs to no message")
      expect(yield* refused(messages.get(yield* as(owner), owner.mailboxId, messageId))).toMatchObject({
        _tag: "NotFound",
      })
      expect(yield* refused(attachments.remove(yield* as(owner), file))).toMatchObject({
        _tag: "AttachmentInUse",
        messageId,
      })
      yield* Deferred.succeed(mayEnd, undefined)
      expect((yield* Fiber.join(sending)).status).toBe("SENT")
      expect(yield* listed(owner)).toHaveLength(1)
    }),
  )

  ruleWith(slowRelay)(
    "a client that disconnects does not cancel the send",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { begun, mayEnd } = yield* Relaying
      const sending = yield* Effect.fork(send(owner))
      yield* Deferred.await(begun)
      const hangingUp = yield* Effect.fork(Fiber.interrupt(sending))
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(hangingUp)
      expect(yield* listed(owner)).toMatchObject([{ status: "SENT" }])
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )
})
