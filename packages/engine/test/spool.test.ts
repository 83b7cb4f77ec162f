/** The accept stage: verdicts on recipients, and durable storage of mail. */
import { describe, expect } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { BLOB_DRAFT_KEPT_FOR, BLOB_KEY_USABLE_FOR, MINUTE, SECOND } from "@mailroom/domain"
import {
  Blobs,
  Engine,
  JobStore,
  Mailboxes,
  Payments,
  RawMailStore,
  MailSpool,
  StorageFailure,
  storageFailureIn,
} from "@mailroom/engine"
import { Effect, Exit, Layer, Option, Stream, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { accepted, aMail, envelopeTo, received, SENDER } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { changeMailbox, suspendAccount } from "./support/changes.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, signUp, unverified } from "./support/owners.js"
import { listed, subjectsOf } from "./support/reading.js"
import { readableStores } from "./support/tables.js"

/** A payment provider that does not answer. */
const silentPayments = Layer.effect(
  Payments,
  Effect.map(Payments, (payments) => ({ ...payments, cancel: () => Effect.never })),
)

const verdict = (address: string) =>
  Effect.flatMap(MailSpool, ({ recipients }) =>
    Effect.map(recipients([{ from: "ada@example.org", to: address }]), ([one]) => one?.kind),
  )

describe("a recipient", () => {
  rule(
    "is accepted in any case, and with a tag",
    Effect.gen(function* () {
      yield* unverified()
      for (const address of [
        "agent@acme.mailroom.localhost",
        "Agent@ACME.Mailroom.Localhost",
        "agent+orders@acme.mailroom.localhost",
        "agent+a+b@acme.mailroom.localhost",
      ])
        expect(yield* verdict(address)).toBe("accepted")
    }),
  )

  rule(
    "is unknown when no mailbox has the address",
    Effect.gen(function* () {
      yield* unverified()
      for (const address of [
        "sales@acme.mailroom.localhost",
        "agent@other.mailroom.localhost",
        "agent@mailroom.localhost",
        "+agent@acme.mailroom.localhost",
        SENDER,
        "",
      ])
        expect(yield* verdict(address)).toBe("unknown")
    }),
  )

  rule(
    "is refused for now until its mailbox is provisioned",
    Effect.gen(function* () {
      yield* signUp("acme")
      expect(yield* verdict("agent@acme.mailroom.localhost")).toBe("not provisioned")
      yield* Engine.settle
      expect(yield* verdict("agent@acme.mailroom.localhost")).toBe("accepted")
    }),
  )

  rule(
    "is suspended with its mailbox",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* changeMailbox(owner, { status: "suspended" })
      expect(yield* verdict(owner.address)).toBe("suspended")
    }),
  )

  rule(
    "is suspended with its account",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* suspendAccount(owner)
      expect(yield* verdict(owner.address)).toBe("suspended")
    }),
  )

  rule(
    "receives while its mailbox is paused",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const mailboxes = yield* Mailboxes
      const paused = { displayName: undefined, status: "paused" } as const
      yield* mailboxes.update(yield* as(owner), owner.mailboxId, paused)
      expect(yield* verdict(owner.address)).toBe("accepted")
      yield* received(owner.address, { subject: "While paused" })
      expect(subjectsOf(yield* listed(owner))).toEqual(["While paused"])
    }),
  )

  rule(
    "with a tag delivers to the mailbox without the tag",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received("Agent+orders@acme.mailroom.localhost", { subject: "Tagged" })
      expect(subjectsOf(yield* listed(owner))).toEqual(["Tagged"])
    }),
  )
})

/** A queue whose first insert fails. */
const failsOnce = Layer.effect(
  RawMailStore,
  Effect.map(RawMailStore, (store) => {
    let failures = 1
    const enqueue: typeof store.enqueue = (entries) =>
      failures-- > 0
        ? Effect.die(new StorageFailure({ reason: "unavailable", cause: "locked" }))
        : store.enqueue(entries)
    return { ...store, enqueue }
  }),
)

describe("a storage failure", () => {
  ruleWith(failsOnce)(
    "stores none of the mails in part",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { accept } = yield* MailSpool
      const content = { kind: "inline" as const, bytes: aMail({ subject: "one" }) }
      const mails = [1, 2].map(() => ({ envelope: envelopeTo([owner.address], 0), content }))
      const exit = yield* Effect.exit(accept(mails))
      const failure = Exit.isFailure(exit) ? storageFailureIn(exit.cause) : Option.none()
      expect(Option.map(failure, ({ reason }) => reason)).toEqual(Option.some("unavailable"))
      yield* accepted(owner.address, aMail({ subject: "three" }))
      yield* Engine.settle
      expect(subjectsOf(yield* listed(owner))).toEqual(["three"])
    }),
  )
})

describe("a large mail", () => {
  const large = aMail({ subject: "Large", text: "x".repeat(300_000) })
  const stage = Effect.flatMap(MailSpool, (spool) => spool.stage(Stream.make(large)))

  rule(
    "is staged in the blob store and delivered from there",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const spool = yield* MailSpool
      const content = yield* stage
      expect(content).toMatchObject({ kind: "blob", sizeBytes: large.length })
      yield* spool.accept([{ envelope: envelopeTo([owner.address], 0), content }])
      yield* Engine.settle
      const [message] = yield* listed(owner)
      expect(message).toMatchObject({ subject: "Large", truncated: true })
      expect(message?.bodyText).toHaveLength(65_536)
    }),
  )

  const collect = Effect.zipRight(TestClock.adjust(BLOB_DRAFT_KEPT_FOR + MINUTE), Engine.settle)

  ruleWith(watchedBlobs)(
    "leaves no blob behind when its process dies before the mail is accepted",
    Effect.gen(function* () {
      yield* stage
      expect(yield* blobKeys).toHaveLength(1)
      yield* collect
      expect(yield* blobKeys).toEqual([])
    }),
  )

  ruleWith(Layer.merge(watchedBlobs, silentPayments))(
    "leaves no blob behind while a job of the process does not end",
    Effect.gen(function* () {
      yield* stage
      yield* TestClock.adjust(BLOB_DRAFT_KEPT_FOR - 1)
      const job = { kind: "cancel-subscription", reference: "sub_1" } as const
      yield* (yield* JobStore).add([{ id: randomUUID(), spec: job, dueAt: 0 }])
      yield* Layer.build(Engine.workers)
      yield* TestClock.adjust(10 * SECOND)
      expect(yield* blobKeys).toEqual([])
    }),
  )

  ruleWith(watchedBlobs)(
    "keeps its blob also when it is accepted at the last moment that its key is usable",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { accept } = yield* MailSpool
      const contents = [yield* stage]
      yield* TestClock.adjust(BLOB_KEY_USABLE_FOR - 1)
      contents.push(yield* stage)
      // From now on the remaining reserved keys are too old.
      yield* TestClock.adjust(1)
      contents.push(yield* stage)
      yield* TestClock.adjust(10 * MINUTE)
      yield* accept(contents.map((content) => ({ envelope: envelopeTo([owner.address], 0), content })))
      const stored = yield* blobKeys
      expect(stored).toEqual(contents.map((content) => (content.kind === "blob" ? content.key : "")).sort())
      yield* collect
      expect(yield* blobKeys).toEqual(stored)
    }),
  )

  ruleWith(readableStores)(
    "costs one commit for the keys of 64 mails; the drafts end when the mails are accepted",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const sql = yield* SqlClient.SqlClient
      const drafts = Effect.map(
        sql`SELECT blob_key FROM blob_drafts WHERE blob_key LIKE 'raw/%'`.pipe(Effect.orDie),
        ({ length }) => length,
      )
      const staged = yield* Effect.replicateEffect(stage, 64, { concurrency: "unbounded" })
      expect(yield* drafts).toBe(64)
      const { accept } = yield* MailSpool
      yield* accept(
        staged.slice(0, 10).map((content) => ({ envelope: envelopeTo([owner.address], 0), content })),
      )
      expect(yield* drafts).toBe(54)
      yield* stage
      expect(yield* drafts).toBe(54 + 64)
    }),
  )

  rule(
    "that is refused after staging leaves no blob",
    Effect.gen(function* () {
      const [spool, blobs] = yield* Effect.all([MailSpool, Blobs])
      const content = yield* stage
      const stored = content.kind === "blob" ? blobs.get(content.key) : Effect.dieMessage("not staged")
      expect(Option.isSome(yield* stored)).toBe(true)
      yield* spool.discard(content)
      expect(Option.isNone(yield* stored)).toBe(true)
    }),
  )
})
