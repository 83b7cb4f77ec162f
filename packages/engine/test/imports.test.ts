/** Imports of old mail (docs/specification/messages.md#import, docs/decisions/0076). */
import { describe, expect } from "@effect/vitest"
import {
  anyArrival,
  GB,
  HOUR,
  IMPORTS_AHEAD_MAX,
  MESSAGE_MAX_BYTES,
  SECOND,
  timestamp,
} from "@mailroom/domain"
import { MessageChanges, Messages, MimeParser, Waits } from "@mailroom/engine"
import { Context, Deferred, Effect, Fiber, Layer, Ref, Stream, TestClock } from "effect"
import { aMail, proveSender, received, SENDER } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { changeAccount } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import { imported } from "./support/imports.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { as, paying } from "./support/owners.js"
import { accountOf, eventsOf, listed, mailboxOf, page, subjectsOf, threadsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { send } from "./support/sends.js"
import { claim } from "./support/sharing.js"

const OLD = "Fri, 5 Jan 2018 10:00:00 +0100"
const OLD_TIME = "2018-01-05T09:00:00.000Z"
const dated = (date: string, ...more: ReadonlyArray<string>) => ["Date: " + date, ...more]

describe("an imported mail", () => {
  rule(
    "is a message of the time when it was received, read, with its attachments, which count for the storage",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { subject: "New" })
      const files = [{ name: "a.bin", bytes: Buffer.from("12345") }]
      const { isNew, message } = yield* imported(
        owner,
        aMail({ subject: "Old", to: owner.address, files, headers: dated(OLD), id: "<old@elsewhere.org>" }),
        { labels: ["archive", "archive"] },
      )
      expect(isNew).toBe(true)
      expect(message).toMatchObject({
        status: "RECEIVED",
        labels: ["archive"],
        readAt: NOON,
        claim: { state: "COMPLETED", expiresAt: null, claimedBy: null },
        content: { createdAt: OLD_TIME, receivedAt: OLD_TIME, deliveredTo: owner.address },
      })
      expect(subjectsOf(yield* listed(owner))).toEqual(["New", "Old"])
      expect(subjectsOf(yield* listed(owner, { since: NOON - HOUR }))).toEqual(["New"])
      const messages = yield* Messages
      expect(yield* messages.get(yield* as(owner), owner.mailboxId, message.content.id)).toEqual(message)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(5)
    }),
  )

  rule(
    "emits no event, ends no wait, is claimed by nobody and counts in no quota",
    Effect.gen(function* () {
      const owner = yield* paying()
      const before = [yield* eventsOf(owner), yield* accountOf(owner), yield* mailboxOf(owner)]
      yield* imported(owner, aMail({ to: owner.address }))
      yield* imported(owner, aMail({ from: owner.address, to: SENDER }))
      expect([yield* eventsOf(owner), yield* accountOf(owner), yield* mailboxOf(owner)]).toEqual(before)
      expect(yield* claim(owner)).toBeNull()
      const waits = yield* Waits
      const { message } = yield* waits.wait(yield* as(owner), {
        mailboxId: owner.mailboxId,
        filter: anyArrival,
        from: { since: 0 },
        timeoutSeconds: 0,
        stopped: Effect.never,
      })
      expect(message).toBeNull()
    }),
  )

  rule(
    "is nobody's proof: its sender is not verified, and stays unknown to the mailbox",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* proveSender
      const results = "Authentication-Results: mx.elsewhere.org; dmarc=pass header.from=elsewhere.org"
      const { message } = yield* imported(owner, aMail({ headers: [results] }))
      expect(message.content).toMatchObject({
        authentication: null,
        trust: { level: "unverified", reasons: [] },
        spam: null,
      })
      yield* imported(owner, aMail({ from: owner.address, to: SENDER }))
      yield* received(owner.address)
      const [arrived] = yield* listed(owner)
      expect(arrived?.trust?.level).toBe("verified")
    }),
  )

  rule(
    "is automated if its fields say so, or a null return path that the last server wrote down",
    Effect.gen(function* () {
      const owner = yield* paying()
      const automated = (...headers: ReadonlyArray<string>) =>
        Effect.map(
          imported(owner, aMail({ id: `<${headers.join("").length}@elsewhere.org>`, headers })),
          ({ message }) => message.content.automated,
        )
      expect(yield* automated()).toBe(false)
      expect(yield* automated("Return-Path: <ada@elsewhere.org>")).toBe(false)
      expect(yield* automated("Return-Path: <>")).toBe(true)
      expect(yield* automated("Precedence: bulk")).toBe(true)
      const { message } = yield* imported(
        owner,
        aMail({ from: owner.address, to: SENDER, id: "<out@x.org>" }),
      )
      expect(message.content).toMatchObject({ direction: "OUTBOUND", automated: false })
    }),
  )

  rule(
    "from the mailbox is a sent message, unless the request says otherwise",
    Effect.gen(function* () {
      const owner = yield* paying()
      const [local = "", domain = ""] = owner.address.split("@")
      const mine = aMail({ from: `${local}+old@${domain}`, to: SENDER, headers: dated(OLD) })
      const { message } = yield* imported(owner, mine, { read: false })
      expect(message).toMatchObject({
        status: "SENT",
        readAt: null,
        claim: null,
        sentAt: Date.parse(OLD),
        content: { direction: "OUTBOUND", receivedAt: null, trust: null, toAddresses: [SENDER] },
      })
      const other = yield* imported(owner, aMail({ subject: "Out" }), { direction: "OUTBOUND" })
      expect(other.message.status).toBe("SENT")
    }),
  )

  rule(
    "joins the thread of its references, whichever of the mails comes first",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, {
        subject: "Re: Plan",
        references: ["<1@x.org>", "<2@x.org>"],
        id: "<3@x.org>",
      })
      yield* imported(owner, aMail({ subject: "Re: Plan", inReplyTo: "<1@x.org>", id: "<2@x.org>" }))
      yield* imported(owner, aMail({ subject: "Plan", id: "<1@x.org>", headers: dated(OLD) }))
      const { threads } = yield* threadsOf(owner)
      expect(threads).toMatchObject([
        {
          messageCount: 3,
          subject: "Plan",
          createdAt: timestamp(Date.parse(OLD)),
          lastMessageAt: "2026-03-10T12:00:00.000Z",
        },
      ])
    }),
  )

  rule(
    "without references stays out of threads that began much later",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { subject: "Re: Lunch" })
      yield* imported(owner, aMail({ subject: "Re: Lunch", headers: dated(OLD) }))
      yield* imported(owner, aMail({ subject: "AW: Lunch", text: "Another.", headers: dated(OLD) }))
      const { threads } = yield* threadsOf(owner)
      expect(threads.map(({ messageCount }) => messageCount)).toEqual([1, 2])
    }),
  )

  rule(
    "pages by cursor beside the mail that came, each message once",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { subject: "2026" })
      yield* imported(owner, aMail({ subject: "2018", headers: dated(OLD) }))
      const first = yield* page(owner, { limit: 1 })
      yield* imported(owner, aMail({ subject: "2017", headers: dated("Thu, 5 Jan 2017 10:00:00 +0100") }))
      yield* TestClock.adjust(SECOND)
      yield* received(owner.address, { subject: "now" })
      expect(subjectsOf(yield* listed(owner, { before: first.page.last }))).toEqual(["2018", "2017"])
    }),
  )
})

describe("the same mail", () => {
  rule(
    "again is the message that is there, which does not change",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mails = [aMail({ id: "<1@x.org>" }), aMail({ subject: "No id" }), Buffer.from("no mail at all")]
      for (const mail of mails) {
        const first = yield* imported(owner, mail, { labels: ["a"] })
        expect(yield* imported(owner, mail, { labels: ["b"], read: false })).toEqual({
          isNew: false,
          message: first.message,
        })
      }
      expect(yield* listed(owner)).toHaveLength(3)
    }),
  )

  rule(
    "is found when it was received or sent before, and is not received again after its import",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { id: "<1@x.org>" })
      expect((yield* imported(owner, aMail({ id: "<1@x.org>", to: owner.address }))).isNew).toBe(false)
      yield* imported(owner, aMail({ id: "<2@x.org>", to: owner.address }))
      yield* received(owner.address, { id: "<2@x.org>" })
      expect(yield* listed(owner)).toHaveLength(2)
      const sent = yield* send(owner)
      const changes = yield* MessageChanges
      const { content } = yield* changes.source(yield* as(owner), owner.mailboxId, sent.content.id)
      const raw = Buffer.concat([...(yield* Stream.runCollect(content))])
      expect(yield* imported(owner, raw)).toMatchObject({ isNew: false, message: { content: sent.content } })
      expect((yield* imported(owner, Buffer.concat([raw, Buffer.from("more")]))).isNew).toBe(true)
    }),
  )

  ruleWith(takingTurns)(
    "in concurrent imports is stored once",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mail = aMail({ id: "<1@x.org>" })
      const results = yield* Effect.all(
        Array.from({ length: 4 }, () => imported(owner, mail)),
        {
          concurrency: "unbounded",
        },
      )
      expect(results.filter(({ isNew }) => isNew)).toHaveLength(1)
      expect(new Set(results.map(({ message }) => message.content.id)).size).toBe(1)
    }),
  )
})

describe("the time of an imported mail", () => {
  rule(
    "is the one that is given, that of its topmost Received field, that of its Date, or now; never later than now",
    Effect.gen(function* () {
      const owner = yield* paying()
      const hop = (date: string) => `Received: from a.org by b.org; ${date} (CET)`
      const timeOf = (headers: ReadonlyArray<string>, receivedAt: number | null = null) =>
        Effect.map(
          imported(owner, aMail({ headers, text: `${headers.join()}${receivedAt}` }), { receivedAt }),
          ({ message }) => message.createdAt,
        )
      const [later, earlier] = ["Mon, 8 Jan 2018 10:00:00 +0100", "Sun, 7 Jan 2018 10:00:00 +0100"]
      const hops = [hop(later), hop(earlier), ...dated(OLD)]
      expect(yield* timeOf(hops, 1000)).toBe(1000)
      expect(yield* timeOf(hops)).toBe(Date.parse(later))
      expect(yield* timeOf(["Received: by a.org 7", ...dated(OLD)])).toBe(Date.parse(OLD))
      for (const headers of [[], dated("yesterday"), dated("Fri, 5 Jan 1968 10:00:00 +0100")])
        expect(yield* timeOf(headers)).toBe(NOON)
      expect(yield* timeOf(dated("Fri, 5 Jan 2029 10:00:00 +0100"))).toBe(NOON)
      expect(yield* timeOf([], NOON + HOUR)).toBe(NOON)
    }),
  )
})

/** A parser that holds mail with this subject until the test lets it go on, and counts it. */
class SlowParser extends Context.Tag("test/SlowParser")<
  SlowParser,
  { readonly mayEnd: Deferred.Deferred<void>; readonly begun: Ref.Ref<number> }
>() {}

const slowParser = Layer.effectContext(
  Effect.gen(function* () {
    const parser = yield* MimeParser
    const mayEnd = yield* Deferred.make<void>()
    const begun = yield* Ref.make(0)
    const parse: typeof parser.parse = (raws) =>
      raws.some((raw) => Buffer.from(raw).includes("Subject: Slow"))
        ? Effect.zipRight(
            Ref.update(begun, (count) => count + 1),
            Effect.zipRight(Deferred.await(mayEnd), parser.parse(raws)),
          )
        : parser.parse(raws)
    return Context.make(MimeParser, { ...parser, parse }).pipe(Context.add(SlowParser, { mayEnd, begun }))
  }),
)

describe("an import that is slow to parse", () => {
  ruleWith(slowParser)(
    "delays those of its own account only, one of which is parsed at a time",
    Effect.gen(function* () {
      const [hostile, quiet] = [yield* paying("hostile"), yield* paying("quiet")]
      const { mayEnd, begun } = yield* SlowParser
      const slow = yield* Effect.forEach(["1", "2", "3"], (id) =>
        Effect.fork(imported(hostile, aMail({ subject: "Slow", id: `<${id}@elsewhere.org>` }))),
      )
      yield* Effect.repeat(Ref.get(begun), { until: (count) => count > 0 })
      expect((yield* imported(quiet, aMail({ subject: "Quick" }))).isNew).toBe(true)
      expect(yield* Ref.get(begun)).toBe(1)
      yield* Deferred.succeed(mayEnd, undefined)
      for (const one of slow) expect((yield* Fiber.join(one)).isNew).toBe(true)
    }),
  )
})

describe("an import", () => {
  ruleWith(watchedBlobs)(
    "beyond the storage limit or 40 MB is refused and leaves no blob",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { storageLimitBytes } = yield* accountOf(owner)
      expect(storageLimitBytes).toBeGreaterThanOrEqual(GB)
      yield* changeAccount(owner, { storageUsedBytes: storageLimitBytes - 300_000 })
      const mail = aMail({ files: [{ name: "a.bin", bytes: Buffer.alloc(300_001, 7) }] })
      expect(yield* refused(imported(owner, mail))).toMatchObject({ _tag: "StorageFull" })
      expect(yield* refused(imported(owner, mail, { sizeBytes: MESSAGE_MAX_BYTES + 1 }))).toMatchObject({
        _tag: "SizeExceeded",
      })
      expect(yield* blobKeys).toEqual([])
      yield* changeAccount(owner, { storageUsedBytes: 0 })
      yield* imported(owner, mail)
      const kept = yield* blobKeys
      expect(kept).toHaveLength(1)
      yield* TestClock.adjust(IMPORTS_AHEAD_MAX)
      yield* imported(owner, mail)
      expect(yield* blobKeys).toEqual(kept)
    }),
  )

  rule(
    "of an account that is 2 s ahead of 50 mails a second waits; those of others do not",
    Effect.gen(function* () {
      const [owner, other] = [yield* paying("acme"), yield* paying("other")]
      const next = (n: number) => imported(owner, aMail({ id: `<${n}@x.org>` }))
      yield* Effect.forEach(Array.from({ length: 101 }), (_, n) => next(n))
      expect(yield* refused(next(101))).toMatchObject({ _tag: "RateLimited", retryAfter: 1 })
      yield* imported(other, aMail())
      yield* TestClock.adjust(SECOND)
      expect((yield* next(101)).isNew).toBe(true)
    }),
  )
})
