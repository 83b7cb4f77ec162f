/** Deleting a mailbox removes what it held (`spec: mailboxes.delete.200`). */
import { describe, expect } from "@effect/vitest"
import {
  AccountStore,
  Engine,
  Jobs,
  JobStore,
  Mailboxes,
  MessageStore,
  MailSpool,
  ThreadStore,
} from "@mailroom/engine"
import { Context, Effect, Layer } from "effect"
import { accepted, aMail, received, receivedMany } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { accountOf, listed, page } from "./support/reading.js"
import { refused } from "./support/refused.js"

const remove = (owner: Owner) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
  })

const verdict = (address: string) =>
  Effect.flatMap(MailSpool, ({ recipients }) =>
    Effect.map(recipients([{ from: "ada@example.org", to: address }]), ([one]) => one?.kind),
  )

const files = [
  { name: "a.bin", bytes: Buffer.alloc(1000, 1) },
  { name: "b.bin", bytes: Buffer.alloc(500, 2) },
]

class Locking extends Context.Tag("test/Locking")<Locking, { readonly steps: Array<string> }>() {}

/** Stores that record the order of account locks and message removals. */
const recordedLocks = Layer.effectContext(
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const messages = yield* MessageStore
    const steps: Array<string> = []
    const recorded = (step: string) => Effect.sync(() => void steps.push(step))
    return Context.make(Locking, { steps }).pipe(
      Context.add(AccountStore, {
        ...accounts,
        lock: (ids) => Effect.zipRight(recorded("account"), accounts.lock(ids)),
      }),
      Context.add(MessageStore, {
        ...messages,
        purge: (id, limit) => Effect.zipRight(recorded("messages"), messages.purge(id, limit)),
      }),
    )
  }),
)

class Turns extends Context.Tag("test/Turns")<Turns, { readonly taken: Array<string> }>() {}

/** A mailbox with mail for 120 batches, and the jobs that started. */
const endlessMail = Layer.effectContext(
  Effect.gen(function* () {
    const messages = yield* MessageStore
    const jobs = yield* JobStore
    const taken: Array<string> = []
    let steps = 0
    return Context.make(Turns, { taken }).pipe(
      Context.add(MessageStore, {
        ...messages,
        purge: (id, limit) =>
          ++steps <= 120
            ? Effect.succeed({ removed: limit, blobKeys: [], attachmentBytes: 0 })
            : messages.purge(id, limit),
      }),
      Context.add(JobStore, {
        ...jobs,
        claim: (limit, now, leaseUntil) =>
          Effect.tap(jobs.claim(limit, now, leaseUntil), (claimed) =>
            Effect.sync(() => taken.push(...claimed.map(({ spec }) => spec.kind))),
          ),
      }),
    )
  }),
)

describe("deleting a mailbox", () => {
  rule(
    "removes it at once and frees its address",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* remove(owner)
      expect(yield* refused(page(owner))).toMatchObject({ _tag: "NotFound", resource: "mailbox" })
      expect(yield* refused(remove(owner))).toMatchObject({ _tag: "NotFound" })
      expect(yield* verdict(owner.address)).toBe("unknown")
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "agent", displayName: null, domainId: null }
      const again = yield* mailboxes.create(yield* as(owner), wanted)
      yield* Engine.settle
      expect(yield* verdict(owner.address)).toBe("accepted")
      expect(yield* listed({ ...owner, mailboxId: again.id })).toEqual([])
    }),
  )

  ruleWith(recordedLocks)(
    "locks the account before it removes messages, like an unlock",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, { files })
      yield* remove(owner)
      const { steps } = yield* Locking
      steps.length = 0
      yield* Effect.flatMap(Jobs, (jobs) => jobs.drain)
      expect(steps).toEqual(["account", "messages"])
    }),
  )

  ruleWith(endlessMail)(
    "runs in batches, so that no lease expires and no other job waits",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* remove(owner)
      const { taken } = yield* Turns
      taken.length = 0
      yield* Effect.flatMap(Jobs, (jobs) => jobs.drain)
      expect(taken).toEqual(["purge-mailbox", "purge-mailbox", "purge-mailbox"])
    }),
  )

  ruleWith(watchedBlobs)(
    "removes its messages, threads, attachments and blobs, and frees their storage",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, { id: "<1@elsewhere.org>", files })
      yield* receivedMany(owner.address, 3)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(1500)
      expect(yield* blobKeys).toHaveLength(2)
      const [message] = (yield* listed(owner)).filter(({ hasAttachments }) => hasAttachments)

      yield* remove(owner)
      yield* Engine.settle
      expect(yield* blobKeys).toEqual([])
      expect(yield* accountOf(owner)).toMatchObject({ storageUsedBytes: 0, mailboxCount: 0 })
      const threads = yield* ThreadStore
      expect(yield* threads.byIds(message === undefined ? [] : [message.threadId])).toEqual([])
    }),
  )

  ruleWith(watchedBlobs)(
    "keeps what another mailbox received with the same mail",
    Effect.gen(function* () {
      const owner = yield* unverified("acme")
      const other = yield* unverified("other")
      yield* received([owner.address, other.address], { id: "<1@elsewhere.org>", files })
      yield* remove(owner)
      yield* Engine.settle
      expect(yield* blobKeys).toHaveLength(2)
      expect(yield* listed(other)).toMatchObject([{ hasAttachments: true }])
      yield* remove(other)
      yield* Engine.settle
      expect(yield* blobKeys).toEqual([])
    }),
  )

  rule(
    "uncounts its gated messages",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* receivedMany(owner.address, 103)
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(3)
      yield* remove(owner)
      yield* Engine.settle
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(0)
    }),
  )

  ruleWith(watchedBlobs)(
    "discards mail that is still queued for it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* accepted(owner.address, aMail({ id: "<1@elsewhere.org>", files }))
      yield* remove(owner)
      yield* Engine.settle
      yield* Engine.settle
      expect(yield* blobKeys).toEqual([])
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(0)
    }),
  )
})
