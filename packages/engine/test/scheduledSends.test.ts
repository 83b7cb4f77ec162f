/** Mails that are sent later (docs/specification/drafts.md): each at most once, and checked again when it is due. */
import { describe, expect } from "@effect/vitest"
import { DAY, HOUR, MINUTE, SECOND, timestamp } from "@mailroom/domain"
import { DraftStore, MimeComposer, StorageFailure, Transactions } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Ref, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { suppress } from "./support/changes.js"
import { HeldAnswer, heldAnswers, takingTurns } from "./support/concurrency.js"
import {
  changeDraft,
  draft,
  draftsOf,
  keptOf,
  pause,
  removeDraft,
  runDue,
  sendDraft,
  stateOf,
} from "./support/drafts.js"
import { NOON, rule, ruleUnder, ruleWith } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { type Owner, paying } from "./support/owners.js"
import { eventsOf, listed, threadsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { forward, RECIPIENT, reply, send, trySend } from "./support/sends.js"
import { Relaying, slowRelay } from "./support/slowRelay.js"

const inAnHour = { sendAt: timestamp(NOON + HOUR) }

const scheduled = (owner: Owner) => Effect.flatMap(trySend(owner, inAnHour), keptOf)

/** Whether composing a mail dies. */
class Dies extends Context.Tag("test/Dies")<Dies, Ref.Ref<boolean>>() {}

const dyingComposer = Layer.effectContext(
  Effect.gen(function* () {
    const composer = yield* MimeComposer
    const dies = yield* Ref.make(false)
    const compose: typeof composer.compose = (mail) =>
      Effect.flatMap(Ref.get(dies), (does) =>
        does ? Effect.dieMessage("the process is gone") : composer.compose(mail),
      )
    return Context.make(MimeComposer, { ...composer, compose }).pipe(Context.add(Dies, dies))
  }),
)

/** Whether transactions fail. */
class Away extends Context.Tag("test/Away")<Away, Ref.Ref<boolean>>() {}

const failingTransactions = Layer.effectContext(
  Effect.gen(function* () {
    const { run } = yield* Transactions
    const away = yield* Ref.make(false)
    return Context.make(Transactions, {
      run: (effect) =>
        Effect.flatMap(Ref.get(away), (isAway) =>
          isAway
            ? Effect.die(new StorageFailure({ reason: "unavailable", cause: "connection lost" }))
            : run(effect),
        ),
    }).pipe(Context.add(Away, away))
  }),
)

const passes = (time: number) => Effect.zipRight(TestClock.adjust(time), runDue)

describe("a scheduled send", () => {
  ruleWith(failingTransactions)(
    "that is due during an outage of the storage is sent a second after it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* scheduled(owner)
      const away = yield* Away
      yield* Ref.set(away, true)
      yield* passes(HOUR)
      yield* Ref.set(away, false)
      yield* passes(SECOND)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      expect(yield* draftsOf(owner)).toEqual([])
    }),
  )

  rule(
    "is a draft until its time, and then the message with the draft's id",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, status, sendAt } = yield* scheduled(owner)
      expect([status, sendAt]).toEqual(["SCHEDULED", NOON + HOUR])
      yield* passes(HOUR - 1)
      expect(yield* mailsTo(RECIPIENT)).toEqual([])
      yield* passes(1)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      expect(yield* draftsOf(owner)).toEqual([])
      expect((yield* listed(owner)).map((message) => message.id)).toEqual([id])
    }),
  )

  rule(
    "that is due during an outage of an hour is sent once, after it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* scheduled(owner)
      yield* TestClock.adjust(2 * HOUR)
      yield* runDue
      yield* runDue
      yield* passes(DAY)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  rule(
    "is sent once when the clock steps forward, and back again",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* scheduled(owner)
      yield* TestClock.setTime(NOON + DAY)
      yield* runDue
      yield* TestClock.setTime(NOON)
      yield* runDue
      yield* passes(2 * HOUR)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  rule(
    "is sent once, and not early, when the clock goes back an hour before its time",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* scheduled(owner)
      yield* TestClock.setTime(NOON + HOUR / 2)
      yield* runDue
      yield* TestClock.setTime(NOON - HOUR / 2)
      yield* passes(1.5 * HOUR - 1)
      expect(yield* mailsTo(RECIPIENT)).toEqual([])
      yield* passes(1)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      yield* passes(DAY)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  rule(
    "is sent by the clock that holds when it goes forward a day, and the others keep their time when it is set right",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* scheduled(owner)
      const { id } = yield* Effect.flatMap(
        trySend(owner, { sendAt: timestamp(NOON + DAY + HOUR), subject: "Later" }),
        keptOf,
      )
      yield* TestClock.setTime(NOON + DAY)
      yield* runDue
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      yield* TestClock.setTime(NOON)
      yield* passes(DAY + HOUR - 1)
      expect([(yield* mailsTo(RECIPIENT)).length, yield* stateOf(owner, id)]).toEqual([1, "SCHEDULED"])
      yield* passes(1)
      yield* passes(DAY)
      expect((yield* mailsTo(RECIPIENT)).map(({ mail }) => mail.subject)).toEqual(["Hello", "Later"])
    }),
  )

  rule(
    "that a process claimed and left before the clock went back is sent once, when the claim has ended by the new clock",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* scheduled(owner)
      const drafts = yield* DraftStore
      yield* TestClock.setTime(NOON + HOUR)
      const claimed = yield* drafts.claim(1, NOON + HOUR, NOON + HOUR + MINUTE, [])
      yield* TestClock.setTime(NOON)
      yield* passes(HOUR + MINUTE - 1)
      expect(yield* mailsTo(RECIPIENT)).toEqual([])
      yield* passes(1)
      yield* passes(DAY)
      expect([claimed.length, (yield* mailsTo(RECIPIENT)).length]).toEqual([1, 1])
    }),
  )

  ruleWith(slowRelay)(
    "is gone when its mail goes to the relay: no other process, and no restart, sends it again",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* scheduled(owner)
      const { begun, mayEnd } = yield* Relaying
      yield* TestClock.adjust(HOUR)
      const first = yield* Effect.fork(runDue)
      yield* Deferred.await(begun)
      expect(yield* stateOf(owner, id)).toBe("gone")
      yield* runDue
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(first)
      yield* passes(HOUR)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  rule(
    "whose mail the relay may have taken is UNKNOWN, and never sent again",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* scheduled(owner)
      const relay = yield* MemoryRelay
      yield* relay.loseAnswers
      yield* passes(HOUR)
      yield* passes(DAY)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      expect(yield* listed(owner)).toMatchObject([{ id, status: "UNKNOWN" }])
    }),
  )

  rule(
    "whose recipient was suppressed meanwhile fails with that code",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* scheduled(owner)
      yield* suppress(owner, RECIPIENT)
      yield* passes(HOUR)
      expect(yield* stateOf(owner, id)).toBe("FAILED RECIPIENT_SUPPRESSED")
      const [event] = (yield* eventsOf(owner)).slice(-1)
      expect(event).toMatchObject({
        event: "draft.failed",
        data: { draft_id: id, code: "RECIPIENT_SUPPRESSED" },
      })
    }),
  )

  rule(
    "waits while the account's sending is paused, and is sent when it resumes",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* scheduled(owner)
      yield* pause(owner)
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "SendingPaused" })
      yield* passes(3 * DAY)
      expect(yield* stateOf(owner, id)).toBe("SCHEDULED")
      yield* pause(owner, false)
      yield* runDue
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  rule(
    "is tried again with growing delays while the relay is away, and FAILED after 16 hours",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      const [first, second] = [yield* scheduled(owner), yield* draft(owner, inAnHour)]
      yield* relay.reachable(false)
      yield* passes(HOUR)
      yield* passes(MINUTE - 1)
      yield* relay.reachable(true)
      yield* removeDraft(owner, second.id)
      yield* passes(1)
      expect(yield* stateOf(owner, first.id)).toBe("gone")

      yield* relay.reachable(false)
      const third = yield* draft(owner, { sendAt: timestamp(NOON + 3 * HOUR) })
      yield* passes(2 * HOUR)
      for (const delay of [1, 5, 15, 30, 60, 120, 240]) yield* passes(delay * MINUTE)
      expect(yield* stateOf(owner, third.id)).toBe("SCHEDULED")
      yield* passes(8 * HOUR)
      expect(yield* stateOf(owner, third.id)).toBe("FAILED RELAY_UNAVAILABLE")
    }),
  )

  rule(
    "that is tried again after the relay was away is in one thread with its answer",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      yield* scheduled(owner)
      yield* relay.reachable(false)
      yield* passes(HOUR)
      yield* relay.reachable(true)
      yield* passes(MINUTE)
      const [sent] = yield* listed(owner)
      yield* received(owner.address, { subject: "Re: Hello", inReplyTo: sent?.messageId ?? "" })
      const { threads } = yield* threadsOf(owner)
      expect(threads.map(({ messageCount }) => messageCount)).toEqual([2])
    }),
  )

  ruleUnder({ sendVelocityPerMinute: 2 })(
    "above the velocity is sent in a later minute",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* Effect.replicateEffect(scheduled(owner), 3)
      yield* passes(HOUR)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(2)
      yield* passes(MINUTE)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(3)
    }),
  )

  ruleUnder({ sendVelocityPerMinute: 1 })(
    "waits for the velocity as many minutes as it takes, each mail of many for the same time",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* Effect.replicateEffect(scheduled(owner), 12)
      yield* TestClock.adjust(HOUR)
      for (let sent = 1; sent <= 12; sent++) {
        yield* runDue
        expect(yield* mailsTo(RECIPIENT)).toHaveLength(sent)
        yield* TestClock.adjust(MINUTE)
      }
      expect(yield* draftsOf(owner)).toEqual([])
    }),
  )

  ruleUnder({ sendVelocityPerMinute: 2 })(
    "that waited for the velocity is sent before one of the next minute",
    Effect.gen(function* () {
      const owner = yield* paying()
      const first = yield* Effect.replicateEffect(scheduled(owner), 3)
      yield* TestClock.adjust("1 second")
      yield* Effect.replicateEffect(draft(owner, { sendAt: timestamp(NOON + HOUR + MINUTE) }), 2)
      yield* TestClock.adjust(HOUR - 600)
      yield* runDue
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(2)
      yield* TestClock.adjust(MINUTE - 400)
      yield* runDue
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(4)
      const left = (yield* draftsOf(owner)).map(({ id }) => id)
      expect(first.filter(({ id }) => left.includes(id))).toEqual([])
    }),
  )

  rule(
    "is cancelled by deleting it, and by removing its time; a changed one keeps its time",
    Effect.gen(function* () {
      const owner = yield* paying()
      const [one, two, three] = yield* Effect.replicateEffect(scheduled(owner), 3)
      if (one === undefined || two === undefined || three === undefined) return
      yield* removeDraft(owner, one.id)
      expect((yield* changeDraft(owner, two.id, { sendAt: null })).status).toBe("DRAFT")
      const changed = yield* changeDraft(owner, three.id, { subject: "Changed" })
      expect(changed).toMatchObject({ status: "SCHEDULED", sendAt: NOON + HOUR })
      expect(changed.digest).not.toBe(three.digest)
      const moved = yield* changeDraft(owner, three.id, { sendAt: timestamp(NOON + 2 * HOUR) })
      expect(moved).toMatchObject({ status: "SCHEDULED", sendAt: NOON + 2 * HOUR })
      yield* passes(HOUR)
      expect(yield* mailsTo(RECIPIENT)).toEqual([])
      yield* passes(HOUR)
      expect((yield* mailsTo(RECIPIENT)).map(({ mail }) => mail.subject)).toEqual(["Changed"])
    }),
  )

  ruleWith(takingTurns)(
    "keeps its time when two requests change it at once",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* scheduled(owner)
      const changes = [{ subject: "Changed" }, { bodyText: "Changed, too." }]
      const results = yield* Effect.forEach(
        changes,
        (change) => Effect.either(changeDraft(owner, id, change)),
        {
          concurrency: "unbounded",
        },
      )
      expect(results.map(({ _tag }) => _tag)).toEqual(["Right", "Right"])
      const [kept] = yield* draftsOf(owner)
      expect(kept).toMatchObject({
        status: "SCHEDULED",
        sendAt: NOON + HOUR,
        content: { subject: "Changed", bodyText: "Changed, too." },
      })
      yield* passes(HOUR)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  ruleWith(dyingComposer)(
    "keeps its time when the process ends while a change of it is composed; so does a new one",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* scheduled(owner)
      const dies = yield* Dies
      yield* Ref.set(dies, true)
      const clientId = "a-draft"
      for (const request of [
        changeDraft(owner, id, { subject: "Changed" }),
        draft(owner, { ...inAnHour, subject: "New", clientId }),
      ])
        expect(Exit.isFailure(yield* Effect.exit(request))).toBe(true)
      yield* Ref.set(dies, false)
      expect((yield* draft(owner, { ...inAnHour, clientId })).status).toBe("SCHEDULED")
      yield* passes(HOUR)
      expect((yield* mailsTo(RECIPIENT)).map(({ mail }) => mail.subject).toSorted()).toEqual([
        "Changed",
        "New",
      ])
    }),
  )

  ruleWith(heldAnswers)(
    "that is due while its creation or its change checks it is sent once, after that",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { hold } = yield* HeldAnswer
      const whileDue = <A, E, R>(request: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const { begun, mayEnd } = yield* hold
          const asked = yield* Effect.fork(request)
          yield* Deferred.await(begun)
          yield* passes(MINUTE)
          yield* Deferred.succeed(mayEnd, undefined)
          return yield* Fiber.join(asked)
        })
      const inAMinute = (minutes: number) => ({ sendAt: timestamp(NOON + minutes * MINUTE) })
      const created = yield* whileDue(draft(owner, { ...inAMinute(1), subject: "Created" }))
      expect(created.status).toBe("SCHEDULED")
      yield* runDue
      const { id } = yield* draft(owner, inAMinute(2))
      expect((yield* whileDue(changeDraft(owner, id, { subject: "Changed" }))).status).toBe("SCHEDULED")
      yield* runDue
      expect((yield* mailsTo(RECIPIENT)).map(({ mail }) => mail.subject)).toEqual(["Created", "Changed"])
    }),
  )

  ruleWith(heldAnswers)(
    "that another request sends while its creation checks it is created",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { begun, mayEnd } = yield* (yield* HeldAnswer).hold
      const creating = yield* Effect.fork(draft(owner, inAnHour))
      yield* Deferred.await(begun)
      const [stored] = yield* draftsOf(owner)
      if (stored !== undefined) yield* sendDraft(owner, stored.id)
      yield* Deferred.succeed(mayEnd, undefined)
      expect(yield* Fiber.join(creating)).toEqual(stored)
      yield* passes(HOUR)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  rule(
    "whose change is refused is not sent",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* scheduled(owner)
      yield* suppress(owner, "x@elsewhere.org")
      expect(yield* refused(changeDraft(owner, id, { to: ["x@elsewhere.org"] }))).toMatchObject({
        _tag: "RecipientSuppressed",
      })
      expect(yield* stateOf(owner, id)).toBe("DRAFT")
    }),
  )

  ruleWith(takingTurns)(
    "that is cancelled while it is due is either sent or cancelled",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* scheduled(owner)
      yield* TestClock.adjust(HOUR)
      const [, cancelled] = yield* Effect.all(
        [runDue, Effect.either(changeDraft(owner, id, { sendAt: null }))],
        { concurrency: "unbounded" },
      )
      const mails = yield* mailsTo(RECIPIENT)
      expect([mails.length, yield* stateOf(owner, id)]).toEqual(
        cancelled._tag === "Right" ? [0, "DRAFT"] : [1, "gone"],
      )
    }),
  )

  rule(
    "passes every check when it is made, and may be 90 days ahead; so may replies and forwards",
    Effect.gen(function* () {
      const owner = yield* paying()
      const at = (ahead: number) => ({ sendAt: timestamp(NOON + ahead) })
      for (const ahead of [0, -1, 90 * DAY + 1])
        expect(yield* refused(trySend(owner, at(ahead)))).toMatchObject({
          _tag: "InvalidInput",
          issues: [{ path: "sendAt" }],
        })
      expect((yield* trySend(owner, at(90 * DAY))).kind).toBe("scheduled")
      const sent = yield* send(owner)
      for (const later of [reply, forward])
        expect(
          yield* Effect.catchAllDefect(Effect.as(later(owner, sent.content.id, at(HOUR)), "sent"), (defect) =>
            Effect.succeed(String(defect)),
          ),
        ).toContain("the send is scheduled")
      yield* suppress(owner, "x@elsewhere.org")
      expect(yield* refused(trySend(owner, { ...at(HOUR), to: ["x@elsewhere.org"] }))).toMatchObject({
        _tag: "RecipientSuppressed",
      })
      expect(yield* refused(draft(owner, { ...at(HOUR), to: ["x@elsewhere.org"] }))).toMatchObject({
        _tag: "RecipientSuppressed",
      })
      expect(yield* draftsOf(owner)).toHaveLength(3)
    }),
  )

  rule(
    "can be sent at once",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* scheduled(owner)
      expect((yield* sendDraft(owner, id)).kind).toBe("sent")
      yield* passes(HOUR)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )
})
