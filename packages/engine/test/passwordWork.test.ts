/** Concurrency and queueing of password hashing (docs/decisions/0045). */
import { describe, expect, it } from "@effect/vitest"
import {
  PASSWORD_WORK_AT_ONCE,
  PASSWORD_WORK_WAITING_MAX,
  PASSWORD_WORK_WAITING_PER_SITE,
} from "@mailroom/domain"
import { Passwords, PasswordWork } from "@mailroom/engine"
import { Effect, Either, Fiber, Layer, Queue } from "effect"

/** Hashing that ends when the test lets it, one call at a time, and records for whom. */
const workshop = Effect.gen(function* () {
  const mayEnd = yield* Queue.unbounded<void>()
  const done: Array<string> = []
  let running = 0
  let most = 0
  const passwords = Layer.succeed(Passwords, {
    hash: (password) =>
      Effect.gen(function* () {
        most = Math.max(most, ++running)
        yield* Queue.take(mayEnd)
        running -= 1
        done.push(password)
        return password
      }),
    verify: () => Effect.succeed(true),
  })
  const { hash } = yield* Effect.provide(PasswordWork, Layer.provide(PasswordWork.layer, passwords))
  /** Starts work for a client address, and lets it run until it waits. */
  const begin = (name: string, address: string) =>
    Effect.fork(Effect.either(hash(name, address))).pipe(Effect.tap(() => Effect.yieldNow()))
  const finish = (count: number) =>
    Queue.offerAll(
      mayEnd,
      Array.from({ length: count }, () => undefined),
    )
  return { begin, finish, done, most: () => most }
})

const siteOf = (n: number) => `10.0.${n}.1`

describe("the work on passwords", () => {
  it.effect("runs four at a time; one site may have 16 waiting, more are refused at once", () =>
    Effect.gen(function* () {
      const { begin, finish, most } = yield* workshop
      const fibers = yield* Effect.forEach(Array.from({ length: 40 }), () => begin("flood", siteOf(1)))
      yield* finish(40)
      const outcomes = yield* Fiber.join(Fiber.all(fibers))
      expect(most()).toBe(PASSWORD_WORK_AT_ONCE)
      expect(outcomes.filter(Either.isRight)).toHaveLength(
        PASSWORD_WORK_AT_ONCE + PASSWORD_WORK_WAITING_PER_SITE,
      )
      expect(outcomes.find(Either.isLeft)).toMatchObject({ left: { _tag: "Overloaded", retryAfter: 2 } })
    }),
  )

  it.effect("serves the sites in turn: a site that floods delays another by one turn", () =>
    Effect.gen(function* () {
      const { begin, finish, done } = yield* workshop
      const flood = yield* Effect.forEach(Array.from({ length: 20 }), () => begin("flood", siteOf(1)))
      const quiet = yield* begin("quiet", siteOf(2))
      yield* finish(21)
      yield* Fiber.join(Fiber.all([...flood, quiet]))
      expect(done.indexOf("quiet")).toBeLessThanOrEqual(PASSWORD_WORK_AT_ONCE + 1)
    }),
  )

  it.effect("displaces the newest waiter of the site with most when the queue is full", () =>
    Effect.gen(function* () {
      const { begin, finish } = yield* workshop
      const sites = PASSWORD_WORK_WAITING_MAX / PASSWORD_WORK_WAITING_PER_SITE
      const running = yield* Effect.forEach(Array.from({ length: PASSWORD_WORK_AT_ONCE }), () =>
        begin("first", siteOf(0)),
      )
      const floods = yield* Effect.forEach(Array.from({ length: PASSWORD_WORK_WAITING_MAX }), (_, n) =>
        begin("flood", siteOf(1 + (n % sites))),
      )
      const quiet = yield* begin("quiet", siteOf(99))
      yield* finish(100)
      expect(Either.isRight(yield* Fiber.join(quiet))).toBe(true)
      const outcomes = yield* Fiber.join(Fiber.all([...running, ...floods]))
      expect(outcomes.filter(Either.isLeft)).toHaveLength(1)
    }),
  )
})
