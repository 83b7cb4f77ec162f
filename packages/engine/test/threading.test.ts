/** Threading in the store (`spec: decisions.threading.headers`, `decisions.threading.subject`). */
import { describe, expect } from "@effect/vitest"
import { DAY, type ThreadId } from "@mailroom/domain"
import { Engine, Messages } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { accepted, aMail, type MailText, received } from "./support/arrivals.js"
import { NOON, rule } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { itemsOf, listed, receivedOf, subjectsOf, threadsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"

const idOf = (name: string) => `<${name}@elsewhere.org>`

/** A mail called `name` that answers others. */
const aNote = (name: string, ...answers: ReadonlyArray<string>): MailText => ({
  subject: name,
  id: idOf(name),
  ...(answers.length > 0 && { references: answers.map(idOf) }),
})

const arrive = (owner: Owner, ...mails: ReadonlyArray<MailText>) =>
  Effect.forEach(mails, (mail) => received(owner.address, mail), { discard: true })

/** The subjects of each thread, in any order. */
const groups = (owner: Owner) =>
  Effect.map(listed(owner), (messages) => {
    const together = new Map<string, ReadonlyArray<string>>()
    for (const { threadId, subject } of messages)
      together.set(threadId, [...(together.get(threadId) ?? []), subject].sort())
    return [...together.values()].sort(([a = ""], [b = ""]) => a.localeCompare(b))
  })

const threadIdOf = (owner: Owner, name: string) =>
  Effect.flatMap(listed(owner), (messages) => {
    const found = messages.find(({ subject }) => subject === name)
    return found === undefined ? Effect.dieMessage(`no message ${name}`) : Effect.succeed(found.threadId)
  })

const readThread = (owner: Owner, id: ThreadId) =>
  Effect.gen(function* () {
    const messages = yield* Messages
    const { thread, messages: items } = yield* messages.thread(yield* as(owner), owner.mailboxId, id)
    return { thread, subjects: subjectsOf(itemsOf(items)) }
  })

const orders = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length < 2
    ? [items]
    : items.flatMap((first) => orders(items.filter((item) => item !== first)).map((rest) => [first, ...rest]))

describe("a thread", () => {
  rule(
    "counts its messages and lists them oldest first",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* arrive(owner, aNote("a"), aNote("other"))
      yield* TestClock.adjust("1 minute")
      yield* arrive(owner, { ...aNote("b", "a"), from: "bob@elsewhere.org" })
      const { threads } = yield* threadsOf(owner)
      expect(threads).toMatchObject([
        { subject: "a", messageCount: 2, lastMessageAt: "2026-03-10T12:01:00.000Z" },
        { subject: "other", messageCount: 1, lastMessageAt: "2026-03-10T12:00:00.000Z" },
      ])
      expect(threads[0]?.participants).toEqual(["ada@elsewhere.org", owner.address, "bob@elsewhere.org"])
      expect((yield* readThread(owner, yield* threadIdOf(owner, "b"))).subjects).toEqual(["a", "b"])
    }),
  )

  rule(
    "is the same for any order of arrival, one by one or in one batch",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const inOneBatch of [true, false]) {
        for (const [run, order] of orders(["a", "b", "c", "d"]).entries()) {
          const named = (name: string) => `${name}-${inOneBatch ? "batch" : "each"}-${run}`
          const notes = new Map([
            ["a", aNote(named("a"))],
            ["b", aNote(named("b"), named("a"))],
            ["c", aNote(named("c"), named("never came"), named("b"))],
            ["d", aNote(named("d"))],
          ])
          for (const name of order) {
            yield* accepted(owner.address, aMail(notes.get(name)))
            if (!inOneBatch) yield* Engine.settle
          }
          yield* Engine.settle
          const here = (yield* listed(owner, { limit: 4 })).map(({ subject, threadId }) => [
            subject,
            threadId,
          ])
          const threadOf = new Map(here.map(([subject = "", threadId]) => [subject.slice(0, 1), threadId]))
          expect(threadOf.get("b")).toBe(threadOf.get("a"))
          expect(threadOf.get("c")).toBe(threadOf.get("a"))
          expect(threadOf.get("d")).not.toBe(threadOf.get("a"))
        }
      }
    }),
  )

  rule(
    "contains two answers to a mail that never arrived",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* arrive(owner, aNote("b", "a"), aNote("c", "a"), aNote("d"))
      expect(yield* groups(owner)).toEqual([["b", "c"], ["d"]])
    }),
  )

  rule(
    "does not span mailboxes",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      yield* received([owner.address, other.address], aNote("a"))
      yield* received(other.address, aNote("b", "a"))
      const [mine, theirs] = yield* Effect.all([threadIdOf(owner, "a"), threadIdOf(other, "a")])
      expect(mine).not.toBe(theirs)
      expect((yield* readThread(owner, mine)).subjects).toEqual(["a"])
      expect((yield* readThread(other, theirs)).subjects).toEqual(["a", "b"])
      expect(yield* refused(readThread(owner, theirs))).toMatchObject({
        _tag: "NotFound",
        resource: "thread",
      })
    }),
  )
})

describe("two threads that are merged", () => {
  const merged = Effect.gen(function* () {
    const owner = yield* paying()
    yield* arrive(owner, aNote("old"))
    yield* TestClock.adjust("1 minute")
    yield* arrive(owner, aNote("young"))
    const [old, young] = yield* Effect.all([threadIdOf(owner, "old"), threadIdOf(owner, "young")])
    yield* TestClock.adjust("1 minute")
    yield* arrive(owner, aNote("bridge", "young", "old"))
    return { owner, old, young }
  })

  rule(
    "keep the id of the older one",
    Effect.gen(function* () {
      const { owner, old } = yield* merged
      expect(yield* groups(owner)).toEqual([["bridge", "old", "young"]])
      expect(yield* threadIdOf(owner, "young")).toBe(old)
      expect((yield* threadsOf(owner)).threads).toMatchObject([
        { id: old, subject: "old", messageCount: 3, lastMessageAt: "2026-03-10T12:02:00.000Z" },
      ])
      expect((yield* receivedOf(owner)).at(-1)?.thread_id).toBe(old)
    }),
  )

  rule(
    "are found by the other id too, in a read and as a filter",
    Effect.gen(function* () {
      const { owner, old, young } = yield* merged
      const found = yield* readThread(owner, young)
      expect(found).toMatchObject({ thread: { id: old }, subjects: ["old", "young", "bridge"] })
      expect(subjectsOf(yield* listed(owner, { threadId: young }))).toEqual(["bridge", "young", "old"])
    }),
  )

  rule(
    "are found by every earlier id",
    Effect.gen(function* () {
      const owner = yield* paying()
      const names = ["first", "second", "third"]
      for (const name of names) {
        yield* arrive(owner, aNote(name))
        yield* TestClock.adjust("1 minute")
      }
      const ids = yield* Effect.forEach(names, (name) => threadIdOf(owner, name))
      yield* arrive(owner, aNote("x", "third", "second"), aNote("y", "second", "first"))
      for (const id of ids)
        expect((yield* readThread(owner, id)).subjects).toEqual(["first", "second", "third", "x", "y"])
      expect((yield* threadsOf(owner)).threads).toHaveLength(1)
    }),
  )
})

const TAGGED = "agent+shop@acme.mailroom.localhost"

describe("an answer without headers to thread by", () => {
  const lunch: MailText = { subject: "Lunch", id: idOf("lunch") }
  const answer = (over: MailText = {}): MailText => ({ subject: "Re: Lunch", id: null, ...over })

  for (const subject of ["Re: Lunch", "AW: lunch", "Fwd: Re:  LUNCH"])
    rule(
      `joins the thread with its subject: ${subject}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* arrive(owner, lunch, answer({ subject }))
        expect(yield* groups(owner)).toHaveLength(1)
      }),
    )

  for (const [why, mail, first = lunch] of [
    ["it is no reply", answer({ subject: "Lunch" })],
    ["the subject is another", answer({ subject: "Re: Dinner" })],
    ["nobody but the mailbox is in both", answer({ from: "eve@elsewhere.org" })],
    [
      "nobody but a tagged address of the mailbox is in both",
      answer({ from: "eve@elsewhere.org", to: TAGGED }),
      { ...lunch, to: TAGGED },
    ],
    ["it has a Message-ID", answer({ id: idOf("answer") })],
  ] as const)
    rule(
      `starts a thread when ${why}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* arrive(owner, first, mail)
        expect(yield* groups(owner)).toHaveLength(2)
      }),
    )

  rule(
    "joins the newest such thread",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* arrive(owner, lunch)
      yield* TestClock.adjust("1 day")
      yield* arrive(owner, { ...lunch, id: idOf("lunch-again") }, answer())
      const [newest, older] = (yield* threadsOf(owner)).threads
      expect([newest?.messageCount, older?.messageCount]).toEqual([2, 1])
    }),
  )

  rule(
    "joins its thread also when others had mail with the same subject since",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* arrive(owner, lunch)
      yield* TestClock.adjust("1 hour")
      const others = Array.from({ length: 25 }, (_, index) => `guest${index}@elsewhere.org`)
      yield* arrive(owner, ...others.map((from) => ({ ...lunch, from, id: `<${from}>` })))
      yield* arrive(owner, answer())
      expect(yield* groups(owner)).toContainEqual(["Lunch", "Re: Lunch"])
    }),
  )

  rule(
    "joins a thread that was active in the last 30 days",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* arrive(owner, lunch)
      yield* TestClock.setTime(NOON + 30 * DAY)
      yield* arrive(owner, answer())
      expect(yield* groups(owner)).toHaveLength(1)
      yield* TestClock.setTime(NOON + 60 * DAY + 1)
      yield* arrive(owner, answer())
      expect(yield* groups(owner)).toHaveLength(2)
    }),
  )
})
