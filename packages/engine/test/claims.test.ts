/** Claims: workers share the messages of a mailbox (docs/specification/sharing.md). */
import { describe, expect } from "@effect/vitest"
import { anyArrival, parseAddressPattern, SECOND, timestamp, WAITS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { AuditLog, type Claimed, Claims, ClaimStore, MessageChanges, Messages } from "@mailroom/engine"
import { Context, Deferred, Effect, Fiber, Layer, Ref, TestClock } from "effect"
import { received, receivedMany } from "./support/arrivals.js"
import { HeldAnswer, heldAnswers } from "./support/concurrency.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { refused } from "./support/refused.js"
import { claim, end, subjectOf, takeBack, targetOf } from "./support/sharing.js"

/** The claim, which must have found a message. */
const held = (claimed: Claimed | null) =>
  claimed === null ? Effect.dieMessage("nothing was claimed") : Effect.succeed(claimed)

const claimOne = (owner: Owner, { mailboxId, id }: ReturnType<typeof targetOf>, leaseSeconds = 60) =>
  Effect.gen(function* () {
    const claims = yield* Claims
    return yield* claims.one(yield* as(owner), { mailboxId, id }, leaseSeconds)
  })

const renew = (owner: Owner, claimed: Claimed, leaseSeconds: number | null = null) =>
  Effect.gen(function* () {
    const claims = yield* Claims
    return yield* claims.renew(yield* as(owner), targetOf(claimed), claimed.token, leaseSeconds)
  })

/** The worker that tests are: the first key of the account. */
const claimedBy = expect.objectContaining({ kind: "key", name: "Default key" })

const until = (at: number) => ({ state: "CLAIMED", expiresAt: timestamp(at), claimedBy })

/** How many pages of free messages were read. */
class Reads extends Context.Tag("test/Reads")<Reads, Ref.Ref<number>>() {}

/** A mailbox whose free messages take long to read. */
const slowReads = Layer.effect(
  ClaimStore,
  Effect.map(ClaimStore, (store) => {
    const free: typeof store.free = (...page) => Effect.delay(store.free(...page), "6 seconds")
    return { ...store, free }
  }),
)

const countedReads = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* ClaimStore
    const reads = yield* Ref.make(0)
    const free: typeof store.free = (...page) =>
      Effect.zipRight(
        Ref.update(reads, (count) => count + 1),
        store.free(...page),
      )
    return Context.make(ClaimStore, { ...store, free }).pipe(Context.add(Reads, reads))
  }),
)

describe("a claim", () => {
  rule(
    "takes the oldest message, each once, and shows on it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 2)
      const first = yield* held(yield* claim(owner))
      expect(first.expiresAt).toBe(NOON + 60 * SECOND)
      expect(first.message.claim).toEqual(until(NOON + 60 * SECOND))
      const messages = yield* Messages
      const { id, mailboxId } = targetOf(first)
      expect((yield* messages.get(yield* as(owner), mailboxId, id)).claim).toEqual(first.message.claim)
      const second = yield* held(yield* claim(owner))
      expect([subjectOf(first), subjectOf(second)]).toEqual(["Mail 1", "Mail 2"])
      expect(yield* claim(owner)).toBeNull()
    }),
  )

  rule(
    "ends with its lease, with a release, or with the work",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 3)
      const [one, two, three] = [
        yield* held(yield* claim(owner)),
        yield* held(yield* claim(owner, { leaseSeconds: 120 })),
        yield* held(yield* claim(owner, { leaseSeconds: 120 })),
      ]
      expect(yield* end(owner, three)).toMatchObject({ state: "COMPLETED", expiresAt: null })
      expect(yield* end(owner, three)).toMatchObject({ state: "COMPLETED", expiresAt: null })
      expect(yield* end(owner, two, "RELEASED")).toBeNull()
      expect(yield* end(owner, two, "RELEASED")).toBeNull()
      expect(subjectOf(yield* claim(owner, { leaseSeconds: 3600 }))).toBe("Mail 2")
      expect(yield* claim(owner)).toBeNull()
      yield* TestClock.adjust(60 * SECOND)
      expect(yield* refused(end(owner, one))).toMatchObject({ _tag: "ClaimLost" })
      expect(subjectOf(yield* claim(owner))).toBe("Mail 1")
      expect(yield* refused(renew(owner, one))).toMatchObject({ _tag: "ClaimLost" })
      expect(yield* claim(owner)).toBeNull()
    }),
  )

  ruleWith(heldAnswers)(
    "is given back when its client is gone before the answer of the first look",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address)
      const { hold } = yield* HeldAnswer
      const { begun, mayEnd } = yield* hold
      const claiming = yield* Effect.fork(claim(owner))
      yield* Deferred.await(begun)
      const leaving = yield* Effect.fork(Fiber.interrupt(claiming))
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(leaving)
      yield* held(yield* claim(owner))
    }),
  )

  rule(
    "is renewed as often as its holder wants",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address)
      const claimed = yield* held(yield* claim(owner))
      yield* TestClock.adjust(59 * SECOND)
      expect(yield* renew(owner, claimed)).toEqual(until(NOON + 119 * SECOND))
      yield* TestClock.adjust(59 * SECOND)
      expect(yield* renew(owner, claimed, 3600)).toEqual(until(NOON + (118 + 3600) * SECOND))
      yield* TestClock.adjust(3599 * SECOND)
      expect(yield* claim(owner)).toBeNull()
      expect(yield* end(owner, claimed)).toMatchObject({ state: "COMPLETED" })
    }),
  )

  rule(
    "of a given message is refused while another holds it, and for ever when it is done",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 2)
      const target = targetOf(yield* held(yield* claim(owner)))
      yield* TestClock.adjust(20 * SECOND)
      expect(yield* refused(claimOne(owner, target))).toMatchObject({
        _tag: "MessageClaimed",
        retryAfter: 40,
      })
      yield* TestClock.adjust(40 * SECOND)
      const next = yield* claimOne(owner, target, 5)
      expect(next.message.claim).toEqual(until(NOON + 65 * SECOND))
      yield* end(owner, next)
      const refusal = yield* refused(claimOne(owner, target))
      expect(refusal).toMatchObject({ _tag: "MessageClaimed" })
      expect(refusal).not.toHaveProperty("retryAfter")
    }),
  )

  rule(
    "needs the token of this very message",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 2)
      const [one, two] = [yield* held(yield* claim(owner)), yield* held(yield* claim(owner))]
      for (const token of [two.token, "", "no token"])
        expect(yield* refused(end(owner, { ...one, token }))).toMatchObject({ _tag: "ClaimLost" })
    }),
  )

  rule(
    "goes with its message when the message is removed",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address)
      const claimed = yield* held(yield* claim(owner))
      const changes = yield* MessageChanges
      const { id, mailboxId } = targetOf(claimed)
      yield* changes.remove(yield* as(owner), mailboxId, id)
      expect(yield* refused(end(owner, claimed))).toMatchObject({ _tag: "NotFound" })
    }),
  )

  rule(
    "with a filter takes the oldest message that matches, however many others are free",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 120)
      yield* received(owner.address, { from: "bob@elsewhere.net", subject: "From Bob" })
      const filter = { ...anyArrival, from: parseAddressPattern("@elsewhere.net") }
      expect(subjectOf(yield* claim(owner, { filter }))).toBe("From Bob")
      expect(yield* claim(owner, { filter })).toBeNull()
      expect(subjectOf(yield* claim(owner))).toBe("Mail 1")
      yield* TestClock.adjust(SECOND)
      yield* received(owner.address, { subject: "Since" })
      expect(subjectOf(yield* claim(owner, { filter: { ...anyArrival, since: NOON + SECOND } }))).toBe(
        "Since",
      )
      const before = { ...anyArrival, before: NOON + 1, subject: "mail 120" }
      expect(subjectOf(yield* claim(owner, { filter: before }))).toBe("Mail 120")
    }),
  )
})

describe("a claim that is taken back", () => {
  rule(
    "frees the message without its token, and its worker has lost it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address)
      const claimed = yield* held(yield* claim(owner, { leaseSeconds: 3600 }))
      const waiting = yield* Effect.fork(claim(owner, { timeoutSeconds: 55 }))
      yield* TestClock.adjust(SECOND)
      yield* takeBack(owner, claimed)
      const next = yield* held(yield* Fiber.join(waiting))
      expect(targetOf(next)).toEqual(targetOf(claimed))
      expect(yield* refused(renew(owner, claimed))).toMatchObject({ _tag: "ClaimLost" })
      expect(yield* refused(end(owner, claimed))).toMatchObject({ _tag: "ClaimLost" })
      expect(yield* end(owner, next)).toMatchObject({ state: "COMPLETED" })
    }),
  )

  rule(
    "is an entry of the audit trail, which a message that is free or done does not get",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 3)
      const [one, two, three] = [
        yield* held(yield* claim(owner)),
        yield* held(yield* claim(owner)),
        yield* held(yield* claim(owner, { leaseSeconds: 1 })),
      ]
      yield* end(owner, two)
      yield* TestClock.adjust(SECOND)
      for (let count = 0; count < 2; count++) yield* takeBack(owner, one)
      yield* takeBack(owner, three)
      const refusal = yield* refused(takeBack(owner, two))
      expect(refusal).toMatchObject({ _tag: "MessageClaimed" })
      expect(refusal).not.toHaveProperty("retryAfter")
      const audit = yield* AuditLog
      const { entries } = yield* audit.list(yield* as(owner), { before: null, limit: 100 })
      const keyId = one.message.claim?.claimedBy?.id
      expect(keyId).toBeDefined()
      expect(entries.filter(({ action }) => action === "claim.taken_back")).toMatchObject([
        {
          actor: { kind: "session" },
          target: targetOf(one).id,
          detail: { mailboxId: owner.mailboxId, keyId },
        },
      ])
    }),
  )
})

describe("a claim that waits", () => {
  rule(
    "gets a message when it arrives, when a lease ends, and when another releases one",
    Effect.gen(function* () {
      const owner = yield* paying()
      const arriving = yield* Effect.fork(claim(owner, { timeoutSeconds: 55 }))
      yield* TestClock.adjust(SECOND)
      yield* received(owner.address, { subject: "New" })
      const first = yield* held(yield* Fiber.join(arriving))
      expect(subjectOf(first)).toBe("New")

      const after = yield* Effect.fork(claim(owner, { timeoutSeconds: 55 }))
      yield* TestClock.adjust(SECOND)
      yield* end(owner, first, "RELEASED")
      const second = yield* held(yield* Fiber.join(after))
      expect(subjectOf(second)).toBe("New")

      yield* renew(owner, second, 50)
      const last = yield* Effect.fork(claim(owner, { timeoutSeconds: 55 }))
      yield* TestClock.adjust(50 * SECOND)
      expect(subjectOf(yield* Fiber.join(last))).toBe("New")
    }),
  )

  ruleWith(slowReads)(
    "with a filter that could not read all free messages in its time says so, instead of that none is free",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 1)
      const claimed = yield* Effect.fork(
        refused(claim(owner, { filter: { ...anyArrival, subject: "invoice" } })),
      )
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(claimed)).toMatchObject({ _tag: "Overloaded" })
    }),
  )

  ruleWith(countedReads)(
    "with a filter reads the mailbox again only when a message that matches arrives, and when another releases one",
    Effect.gen(function* () {
      const owner = yield* paying()
      const filter = { ...anyArrival, subject: "code" }
      const waiting = Effect.fork(claim(owner, { filter, timeoutSeconds: 10 }))
      const reads = yield* Reads
      yield* receivedMany(owner.address, 3)
      const arriving = yield* waiting
      yield* TestClock.adjust(SECOND)
      const atFirst = yield* Ref.get(reads)
      yield* receivedMany(owner.address, 20)
      yield* TestClock.adjust(SECOND)
      expect(yield* Ref.get(reads)).toBe(atFirst)
      yield* received(owner.address, { subject: "Your code" })
      const first = yield* held(yield* Fiber.join(arriving))
      expect(subjectOf(first)).toBe("Your code")

      const after = yield* waiting
      yield* TestClock.adjust(SECOND)
      yield* end(owner, first, "RELEASED")
      expect(subjectOf(yield* held(yield* Fiber.join(after)))).toBe("Your code")
    }),
  )

  rule(
    "with a filter gets one of several messages that match, as others with the same filter do",
    Effect.gen(function* () {
      const owner = yield* paying()
      const filter = { ...anyArrival, subject: "mail" }
      const workers = yield* Effect.replicateEffect(
        Effect.fork(claim(owner, { filter, timeoutSeconds: 10 })),
        3,
      )
      yield* TestClock.adjust(SECOND)
      yield* received(owner.address, { subject: "Another" })
      yield* receivedMany(owner.address, 3)
      const subjects = (yield* Effect.forEach(workers, (worker) => Fiber.join(worker))).map(subjectOf)
      expect(new Set(subjects)).toEqual(new Set(["Mail 1", "Mail 2", "Mail 3"]))
    }),
  )

  rule(
    "ends without a message when its time is over or the service stops",
    Effect.gen(function* () {
      const owner = yield* paying()
      const waiting = yield* Effect.fork(claim(owner, { timeoutSeconds: 5 }))
      yield* TestClock.adjust(5 * SECOND)
      expect(yield* Fiber.join(waiting)).toBeNull()
      expect(yield* claim(owner, { timeoutSeconds: 5, stopped: Effect.void })).toBeNull()
    }),
  )

  rule(
    "does the same in a request with an `Idempotency-Key`, which is uninterruptible",
    Effect.gen(function* () {
      const owner = yield* paying()
      const waiting = Effect.fork(Effect.uninterruptible(claim(owner, { timeoutSeconds: 5 })))
      const vain = yield* waiting
      yield* TestClock.adjust(5 * SECOND)
      expect(yield* Fiber.join(vain)).toBeNull()

      const lucky = yield* waiting
      yield* TestClock.adjust(SECOND)
      yield* received(owner.address, { subject: "New" })
      expect(subjectOf(yield* held(yield* Fiber.join(lucky)))).toBe("New")
    }),
  )

  rule(
    "is one of at most 20 requests of an account that wait, and twenty messages serve twenty workers",
    Effect.gen(function* () {
      const owner = yield* paying()
      const workers = yield* Effect.forEach(Array.from({ length: WAITS_MAX_PER_ACCOUNT }), () =>
        Effect.fork(claim(owner, { timeoutSeconds: 55 })),
      )
      yield* TestClock.adjust(SECOND)
      expect(yield* refused(claim(owner, { timeoutSeconds: 1 }))).toMatchObject({ _tag: "TooManyWaits" })
      expect(yield* claim(owner)).toBeNull()
      yield* receivedMany(owner.address, WAITS_MAX_PER_ACCOUNT)
      const subjects = (yield* Effect.forEach(workers, (worker) => Fiber.join(worker))).map(subjectOf)
      expect(new Set(subjects).size).toBe(WAITS_MAX_PER_ACCOUNT)
      expect(subjects).not.toContain(null)
    }),
  )
})
