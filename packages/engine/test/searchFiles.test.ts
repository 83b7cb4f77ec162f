/** Search in the text of attachments, and mail that cannot be indexed (docs/decisions/0070). */
import { SqlClient } from "@effect/sql"
import { describe, expect } from "@effect/vitest"
import { FILE_READ_ATTEMPTS, MINUTE, parseSearchQuery, TextUnreadable } from "@mailroom/domain"
import {
  AttachmentReading,
  AttachmentText,
  AttachmentTexts,
  AttachmentTextStore,
  DeliveryWorker,
  type Document,
  Search,
  SearchIndexer,
  SearchStore,
} from "@mailroom/engine"
import { logLinesOf } from "@mailroom/test-services"
import { Effect, Exit, Layer, TestClock } from "effect"
import { accepted, aMail, received } from "./support/arrivals.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, unverified } from "./support/owners.js"
import { itemsOf, newest } from "./support/reading.js"
import { readableStores } from "./support/tables.js"

/** The subjects of the messages that match, newest first. */
const found = (owner: Owner, q: string) =>
  Effect.gen(function* () {
    const search = yield* Search
    const query = yield* parseSearchQuery(q)
    const request = { mailboxId: owner.mailboxId, query, after: null, limit: 10 }
    const { items } = yield* search.byDate(yield* as(owner), request)
    return itemsOf(items).map(({ subject }) => subject)
  })

const file = (name: string, text = `the text of ${name}`) => ({ name, bytes: Buffer.from(text) })

/** A mail with files that is delivered, and neither indexed nor read. */
const delivered = (owner: Owner, subject: string, files: ReadonlyArray<ReturnType<typeof file>>) =>
  Effect.zipRight(
    accepted(owner.address, aMail({ subject, files })),
    Effect.flatMap(DeliveryWorker, ({ drain }) => drain),
  )

const readFiles = Effect.flatMap(AttachmentReading, ({ drain }) => drain)
const index = Effect.flatMap(SearchIndexer, ({ drain }) => drain)

describe("search in the text of attachments", () => {
  rule(
    "finds the message at once, and its file as soon as it is read, before it is indexed and after it",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* delivered(owner, "Offer", [
        file("offer.txt", "one hundred euros"),
        file("terms.txt", "payable now"),
      ])
      expect(yield* found(owner, "offer -euros")).toEqual(["Offer"])
      yield* index
      yield* readFiles
      for (const isIndexed of [false, true]) {
        if (isIndexed) yield* index
        expect(yield* found(owner, '"hundred euros"')).toEqual(["Offer"])
        expect(yield* found(owner, "hello body:payable filename:terms")).toEqual(["Offer"])
        // Phrases end with their file, and an excluded word of a file excludes.
        expect(yield* found(owner, '"euros payable" OR "hello one"')).toEqual([])
        expect(yield* found(owner, "offer -euros")).toEqual([])
      }
    }),
  )

  rule(
    "finds a large file once somebody has asked for its text",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, { files: [file("large.txt", `needle ${"x".repeat(1024 * 1024)}`)] })
      expect(yield* found(owner, "needle")).toEqual([])
      const [attachment] = (yield* newest(owner)).attachments
      const texts = yield* AttachmentTexts
      if (attachment !== undefined)
        yield* texts.read(yield* as(owner), attachment.id, { offset: 0, maxChars: 10 })
      expect(yield* found(owner, "needle")).toEqual(["Hello"])
      yield* index
      expect(yield* found(owner, "needle")).toEqual(["Hello"])
    }),
  )

  const hostile = Layer.succeed(AttachmentText, {
    read: ({ filename, bytes }: Document) => {
      if (filename === "late.txt") return new TextUnreadable({ reason: "took too long" })
      if (filename === "defect.txt") return Effect.dieMessage("a bug of the reader")
      return Effect.succeed({ kind: "text", text: Buffer.from(bytes).toString(), truncated: false } as const)
    },
  })

  ruleWith(hostile)(
    "a file that cannot be read, or that the reader fails at, costs no other file its text",
    Effect.gen(function* () {
      const [one, two] = [yield* unverified("one"), yield* unverified("two")]
      const texts = yield* AttachmentTexts
      yield* delivered(one, "One", [file("good.txt"), file("late.txt"), file("defect.txt")])
      yield* delivered(two, "Two", [file("good.txt")])
      const ends = yield* Effect.replicateEffect(Effect.exit(texts.readWaiting), 4)
      expect(ends.filter(Exit.isFailure)).toHaveLength(1)
      expect(yield* texts.readWaiting).toBe(0)
      for (const [owner, subject] of [
        [one, "One"],
        [two, "Two"],
      ] as const)
        expect(yield* found(owner, '"text of good"')).toEqual([subject])
    }),
  )

  rule(
    "a file whose reading ends with the process is read again after a minute, and given up after three attempts",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const [texts, store] = [yield* AttachmentTexts, yield* AttachmentTextStore]
      yield* delivered(owner, "First", [file("a.txt")])
      const killed = (now: number) => store.claim(null, now, now + MINUTE)
      yield* killed(NOON)
      expect(yield* texts.readWaiting).toBe(0)
      yield* TestClock.setTime(NOON + MINUTE)
      yield* readFiles
      expect(yield* found(owner, '"text of a"')).toEqual(["First"])

      yield* delivered(owner, "Second", [file("b.txt")])
      for (let attempt = 1; attempt <= FILE_READ_ATTEMPTS; attempt++) yield* killed(NOON + attempt * MINUTE)
      yield* TestClock.setTime(NOON + 10 * MINUTE)
      yield* readFiles
      expect(yield* found(owner, '"text of b"')).toEqual([])
      expect(yield* found(owner, "filename:b")).toEqual(["Second"])
    }),
  )
})

describe("the index of search", () => {
  ruleWith(readableStores)(
    "leaves out a message that does not decode, logs it once, and has the others",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* unverified()
      yield* delivered(owner, "Broken", [])
      yield* sql`UPDATE messages SET listing = replace(listing, '"codes"', '"-"')`
      yield* delivered(owner, "Whole", [])
      const broken = {
        level: "ERROR",
        said: ["a message cannot be indexed for search", { messageId: expect.any(String) }],
      }
      const lines = yield* logLinesOf(index)
      expect(lines).toEqual([{ ...broken, said: expect.arrayContaining(broken.said) }])
      expect(yield* logLinesOf(index)).toEqual([])
      const { isBehind } = yield* SearchStore
      expect(yield* isBehind).toBe(false)
      expect(yield* found(owner, "whole")).toEqual(["Whole"])
    }),
  )

  const refusing = Layer.effect(
    SearchStore,
    Effect.map(SearchStore, (store) => ({
      ...store,
      add: (documents: Parameters<typeof store.add>[0]) =>
        documents.some(({ tokens }) => tokens.subject.includes("poison"))
          ? Effect.dieMessage("refused")
          : store.add(documents),
    })),
  )

  ruleWith(refusing)(
    "leaves out a message that the database refuses; when it refuses all, it keeps them",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { isBehind } = yield* SearchStore
      yield* delivered(owner, "Poison", [])
      expect(Exit.isFailure(yield* Effect.exit(index))).toBe(true)
      expect(yield* isBehind).toBe(true)
      yield* delivered(owner, "Other", [])
      yield* index
      expect(yield* isBehind).toBe(false)
      expect(yield* found(owner, "hello")).toEqual(["Other"])
    }),
  )
})
