/** Leased work continues when an outage of the storage is over, before its lease expires (docs/decisions/0023). */
import { describe, expect, it } from "@effect/vitest"
import { DOMAIN_CHECK_INTERVAL, MINUTE } from "@mailroom/domain"
import {
  AdminStore,
  DomainStore,
  Engine,
  InProcessSignals,
  JobStore,
  Mailboxes,
  RawMailStore,
  Signals,
  StorageFailure,
  Transactions,
  WebhookStore,
} from "@mailroom/engine"
import { MemoryReceivers } from "@mailroom/network"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, Queue, Stream, TestClock } from "effect"
import { makeClaim } from "../src/workers/leasing.js"
import { accepted, aMail, received } from "./support/arrivals.js"
import { claim, publish, statusOf } from "./support/domains.js"
import { ruleWith } from "./support/mailroom.js"
import { as, paying, unverified } from "./support/owners.js"
import { arrivalsOf, listed, subjectsOf } from "./support/reading.js"
import { answered, countTo, requestsTo, subscribe, URL_ONE } from "./support/webhooks.js"

type Call =
  | "claim mail"
  | "claim webhooks"
  | "claim jobs"
  | "claim domains"
  | "next delivery"
  | "release webhook"
  | "job done"
  | "job retry"

/** Makes calls of the stores fail. */
class Outage extends Context.Tag("test/Outage")<
  Outage,
  {
    /** Makes the next such call fail. The returned effect waits until it has failed. */
    readonly fail: (call: Call) => Effect.Effect<Effect.Effect<void>>
    /** Makes such calls fail until the returned effect runs. */
    readonly failUntil: (call: Call) => Effect.Effect<Effect.Effect<void>>
  }
>() {}

const away = Effect.die(new StorageFailure({ reason: "unavailable", cause: "as told" }))

const failingCalls = Layer.effectContext(
  Effect.gen(function* () {
    const mails = yield* RawMailStore
    const webhooks = yield* WebhookStore
    const jobs = yield* JobStore
    const domains = yield* DomainStore
    const told = new Map<Call, Deferred.Deferred<void>>()
    const lasting = new Set<Call>()

    const failIfTold = (call: Call) =>
      Effect.suspend(() => {
        if (lasting.has(call)) return away
        const failed = told.get(call)
        if (failed === undefined) return Effect.void
        told.delete(call)
        return Effect.zipRight(Deferred.succeed(failed, undefined), away)
      })
    /** Commits the call and loses its answer. */
    const losing =
      (call: Call) =>
      <A>(effect: Effect.Effect<A>) =>
        Effect.zipLeft(effect, failIfTold(call))
    /** Fails without reaching the database. */
    const failing =
      (call: Call) =>
      <A>(effect: Effect.Effect<A>) =>
        Effect.zipRight(failIfTold(call), effect)

    return Context.make(RawMailStore, {
      ...mails,
      claim: (terms) => losing("claim mail")(mails.claim(terms)),
    }).pipe(
      Context.add(WebhookStore, {
        ...webhooks,
        claim: (...terms) => losing("claim webhooks")(webhooks.claim(...terms)),
        beginNextAttempt: (...terms) => losing("next delivery")(webhooks.beginNextAttempt(...terms)),
        release: (...terms) => failing("release webhook")(webhooks.release(...terms)),
      }),
      Context.add(JobStore, {
        ...jobs,
        claim: (...terms) => losing("claim jobs")(jobs.claim(...terms)),
        done: (id) => failing("job done")(jobs.done(id)),
        retry: (...terms) => failing("job retry")(jobs.retry(...terms)),
      }),
      Context.add(DomainStore, {
        ...domains,
        claim: (...terms) => losing("claim domains")(domains.claim(...terms)),
      }),
      Context.add(Outage, {
        fail: (call) =>
          Effect.map(Deferred.make<void>(), (failed) => {
            told.set(call, failed)
            return Deferred.await(failed)
          }),
        failUntil: (call) =>
          Effect.sync(() => {
            lasting.add(call)
            return Effect.sync(() => void lasting.delete(call))
          }),
      }),
    )
  }),
)

const rule = ruleWith(failingCalls)

const fail = (call: Call) => Effect.flatMap(Outage, (outage) => outage.fail(call))

/** Dies with a storage failure, and continues a second later. */
const settledAfterOutage = Effect.gen(function* () {
  expect(Exit.isFailure(yield* Effect.exit(Engine.settle))).toBe(true)
  yield* TestClock.adjust("1 second")
  yield* Engine.settle
})

describe("work whose claim lost its answer", () => {
  rule(
    "is delivered a second later: mail",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* accepted(owner.address, aMail({ subject: "Kept" }))
      yield* fail("claim mail")
      yield* settledAfterOutage
      expect(subjectsOf(yield* listed(owner))).toEqual(["Kept"])
    }),
  )

  rule(
    "is delivered a second later by the running workers, without a new mail",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* Layer.build(Engine.workers)
      const arrivals = yield* arrivalsOf(owner)
      const failed = yield* fail("claim mail")
      yield* accepted(owner.address, aMail({ subject: "Kept" }))
      yield* failed
      yield* TestClock.adjust("1 second")
      expect(Option.isSome(yield* Stream.runHead(arrivals))).toBe(true)
    }),
  )

  rule(
    "is delivered a second later: webhooks",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* subscribe(owner)
      yield* accepted(owner.address, aMail())
      yield* fail("claim webhooks")
      yield* settledAfterOutage
      expect(yield* countTo(URL_ONE)).toBe(1)
    }),
  )

  rule(
    "is done a second later: jobs",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "sales", displayName: "Sales", domainId: null }
      yield* mailboxes.create(yield* as(owner), wanted)
      yield* fail("claim jobs")
      yield* settledAfterOutage
      const provisioned = (yield* mailboxes.list(yield* as(owner))).map((made) => made.mailServerProvisioned)
      expect(provisioned).toEqual([true, true])
    }),
  )

  rule(
    "is checked a second later: custom domains",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { domain, dnsRecords } = yield* claim(owner, "acme.dev")
      yield* publish(dnsRecords)
      yield* TestClock.adjust(DOMAIN_CHECK_INTERVAL)
      yield* fail("claim domains")
      yield* settledAfterOutage
      expect(yield* statusOf(owner, domain.id)).toBe("VERIFIED")
    }),
  )

  it.scoped("is freed without the leases of other claims, and wakes its workers", () =>
    Effect.gen(function* () {
      const abandoned: Array<number> = []
      const lease = yield* makeClaim({
        lease: MINUTE,
        abandon: (leaseUntil) => Effect.sync(() => void abandoned.push(leaseUntil)),
        topics: ["jobs"],
      })
      const { wait } = yield* (yield* Signals).subscribe("jobs")
      const leaseOf = (_: number, leaseUntil: number) => Effect.succeed(leaseUntil)
      const first = yield* lease(leaseOf)
      yield* Effect.exit(lease(() => away))
      const third = yield* lease(leaseOf)
      yield* wait
      expect(abandoned).toHaveLength(1)
      expect(new Set([first, ...abandoned, third])).toHaveLength(3)
    }).pipe(Effect.provide(InProcessSignals.layer)),
  )
})

describe("a webhook", () => {
  rule(
    "whose turn failed because of the storage has the next one a second later",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* subscribe(owner)
      yield* fail("next delivery")
      yield* received(owner.address)
      expect(yield* countTo(URL_ONE)).toBe(0)
      yield* TestClock.adjust("1 second")
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(1)
    }),
  )

  rule(
    "whose lease expires during an outage has one turn at a time afterwards",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* subscribe(owner)
      const begun = yield* Queue.unbounded<void>()
      const receivers = yield* MemoryReceivers
      yield* receivers.script(URL_ONE, () => Effect.zipRight(Queue.offer(begun, undefined), Effect.never))
      yield* Layer.build(Engine.workers)
      const failed = yield* fail("next delivery")
      const back = yield* Effect.flatMap(Outage, (outage) => outage.failUntil("release webhook"))
      yield* accepted(owner.address, aMail())
      yield* failed
      yield* TestClock.adjust("61 seconds")
      yield* back
      yield* TestClock.adjust("5 seconds")
      yield* Queue.take(begun)
      yield* TestClock.adjust("5 seconds")
      expect(yield* Queue.size(begun)).toBe(0)
    }),
  )

  rule(
    "whose receiver has not answered keeps its turn when the next claim fails",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* subscribe(owner)
      const begun = yield* Queue.unbounded<void>()
      const mayAnswer = yield* Deferred.make<void>()
      const receivers = yield* MemoryReceivers
      yield* receivers.script(URL_ONE, () =>
        Queue.offer(begun, undefined).pipe(
          Effect.zipRight(Deferred.await(mayAnswer)),
          Effect.as(answered(200)),
        ),
      )
      yield* Layer.build(Engine.workers)
      yield* accepted(owner.address, aMail())
      yield* Queue.take(begun)
      const failed = yield* fail("claim webhooks")
      yield* accepted(owner.address, aMail())
      // The delivery worker yields to mail that is accepted at one instant.
      yield* TestClock.adjust("2 seconds")
      yield* failed
      yield* Deferred.succeed(mayAnswer, undefined)
      yield* Queue.take(begun)
      const posted = (yield* requestsTo(URL_ONE)).map(({ headers }) => headers["X-Service-Delivery-Id"])
      expect(new Set(posted)).toHaveLength(2)
    }),
  )
})

/** Delays the end of a webhook's turn between its COMMIT and the answer. */
class TurnEnd extends Context.Tag("test/TurnEnd")<
  TurnEnd,
  {
    readonly reached: Effect.Effect<void>
    /** Waits until a webhook is claimed after that. */
    readonly claimedAgain: Effect.Effect<void>
    readonly goOn: Effect.Effect<boolean>
  }
>() {}

const slowTurnEnd = Layer.effectContext(
  Effect.gen(function* () {
    const webhooks = yield* WebhookStore
    const { run } = yield* Transactions
    const [reached, claimedAgain, mayGoOn] = [
      yield* Deferred.make<void>(),
      yield* Deferred.make<void>(),
      yield* Deferred.make<void>(),
    ]
    let isReleased = false
    const afterRelease = Effect.suspend(() => {
      if (!isReleased) return Effect.void
      isReleased = false
      return Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(mayGoOn))
    })
    return Context.make(WebhookStore, {
      ...webhooks,
      claim: (...terms) =>
        Effect.tap(webhooks.claim(...terms), (claimed) =>
          Effect.flatMap(Deferred.isDone(reached), (isReached) =>
            isReached && claimed.length > 0 ? Deferred.succeed(claimedAgain, undefined) : Effect.void,
          ),
        ),
      release: (...terms) =>
        Effect.map(webhooks.release(...terms), () => {
          isReleased = true
        }),
    }).pipe(
      Context.add(Transactions, { run: (effect) => Effect.zipLeft(run(effect), afterRelease) }),
      Context.add(TurnEnd, {
        reached: Deferred.await(reached),
        claimedAgain: Deferred.await(claimedAgain),
        goOn: Deferred.succeed(mayGoOn, undefined),
      }),
    )
  }),
)

describe("a webhook that is claimed while its turn ends", () => {
  ruleWith(slowTurnEnd)(
    "has its next turn at once",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* subscribe(owner)
      const posted = yield* Queue.unbounded<void>()
      const receivers = yield* MemoryReceivers
      yield* receivers.script(URL_ONE, () => Effect.as(Queue.offer(posted, undefined), answered(200)))
      yield* Layer.build(Engine.workers)
      const { claimedAgain, goOn, reached } = yield* TurnEnd
      yield* accepted(owner.address, aMail())
      yield* reached
      yield* accepted(owner.address, aMail())
      // The delivery worker yields to mail that is accepted at one instant.
      yield* TestClock.adjust("2 seconds")
      yield* claimedAgain
      yield* goOn
      yield* Queue.takeN(posted, 2)
    }),
  )
})

describe("a job", () => {
  rule(
    "that failed because of the storage is retried as soon as the storage answers",
    Effect.gen(function* () {
      const owner = yield* paying()
      const waiting = Effect.flatMap(AdminStore, (admin) => admin.count({ kind: "waiting jobs" }, 10))
      const mailboxes = yield* Mailboxes
      yield* Engine.settle
      yield* mailboxes.create(yield* as(owner), { localPart: "sales", displayName: "", domainId: null })
      yield* fail("job done")
      const failed = yield* fail("job retry")
      const working = yield* Effect.fork(Engine.settle)
      yield* failed
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(working)
      expect(yield* waiting).toBe(0)
    }),
  )
})
