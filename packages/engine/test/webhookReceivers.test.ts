/** Webhook delivery with slow receivers, dying workers and running workers. */
import { describe, expect } from "@effect/vitest"
import { EventEnvelope, SECOND } from "@mailroom/domain"
import { Engine, WebhookWorker } from "@mailroom/engine"
import { MemoryReceivers } from "@mailroom/network"
import { Deferred, Effect, Exit, Fiber, Layer, Queue, Schema, Scope, TestClock } from "effect"
import { accepted, aMail, received, receivedMany } from "./support/arrivals.js"
import { rule } from "./support/mailroom.js"
import { unverified } from "./support/owners.js"
import {
  answered,
  answers,
  countTo,
  deliveriesOf,
  requestsTo,
  subscribe,
  URL_ONE,
  URL_TWO,
} from "./support/webhooks.js"

const readBody = Schema.decodeSync(Schema.parseJson(EventEnvelope))
describe("a receiver that is slow", () => {
  rule(
    "delays no other webhook",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const receivers = yield* MemoryReceivers
      const [begun, mayEnd, other] = yield* Effect.all([
        Deferred.make<void>(),
        Deferred.make<void>(),
        Deferred.make<void>(),
      ])
      yield* receivers.script(URL_ONE, () =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.zipRight(Deferred.await(mayEnd)),
          Effect.as(answered(200)),
        ),
      )
      yield* receivers.script(URL_TWO, () => Effect.as(Deferred.succeed(other, undefined), answered(200)))
      yield* subscribe(owner)
      yield* subscribe(owner, { url: URL_TWO })
      const settling = yield* Effect.fork(receivedMany(owner.address, 3))
      yield* Effect.all([Deferred.await(begun), Deferred.await(other)])
      expect(yield* countTo(URL_ONE)).toBe(1)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(settling)
      expect(yield* Effect.all([countTo(URL_ONE), countTo(URL_TWO)])).toEqual([3, 3])
    }),
  )

  rule(
    "times out after 15 seconds, and is tried again",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const receivers = yield* MemoryReceivers
      const begun = yield* Deferred.make<void>()
      yield* receivers.script(URL_ONE, () =>
        Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never),
      )
      yield* subscribe(owner)
      const settling = yield* Effect.fork(received(owner.address))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("15 seconds")
      yield* Fiber.join(settling)
      yield* answers(URL_ONE, answered(200))
      yield* TestClock.adjust("2 minutes")
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(2)
    }),
  )

  rule(
    "gets a delivery again under the same id when the worker died",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const receivers = yield* MemoryReceivers
      const worker = yield* WebhookWorker
      const begun = yield* Deferred.make<void>()
      yield* subscribe(owner)
      yield* receivers.script(URL_ONE, () =>
        Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never),
      )
      const dying = yield* Effect.fork(received(owner.address))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(dying)
      yield* answers(URL_ONE, answered(200))
      yield* worker.drain
      expect(yield* countTo(URL_ONE)).toBe(1)
      yield* TestClock.adjust("1 minute")
      yield* worker.drain
      const ids = (yield* requestsTo(URL_ONE)).map(({ headers }) => headers["X-Service-Delivery-Id"])
      expect(ids).toHaveLength(2)
      expect(new Set(ids).size).toBe(1)
    }),
  )
})

describe("a post that was postponed", () => {
  rule(
    "does not count as an attempt, keeps its place in the order, and is made 1 second later",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const receivers = yield* MemoryReceivers
      yield* receivers.script(URL_ONE, () => Effect.succeed({ kind: "postponed" }))
      const made = yield* subscribe(owner)
      yield* receivedMany(owner.address, 2)
      const postponed = yield* requestsTo(URL_ONE)
      const first = postponed[0]?.headers["X-Service-Delivery-Id"]
      for (const { headers } of postponed) expect(headers["X-Service-Delivery-Id"]).toBe(first)
      expect((yield* deliveriesOf(owner, made)).map(({ attempts }) => attempts)).toEqual([0, 0])
      yield* answers(URL_ONE, answered(200))
      yield* TestClock.adjust("1 second")
      yield* Engine.settle
      const sent = (yield* requestsTo(URL_ONE)).slice(postponed.length)
      expect(sent.map(({ headers }) => headers["X-Service-Delivery-Id"])[0]).toBe(first)
      expect((yield* deliveriesOf(owner, made)).map(({ attempts }) => attempts)).toEqual([1, 1])
    }),
  )
})

describe("the running workers", () => {
  rule(
    "post as many large events of an account at a time as its share of the memory holds, and the others afterwards",
    Effect.gen(function* () {
      const receivers = yield* MemoryReceivers
      const owner = yield* unverified()
      const [begun, mayEnd] = [yield* Queue.unbounded<void>(), yield* Deferred.make<void>()]
      yield* receivers.script(URL_ONE, () =>
        Queue.offer(begun, undefined).pipe(Effect.zipRight(Deferred.await(mayEnd)), Effect.as(answered(200))),
      )
      for (let n = 0; n < 5; n++) yield* subscribe(owner)
      yield* Layer.build(Engine.workers)
      // 3 MB in UTF-8, for which 9 MB count.
      yield* accepted(owner.address, aMail({ text: "漢".repeat(1_100_000) }))
      yield* Queue.takeN(begun, 3)
      yield* TestClock.adjust("10 seconds")
      expect(yield* Queue.size(begun)).toBe(0)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* TestClock.adjust("10 seconds")
      yield* Queue.takeN(begun, 2)
      expect(yield* countTo(URL_ONE)).toBe(5)
    }),
  )

  rule(
    "deliver an account's first webhook at once while the receivers of two other accounts are silent",
    Effect.gen(function* () {
      const receivers = yield* MemoryReceivers
      const flooding = yield* Effect.all([unverified("one"), unverified("two")])
      const begun = yield* Queue.unbounded<void>()
      yield* receivers.script(URL_ONE, () => Effect.zipRight(Queue.offer(begun, undefined), Effect.never))
      for (const owner of flooding) for (let n = 0; n < 100; n++) yield* subscribe(owner)
      const quiet = yield* unverified("quiet")
      const posted = yield* Deferred.make<void>()
      yield* receivers.script(URL_TWO, () => Effect.as(Deferred.succeed(posted, undefined), answered(200)))
      yield* subscribe(quiet, { url: URL_TWO })
      yield* Layer.build(Engine.workers)
      for (const owner of flooding) yield* accepted(owner.address, aMail())
      // Two accounts hold 86 slots each at most, so 84 of 256 stay free.
      yield* Queue.takeN(begun, 150)
      yield* accepted(quiet.address, aMail())
      // Delivery yields to mail that is accepted at one instant. The receivers stay silent for longer.
      yield* TestClock.adjust("2 seconds")
      yield* Deferred.await(posted)
      expect(yield* countTo(URL_ONE)).toBeLessThan(200)
    }),
  )

  rule(
    "end in the time that they are given to finish, also when a receiver does not answer",
    Effect.gen(function* () {
      const receivers = yield* MemoryReceivers
      const owner = yield* unverified()
      const begun = yield* Deferred.make<void>()
      yield* receivers.script(URL_ONE, () =>
        Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never),
      )
      yield* subscribe(owner)
      yield* Layer.build(Engine.workers)
      const scope = yield* Scope.make()
      yield* Layer.buildWithScope(Engine.finishing(3 * SECOND), scope)
      yield* accepted(owner.address, aMail())
      yield* Deferred.await(begun)
      const ended = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(ended)
    }),
  )

  rule(
    "deliver an event without delay",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const receivers = yield* MemoryReceivers
      const posted = yield* Deferred.make<string>()
      yield* receivers.script(URL_ONE, ({ body }) => Effect.as(Deferred.succeed(posted, body), answered(200)))
      yield* subscribe(owner)
      yield* Layer.build(Engine.workers)
      yield* accepted(owner.address, aMail({ subject: "Live" }))
      expect(readBody(yield* Deferred.await(posted))).toMatchObject({ data: { subject: "Live" } })
    }),
  )
})
