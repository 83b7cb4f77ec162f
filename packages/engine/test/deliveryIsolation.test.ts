/** A mail that fails in the deliver stage does not affect other mail (docs/decisions/0046). */
import { describe, expect } from "@effect/vitest"
import { BLOB_DRAFT_KEPT_FOR, HOUR } from "@mailroom/domain"
import {
  DeliveryWorker,
  Engine,
  Mailboxes,
  MailSpool,
  MessageChanges,
  MessageStore,
  MimeParser,
  RawMailStore,
  StorageFailure,
} from "@mailroom/engine"
import { eventLoopTurns } from "@mailroom/test-services"
import { Array, Clock, Context, Deferred, Effect, Exit, Layer, Option, Ref, Stream, TestClock } from "effect"
import { accepted, aMail, envelopeTo, received, SENDER } from "./support/arrivals.js"
import { blobKeys, BlobShelf, watchedBlobs } from "./support/blobs.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { accountOf, arrivalsOf, eventsOf, listed, subjectsOf } from "./support/reading.js"
import { returnPathOf } from "./support/reports.js"
import { send } from "./support/sends.js"

const drain = Effect.flatMap(DeliveryWorker, (worker) => worker.drain)

type Reason = StorageFailure["reason"]

/** Fails inserts with a message of this subject, after the first few. `times`: how often; always by default. */
interface Failure {
  readonly subject: string
  readonly reason: Reason
  readonly after?: number
  readonly times?: number
}

/** Controls the failures of a message store. */
class Failing extends Context.Tag("test/Failing")<
  Failing,
  {
    readonly on: Ref.Ref<Failure | null>
    /** The number of inserts, including failed ones. */
    readonly inserts: Ref.Ref<number>
  }
>() {}

const failingInserts = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* MessageStore
    const on = yield* Ref.make<Failure | null>(null)
    const inserts = yield* Ref.make(0)
    const insert: typeof store.insert = (messages) =>
      Effect.gen(function* () {
        yield* Ref.update(inserts, (count) => count + 1)
        const failure = yield* Ref.get(on)
        const { after = 0 } = failure ?? {}
        if (failure !== null && messages.some(({ content }) => content.subject === failure.subject)) {
          if (after === 0) {
            if (failure.times !== undefined)
              yield* Ref.set(on, failure.times > 1 ? { ...failure, times: failure.times - 1 } : null)
            return yield* Effect.die(new StorageFailure({ reason: failure.reason, cause: "as told" }))
          }
          yield* Ref.set(on, { ...failure, after: after - 1 })
        }
        yield* store.insert(messages)
      })
    return Context.make(MessageStore, { ...store, insert }).pipe(Context.add(Failing, { on, inserts }))
  }),
)

/** A store that is unavailable as a whole while its messages cannot be written. */
const awayWithMessages = Layer.effect(
  RawMailStore,
  Effect.gen(function* () {
    const store = yield* RawMailStore
    const { on } = yield* Failing
    return {
      ...store,
      backlog: (max: number) =>
        Effect.flatMap(Ref.get(on), (failure) =>
          failure?.reason === "unavailable"
            ? Effect.die(new StorageFailure({ reason: "unavailable", cause: "as told" }))
            : store.backlog(max),
        ),
    }
  }),
).pipe(Layer.provideMerge(failingInserts))

/** A mail with a file that is no part of the raw mail: it gets a blob of its own. */
const withEncodedFile = (subject: string) =>
  Buffer.from(
    [
      `From: ${SENDER}`,
      `Subject: ${subject}`,
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="edge"',
      "",
      "--edge",
      "Content-Type: text/csv",
      "Content-Transfer-Encoding: quoted-printable",
      'Content-Disposition: attachment; filename="prices.csv"',
      "",
      "caf=C3=A9;2",
      "--edge--",
      "",
    ].join("\r\n"),
  )

const fileBlobs = Effect.map(blobKeys, (keys) => keys.filter((key) => key.startsWith("attachments/")))

describe("the files of a mail", () => {
  ruleWith(Layer.merge(failingInserts, watchedBlobs))(
    "are kept with its message, and removed when the mail is delivered without them",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { on } = yield* Failing
      yield* accepted(owner.address, withEncodedFile("Good"))
      yield* drain
      const kept = yield* fileBlobs
      expect(kept).toHaveLength(1)
      yield* Ref.set(on, { subject: "Bad", reason: "unexpected" })
      yield* accepted(owner.address, withEncodedFile("Bad"))
      yield* drain
      expect(yield* fileBlobs).toHaveLength(2)
      for (let hour = 0; hour < 24; hour++) yield* Effect.zipRight(TestClock.adjust("1 hour"), Engine.settle)
      const messages = yield* listed(owner)
      expect(messages.map(({ attachments }) => attachments.length).sort((a, b) => a - b)).toEqual([0, 1])
      expect(yield* fileBlobs).toEqual(kept)
    }),
  )
})

describe("a batch that cannot be written", () => {
  for (const reason of ["exceeded", "unexpected", "unavailable"] as const)
    ruleWith(failingInserts)(
      `is halved until the mail that is to blame is alone: ${reason}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        const { on, inserts } = yield* Failing
        yield* Ref.set(on, { subject: "Mail 13", reason })
        for (let number = 1; number <= 64; number++)
          yield* accepted(owner.address, aMail({ subject: `Mail ${number}` }))
        yield* drain
        const subjects = subjectsOf(yield* listed(owner, { limit: 100 }))
        expect(subjects).toHaveLength(63)
        expect(subjects).not.toContain("Mail 13")
        // 1 + 2 · log₂ 64
        expect(yield* Ref.get(inserts)).toBe(13)
        expect((yield* accountOf(owner)).monthlyInboundCount).toBe(63)

        yield* TestClock.adjust("10 seconds")
        yield* Ref.set(on, null)
        yield* drain
        expect(subjectsOf(yield* listed(owner, { limit: 1 }))).toEqual(["Mail 13"])
        expect(yield* eventsOf(owner)).toHaveLength(64)
      }),
    )

  ruleWith(failingInserts)(
    "because of an outage that has ended is written at once, also when a mail is alone",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { on } = yield* Failing
      yield* accepted(owner.address, aMail({ subject: "Kept" }))
      yield* Ref.set(on, { subject: "Kept", reason: "unavailable", times: 1 })
      yield* drain
      expect(subjectsOf(yield* listed(owner))).toEqual(["Kept"])
    }),
  )

  ruleWith(failingInserts)(
    "because one mail loses its connection each time waits for its next attempt",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { on, inserts } = yield* Failing
      yield* accepted(owner.address, aMail({ subject: "Poison" }))
      yield* Ref.set(on, { subject: "Poison", reason: "unavailable" })
      yield* drain
      expect(yield* Ref.get(inserts)).toBe(2)
      yield* TestClock.adjust("9 seconds")
      expect(yield* drain).toBe(0)
      yield* TestClock.adjust("1 second")
      expect(yield* drain).toBe(1)
    }),
  )

  ruleWith(awayWithMessages)(
    "because the store is unavailable is released when the store is back, and no attempt counts",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { on } = yield* Failing
      yield* accepted(owner.address, aMail({ subject: "Kept" }))
      yield* Ref.set(on, { subject: "Kept", reason: "unavailable" })
      for (let outage = 0; outage < 20; outage++) {
        expect(Exit.isFailure(yield* Effect.exit(drain))).toBe(true)
        yield* TestClock.adjust("1 second")
      }
      yield* Ref.set(on, null)
      expect(yield* drain).toBe(1)
      expect(subjectsOf(yield* listed(owner))).toEqual(["Kept"])
      expect(yield* eventsOf(owner)).toMatchObject([{ data: { body_text: "Hello." } }])
    }),
  )

  ruleWith(awayWithMessages)(
    "because the store is unavailable is retried each second by the running workers, without a new mail",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { on } = yield* Failing
      yield* Ref.set(on, { subject: "Kept", reason: "unavailable" })
      yield* Layer.build(Engine.workers)
      const arrivals = yield* arrivalsOf(owner)
      yield* accepted(owner.address, aMail({ subject: "Kept" }))
      yield* TestClock.adjust("1500 millis")
      yield* Ref.set(on, null)
      yield* TestClock.adjust("1 second")
      expect(Option.isSome(yield* Stream.runHead(arrivals))).toBe(true)
    }),
  )

  ruleWith(watchedBlobs)(
    "is released a second later, with the batches that were read ahead, and the workers continue",
    Effect.gen(function* () {
      const owner = yield* paying()
      const shelf = yield* BlobShelf
      yield* shelf.full(true)
      const files = [{ name: "a.bin", bytes: Buffer.alloc(10) }]
      for (let number = 1; number <= 300; number++)
        yield* accepted(owner.address, aMail({ subject: `Mail ${number}`, files }))
      yield* Layer.build(Engine.workers)
      yield* TestClock.adjust("10 seconds")
      expect(yield* listed(owner)).toEqual([])
      yield* shelf.full(false)
      yield* TestClock.adjust("5 seconds")
      yield* Effect.repeat(
        Effect.flatMap(RawMailStore, (store) => store.backlog(1)),
        {
          until: (left) => left === 0,
        },
      )
      expect(yield* eventsOf(owner)).toHaveLength(100)
      expect((yield* accountOf(owner)).monthlyInboundCount).toBe(300)
    }),
  )
})

/** Controls the mails that are too slow for the fast lane, and when the parser continues with them. */
class SlowMails extends Context.Tag("test/SlowMails")<
  SlowMails,
  { readonly mayEnd: Deferred.Deferred<void>; readonly tried: Ref.Ref<number> }
>() {}

/** A parser that gives up mail with `slow` in the fast lane, and parses it in the slow lane when the test allows it. */
const slowOnDemand = Layer.effectContext(
  Effect.gen(function* () {
    const parser = yield* MimeParser
    const mayEnd = yield* Deferred.make<void>()
    const tried = yield* Ref.make(0)
    const isSlow = (raw: Uint8Array) => new TextDecoder().decode(raw).includes("Subject: slow")
    return Context.make(MimeParser, {
      parse: (raws) =>
        Effect.zipRight(
          Effect.when(Deferred.await(mayEnd), () => raws.some(isSlow)),
          parser.parse(raws),
        ),
      parseFast: (raws) =>
        Effect.zipWith(
          Ref.update(tried, (count) => count + raws.filter(isSlow).length),
          parser.parse(raws),
          (_, mails) =>
            mails.map((mail, index) =>
              isSlow(raws[index] ?? new Uint8Array()) ? Option.none() : Option.some(mail),
            ),
        ),
    }).pipe(Context.add(SlowMails, { mayEnd, tried }))
  }),
)

describe("mail that is slow to parse", () => {
  ruleWith(slowOnDemand)(
    "waits in the slow lane, and delays no other mail",
    Effect.gen(function* () {
      const hostile = yield* paying("hostile")
      const quiet = yield* paying("quiet")
      const { mayEnd, tried } = yield* SlowMails
      yield* Layer.build(Engine.workers)
      for (let number = 1; number <= 5; number++)
        yield* accepted(hostile.address, aMail({ subject: `slow ${number}` }))
      yield* TestClock.adjust("20 seconds")
      yield* accepted(quiet.address, aMail({ subject: "Quick" }))
      yield* TestClock.adjust("1 second")
      yield* Effect.repeat(listed(quiet), { until: (messages) => messages.length === 1 })
      expect(yield* listed(hostile)).toEqual([])

      yield* Deferred.succeed(mayEnd, undefined)
      yield* TestClock.adjust("1 minute")
      yield* Effect.repeat(listed(hostile), { until: (messages) => messages.length === 5 })
      // Each was tried once in the fast lane.
      expect(yield* Ref.get(tried)).toBe(5)
    }),
  )
})

describe("a large mail for many mailboxes", () => {
  ruleWith(failingInserts)(
    "is written in parts, and continues after the last written part",
    Effect.gen(function* () {
      const owners = yield* Effect.forEach(["one", "two", "three", "four", "five"], (slug) =>
        unverified(slug),
      )
      const { on, inserts } = yield* Failing
      const lines = "A line of text.\r\n".repeat(350_000)
      const large = aMail({ subject: "Large", text: lines })
      yield* accepted(
        owners.map(({ address }) => address),
        large,
      )
      yield* drain
      // Two mailboxes a transaction.
      expect(yield* Ref.get(inserts)).toBe(3)
      for (const owner of owners) expect(yield* listed(owner)).toMatchObject([{ subject: "Large" }])

      yield* accepted(
        owners.map(({ address }) => address),
        aMail({ subject: "Again", text: lines }),
      )
      yield* Ref.set(on, { subject: "Again", reason: "unexpected", after: 1 })
      yield* drain
      expect(
        yield* Effect.map(
          Effect.forEach(owners, (owner) => listed(owner)),
          (lists) => lists.flat(),
        ),
      ).toHaveLength(7)
      yield* Ref.set(on, null)
      yield* TestClock.adjust("10 seconds")
      yield* drain
      for (const owner of owners) expect(yield* listed(owner)).toHaveLength(2)
    }),
  )
})

describe("a large mail for many addresses of one mailbox", () => {
  rule(
    "is one message",
    Effect.gen(function* () {
      const owner = yield* unverified("one")
      const addresses = ["a", "b", "c"].map((tag) => owner.address.replace("@", `+${tag}@`))
      yield* accepted(addresses, aMail({ subject: "Large", text: "A line of text.\r\n".repeat(350_000) }))
      yield* drain
      expect(yield* listed(owner)).toHaveLength(1)
    }),
  )
})

describe("mail that was accepted before the clock was set back", () => {
  rule(
    "is delivered at once",
    Effect.gen(function* () {
      const owner = yield* unverified("one")
      yield* accepted(owner.address, aMail({ subject: "Before" }))
      yield* TestClock.setTime(NOON - HOUR)
      yield* drain
      expect(yield* listed(owner)).toMatchObject([{ subject: "Before" }])
    }),
  )
})

/** Its file is not base64, so it is stored in a blob of its own. */
const largeWithText = (subject: string): Uint8Array =>
  Buffer.from(
    [
      "From: ada@elsewhere.org",
      `Subject: ${subject}`,
      'Content-Type: multipart/mixed; boundary="edge"',
      "",
      "--edge",
      "Content-Type: text/plain",
      "",
      "A line of text.\r\n".repeat(350_000),
      "--edge",
      'Content-Type: text/csv; name="list.csv"',
      'Content-Disposition: attachment; filename="list.csv"',
      "",
      "a,b",
      "--edge--",
      "",
    ].join("\r\n"),
  )

/** Three owners of whom two have a large mail, and the third gets it later. */
const servedInPart = Effect.gen(function* () {
  const owners = yield* Effect.forEach(["one", "two", "three"], (slug) => unverified(slug))
  const { on } = yield* Failing
  yield* Ref.set(on, { subject: "Large", reason: "unexpected", after: 1 })
  yield* accepted(
    owners.map(({ address }) => address),
    largeWithText("Large"),
  )
  yield* drain
  return owners
})

const files = Effect.map(blobKeys, (keys) => keys.filter((key) => key.startsWith("attachments/")))

describe("a large mail for many mailboxes, of which the first delete their message", () => {
  ruleWith(Layer.merge(failingInserts, watchedBlobs))(
    "keeps its file for the others while it is in the queue",
    Effect.gen(function* () {
      const owners = yield* servedInPart
      const { on } = yield* Failing
      const removeAll = Effect.gen(function* () {
        const changes = yield* MessageChanges
        for (const owner of owners)
          for (const { id } of yield* listed(owner))
            yield* changes.remove(yield* as(owner), owner.mailboxId, id)
        yield* Engine.settle
      })
      yield* removeAll
      expect(yield* files).toHaveLength(1)
      yield* Ref.set(on, null)
      yield* TestClock.adjust("1 hour")
      yield* drain
      const lists = yield* Effect.forEach(owners, (owner) => listed(owner))
      expect(lists.map(({ length }) => length)).toEqual([0, 0, 1])
      yield* removeAll
      expect(yield* files).toEqual([])
    }),
  )
})

describe("a large mail for many mailboxes, of which the last are deleted after an interruption", () => {
  ruleWith(Layer.merge(failingInserts, watchedBlobs))(
    "keeps its file for those that have it already",
    Effect.gen(function* () {
      const owners = yield* servedInPart
      const { on } = yield* Failing
      yield* Ref.set(on, null)
      const mailboxes = yield* Mailboxes
      const last = owners.at(-1)
      if (last === undefined) return
      yield* mailboxes.remove(yield* as(last), last.mailboxId)
      yield* TestClock.adjust(2 * BLOB_DRAFT_KEPT_FOR)
      yield* drain
      yield* Engine.settle
      yield* TestClock.adjust(2 * BLOB_DRAFT_KEPT_FOR)
      yield* Engine.settle
      expect(yield* files).toHaveLength(1)
    }),
  )
})

describe("a large mail for a return path and for mailboxes", () => {
  rule(
    "is delivered to the sender and to all of them when it is no report",
    Effect.gen(function* () {
      const sender = yield* paying("sender")
      yield* send(sender)
      const returnPath = yield* returnPathOf()
      const owners = yield* Effect.forEach(["one", "two", "three"], (slug) => unverified(slug))
      yield* accepted([returnPath, ...owners.map(({ address }) => address)], largeWithText("Large"))
      yield* drain
      for (const owner of [sender, ...owners])
        expect(subjectsOf(yield* listed(owner, { direction: "INBOUND" }))).toEqual(["Large"])
    }),
  )
})

describe("a large mail for many mailboxes that came before", () => {
  ruleWith(watchedBlobs)(
    "leaves nothing behind: neither its bytes nor its files",
    Effect.gen(function* () {
      const owners = yield* Effect.forEach(["one", "two", "three"], (slug) => unverified(slug))
      const spool = yield* MailSpool
      const raw = aMail({
        id: "<large@elsewhere.org>",
        text: "A line of text.\r\n".repeat(350_000),
        files: [{ name: "small.bin", bytes: Buffer.from("small") }],
      })
      const come = Effect.gen(function* () {
        const content = yield* spool.stage(Stream.make(raw))
        const to = owners.map(({ address }) => address)
        yield* spool.accept([{ envelope: envelopeTo(to, yield* Clock.currentTimeMillis), content }])
        yield* drain
      })
      yield* come
      const keys = yield* blobKeys
      yield* come
      for (const owner of owners) expect(yield* listed(owner)).toHaveLength(1)
      yield* Effect.zipRight(TestClock.adjust(2 * BLOB_DRAFT_KEPT_FOR), Engine.settle)
      expect(yield* blobKeys).toEqual(keys)
    }),
  )
})

const NEARLY_SLOW = 700 * 1024

describe("a backlog of which few mails fill a batch", () => {
  rule(
    "is delivered to its end without a new mail that wakes the workers",
    Effect.gen(function* () {
      const owner = yield* paying()
      const events = yield* arrivalsOf(owner)
      const files = [{ name: "report.bin", bytes: new Uint8Array(NEARLY_SLOW) }]
      yield* Effect.forEach(Array.range(1, 11), (number) =>
        accepted(owner.address, aMail({ subject: `Mail ${number}`, files })),
      )
      const startedAt = yield* Clock.currentTimeMillis
      yield* Layer.build(Engine.workers)
      yield* Stream.runDrain(Stream.take(events, 11))
      expect(yield* Clock.currentTimeMillis).toBe(startedAt)
    }),
  )
})

/** A parser that keeps mail with `Subject: flood` until the test allows it. */
class HeldFlood extends Context.Tag("test/HeldFlood")<HeldFlood, Deferred.Deferred<void>>() {}

const heldFlood = Layer.effectContext(
  Effect.gen(function* () {
    const parser = yield* MimeParser
    const mayEnd = yield* Deferred.make<void>()
    const isFlood = (raw: Uint8Array) => new TextDecoder().decode(raw).includes("Subject: flood")
    return Context.make(MimeParser, {
      ...parser,
      parseFast: (raws) =>
        Effect.zipRight(
          Effect.when(Deferred.await(mayEnd), () => raws.some(isFlood)),
          parser.parseFast(raws),
        ),
    }).pipe(Context.add(HeldFlood, mayEnd))
  }),
)

describe("a tenant's flood", () => {
  ruleWith(heldFlood)(
    "delays no mail of another tenant that is claimed with it",
    Effect.gen(function* () {
      const loud = yield* paying("loud")
      const quiet = yield* paying("quiet")
      for (let number = 1; number <= 5; number++)
        yield* accepted(loud.address, aMail({ subject: `flood ${number}` }))
      yield* accepted(quiet.address, aMail({ subject: "One" }))
      const quietEvents = yield* arrivalsOf(quiet)
      const loudEvents = yield* arrivalsOf(loud)
      yield* Layer.build(Engine.workers)
      yield* Stream.runHead(quietEvents)
      expect(yield* listed(loud)).toEqual([])

      yield* Deferred.succeed(yield* HeldFlood, undefined)
      yield* Stream.runDrain(Stream.take(loudEvents, 5))
      expect(subjectsOf(yield* listed(loud))).toHaveLength(5)
    }),
  )

  rule(
    "waits behind the mail of other tenants, also when it is older",
    Effect.gen(function* () {
      const loud = yield* paying("loud")
      const quiet = yield* paying("quiet")
      for (let number = 1; number <= 300; number++)
        yield* accepted(loud.address, aMail({ subject: `Mail ${number}` }))
      yield* accepted(quiet.address, aMail({ subject: "One" }))
      const store = yield* RawMailStore
      const now = yield* Clock.currentTimeMillis
      const first = yield* store.claim({
        lane: "fast",
        through: Number.MAX_SAFE_INTEGER,
        except: [],
        limits: { mails: 2, bytes: 1_000_000 },
        now,
        leaseUntil: now + 1000,
      })
      expect(first.map(({ tenant }) => tenant)).toEqual([
        "loud.mailroom.localhost",
        "quiet.mailroom.localhost",
      ])
      yield* TestClock.adjust("2 seconds")
      yield* received(quiet.address, { subject: "Two" })
      expect(subjectsOf(yield* listed(quiet)).sort()).toEqual(["One", "Two"])
      expect((yield* accountOf(loud)).monthlyInboundCount).toBe(300)
    }),
  )
})

/** The claims of mail within its tenants' shares. */
class PromptClaims extends Context.Tag("test/PromptClaims")<PromptClaims, Ref.Ref<number>>() {}

const countedClaims = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* RawMailStore
    const claims = yield* Ref.make(0)
    const claim: typeof store.claim = (terms) =>
      Effect.zipRight(
        Effect.when(
          Ref.update(claims, (count) => count + 1),
          () => terms.lane === "fast" && terms.through < Number.MAX_SAFE_INTEGER,
        ),
        store.claim(terms),
      )
    return Context.make(RawMailStore, { ...store, claim }).pipe(Context.add(PromptClaims, claims))
  }),
)

describe("mail within its tenant's share, beside a batch of the tenant's flood", () => {
  const flood = ({ address }: Owner) =>
    Effect.forEach(Array.range(1, 5), (number) => accepted(address, aMail({ subject: `flood ${number}` })))

  /** Lets the parser end, and returns the number of claims until the mails are delivered and the workers are idle. */
  const claimsUntil = (arrivals: Stream.Stream<unknown>) =>
    Effect.gen(function* () {
      const claims = yield* PromptClaims
      const before = yield* Ref.get(claims)
      yield* Deferred.succeed(yield* HeldFlood, undefined)
      yield* Stream.runDrain(arrivals)
      yield* eventLoopTurns()
      return (yield* Ref.get(claims)) - before
    })

  ruleWith(Layer.merge(heldFlood, countedClaims))(
    "is delivered as soon as the batch is written",
    Effect.gen(function* () {
      const owner = yield* paying()
      const events = yield* arrivalsOf(owner)
      yield* flood(owner)
      yield* Layer.build(Engine.workers)
      // The share allows the next mail a tenth of a second later.
      yield* TestClock.adjust("1 seconds")
      yield* accepted(owner.address, aMail({ subject: "Later" }))
      yield* eventLoopTurns()
      expect(yield* claimsUntil(Stream.take(events, 6))).toBe(1)
    }),
  )

  ruleWith(Layer.merge(heldFlood, countedClaims))(
    "is not looked for when none has come",
    Effect.gen(function* () {
      const owner = yield* paying()
      const events = yield* arrivalsOf(owner)
      yield* Layer.build(Engine.workers)
      yield* eventLoopTurns()
      yield* flood(owner)
      yield* TestClock.adjust("1 seconds")
      expect(yield* claimsUntil(Stream.take(events, 5))).toBe(0)
    }),
  )
})
