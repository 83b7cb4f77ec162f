/** Accepted mail is not lost, and is delivered once. */
import { describe, expect } from "@effect/vitest"
import {
  Array,
  Context,
  Clock,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Option,
  Stream,
  TestClock,
} from "effect"
import { attemptsMaxAfter } from "@mailroom/domain"
import { DeliveryWorker, Engine, MessageStore, MimeParser, RawMailStore } from "@mailroom/engine"
import { accepted, aMail, received } from "./support/arrivals.js"
import { BlobShelf, watchedBlobs } from "./support/blobs.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { unverified } from "./support/owners.js"
import { accountOf, arrivalsOf, eventsOf, listed, newest, subjectsOf } from "./support/reading.js"

const drain = Effect.flatMap(DeliveryWorker, (worker) => worker.drain)

describe("mail that was accepted", () => {
  rule(
    "is delivered once after its worker died, when the lease expires",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* accepted(owner.address, aMail({ subject: "Kept" }))
      const queue = yield* RawMailStore
      const now = yield* Clock.currentTimeMillis
      const claimed = yield* queue.claim({
        lane: "fast",
        through: now,
        except: [],
        limits: { mails: 64, bytes: 1_000_000 },
        now,
        leaseUntil: now + 120_000,
      })
      expect(claimed).toHaveLength(1)

      expect(yield* drain).toBe(0)
      yield* TestClock.adjust("2 minutes")
      expect(yield* drain).toBe(1)
      expect(yield* drain).toBe(0)
      expect(subjectsOf(yield* listed(owner))).toEqual(["Kept"])
      expect(yield* eventsOf(owner)).toHaveLength(1)
    }),
  )

  ruleWith(watchedBlobs)(
    "stays in the queue while the blob store fails, and is not stored in part",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const shelf = yield* BlobShelf
      yield* shelf.full(true)
      const files = [{ name: "a.bin", bytes: Buffer.alloc(10) }]
      yield* accepted(owner.address, aMail({ subject: "Kept", files }))
      expect(Exit.isFailure(yield* Effect.exit(drain))).toBe(true)
      expect(yield* listed(owner)).toEqual([])
      expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundCount: 0, storageUsedBytes: 0 })

      yield* shelf.full(false)
      yield* TestClock.adjust("2 minutes")
      expect(yield* drain).toBe(1)
      expect(yield* listed(owner)).toMatchObject([{ subject: "Kept", attachments: [{ sizeBytes: 10 }] }])
      expect(yield* eventsOf(owner)).toHaveLength(1)
    }),
  )

  rule(
    "is delivered by the running workers without delay",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* Layer.build(Engine.workers)
      const events = yield* arrivalsOf(owner)
      yield* accepted(owner.address, aMail({ subject: "Live" }))
      expect(Option.isSome(yield* Stream.runHead(events))).toBe(true)
      expect(subjectsOf(yield* listed(owner))).toEqual(["Live"])
    }),
  )
})

describe("mail whose process died again and again soon after its start", () => {
  rule(
    "keeps its attempts until a process has delivered for a while, and is then read",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* accepted(owner.address, aMail({ subject: "Kept" }))
      const queue = yield* RawMailStore
      for (let start = 1; start <= 50; start++) {
        const now = yield* Clock.currentTimeMillis
        yield* queue.claim({
          lane: "fast",
          through: Number.MAX_SAFE_INTEGER,
          except: [],
          attemptsMax: attemptsMaxAfter(600),
          limits: { mails: 64, bytes: 1_000_000 },
          now,
          leaseUntil: now + 1,
        })
        yield* TestClock.adjust("1 second")
      }
      yield* Layer.build(Engine.workers)
      const events = yield* arrivalsOf(owner)
      yield* accepted(owner.address, aMail({ subject: "New" }))
      yield* Stream.runHead(events)
      expect(subjectsOf(yield* listed(owner))).toEqual(["New"])

      const next = yield* Effect.fork(Stream.runHead(events))
      yield* TestClock.adjust("10 seconds")
      yield* next
      expect(subjectsOf(yield* listed(owner)).sort()).toEqual(["Kept", "New"])
    }),
  )
})

class FirstRead extends Context.Tag("test/FirstRead")<
  FirstRead,
  { readonly begun: Deferred.Deferred<void>; readonly mayEnd: Deferred.Deferred<void> }
>() {}

/** A parser without a time limit in the fast lane. */
const withoutLimit =
  (parse: typeof MimeParser.Service.parse): typeof MimeParser.Service.parseFast =>
  (raws) =>
    Effect.map(parse(raws), Array.map(Option.some))

/** A parser whose first mail takes as long as the test decides. */
const slowAtFirst = Layer.effectContext(
  Effect.gen(function* () {
    const parser = yield* MimeParser
    const begun = yield* Deferred.make<void>()
    const mayEnd = yield* Deferred.make<void>()
    const parse: typeof parser.parse = (raws) =>
      Effect.gen(function* () {
        const isFirst = raws.length > 0 && (yield* Deferred.succeed(begun, undefined))
        if (isFirst) yield* Deferred.await(mayEnd)
        return yield* parser.parse(raws)
      })
    return Context.make(MimeParser, { parse, parseFast: withoutLimit(parse) }).pipe(
      Context.add(FirstRead, { begun, mayEnd }),
    )
  }),
)

/** A parser that dies at one mail. */
const breaksOnPoison = Layer.effect(
  MimeParser,
  Effect.map(MimeParser, (parser) => {
    const parse: typeof parser.parse = (raws) =>
      raws.some((raw) => new TextDecoder().decode(raw).includes("poison"))
        ? Effect.dieMessage("the parser broke")
        : parser.parse(raws)
    return { parse, parseFast: withoutLimit(parse) }
  }),
)

describe("a mail whose reading", () => {
  ruleWith(slowAtFirst)(
    "takes longer than the lease is delivered only by the worker that holds the lease",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { begun, mayEnd } = yield* FirstRead
      yield* accepted(owner.address, aMail({ subject: "Slow" }))
      const late = yield* Effect.fork(drain)
      yield* Deferred.await(begun)
      yield* TestClock.adjust("3 minutes")
      expect(yield* drain).toBe(1)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(late)
      expect(subjectsOf(yield* listed(owner))).toEqual(["Slow"])
      expect(yield* eventsOf(owner)).toHaveLength(1)
      expect((yield* accountOf(owner)).monthlyInboundCount).toBe(1)
    }),
  )

  ruleWith(breaksOnPoison)(
    "fails ten times is kept as raw bytes only, and does not delay other mail",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const poison = aMail({ subject: "Bad", text: "poison" })
      yield* accepted(owner.address, poison)
      yield* accepted(owner.address, aMail({ subject: "Good" }))
      yield* drain
      expect(subjectsOf(yield* listed(owner))).toEqual(["Good"])
      for (let attempt = 2; attempt <= 10; attempt++) {
        yield* TestClock.adjust("2 minutes")
        yield* drain
        expect(yield* listed(owner)).toHaveLength(1)
      }
      yield* TestClock.adjust("2 minutes")
      yield* drain
      expect(subjectsOf(yield* listed(owner))).toEqual(["", "Good"])
      const unread = yield* newest(owner)
      expect(unread).toMatchObject({ status: "RECEIVED", bodyText: "", fromAddress: "ada@elsewhere.org" })
      const [messages, raws] = yield* Effect.all([MessageStore, RawMailStore])
      const { rawId } = yield* Effect.flatten(messages.byId(owner.mailboxId, unread.id))
      const raw = yield* Effect.flatten(rawId === null ? Effect.succeedNone : raws.byId(rawId))
      expect(raw.content.kind === "inline" && Buffer.compare(raw.content.bytes, poison)).toBe(0)
      yield* received(owner.address, { subject: "Next" })
      expect((yield* newest(owner)).subject).toBe("Next")
    }),
  )
})
