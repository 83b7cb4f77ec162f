/** Leased work in an outage of the storage goes on when that is over, not when its lease ends (docs/decisions/0023). */
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
  WebhookStore,
} from "@mailroom/engine"
import { MemoryReceivers } from "@mailroom/network"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, Queue, Stream, TestClock } from "effect"
import { makeClaim } from "../src/leasing.js"
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
  | "job done"
  | "job retry"

/** Calls of the stores that are told to fail. */
class Outage extends Context.Tag("test/Outage")<
  Outage,
  {
    /** The next such call fails; the effect that is returned waits until it has. */
    readonly fail: (call: Call) => Effect.Effect<Effect.Effect<void>>
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

    const failIfTold = (call: Call) =>
      Effect.suspend(() => {
        const failed = told.get(call)
        if (failed === undefined) return Effect.void
        told.delete(call)
        return Effect.zipRight(Deferred.succeed(failed, undefined), away)
      })
    /** The call is committed, and only its answer is lost. */
    const losing =
      (call: Call) =>
      <A>(effect: Effect.Effect<A>) =>
        Effect.zipLeft(effect, failIfTold(call))
    /** The call never reaches the database. */
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
        nextDue: (...terms) => losing("next delivery")(webhooks.nextDue(...terms)),
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
      }),
    )
  }),
)

const rule = ruleWith(failingCalls)

const fail = (call: Call) => Effect.flatMap(Outage, (outage) => outage.fail(call))

/** Dies, and goes on a second later. */
const settledAfterOutage = Effect.gen(function* () {
  expect(Exit.isFailure(yield* Effect.exit(Engine.settle))).toBe(true)
  yield* TestClock.adjust("1 second")
  yield* Engine.settle
})

describe("what was claimed when the answer was lost", () => {
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
    "is delivered a second later by the running workers, though no other mail comes",
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

  it.scoped("is free without the leases of other claims, and its workers are woken", () =>
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
    "whose turn the storage failed has its next one a second later",
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
    "whose receiver is thinking keeps its turn when the next claim of webhooks fails",
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
      // The worker of mail gives way to mail that comes in at one instant.
      yield* TestClock.adjust("2 seconds")
      yield* failed
      yield* Deferred.succeed(mayAnswer, undefined)
      yield* Queue.take(begun)
      const posted = (yield* requestsTo(URL_ONE)).map(({ headers }) => headers["X-Service-Delivery-Id"])
      expect(new Set(posted)).toHaveLength(2)
    }),
  )
})

describe("a job", () => {
  rule(
    "that the storage failed is tried again as soon as the storage is back",
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
