/** The bodies that a process holds at a time (docs/decisions/0036). */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, type Scope, TestClock } from "effect"
import * as FastCheck from "effect/FastCheck"
import { BodiesInFlight, hasRoom, isTooSlow, type BodySender } from "../src/bodies/BodiesInFlight.js"
import { ACCOUNTS_MAX_BYTES, ANONYMOUS_MAX_BYTES, BODY_MIN_RATE } from "../src/bodies/limits.js"

const MB = 1024 * 1024

const account = (id: string): BodySender => ({ known: true, id })
const nobody = (id: string): BodySender => ({ known: false, id })

/** A request whose body brings these chunks, and then nothing more. */
const unfinished = (...chunks: ReadonlyArray<Uint8Array>) =>
  HttpServerRequest.fromWeb(
    new Request("http://mailroom.test/", {
      method: "POST",
      duplex: "half",
      body: new ReadableStream<Uint8Array>({
        start: (controller) => chunks.forEach((chunk) => controller.enqueue(chunk)),
      }),
    }),
  )

/** Takes room for a body that announces so many bytes, as long as the scope lasts; whether there was room. */
const hold = (sender: BodySender, bytes: number) =>
  Effect.flatMap(BodiesInFlight, ({ read }) => read(unfinished(), sender, bytes, () => Effect.void)).pipe(
    Effect.exit,
    Effect.map(Exit.isSuccess),
  )

const holding = (sender: BodySender, bytes: number, times: number) =>
  Effect.map(Effect.replicateEffect(hold(sender, bytes), times), (held) => held.filter(Boolean).length)

const rule = <A, E>(name: string, body: () => Effect.Effect<A, E, BodiesInFlight | Scope.Scope>) =>
  it.scoped(name, () => Effect.provide(body(), BodiesInFlight.layer))

describe("room for bodies", () => {
  it("is half of all for one sender alone", () => {
    expect(hasRoom(100, 0, 0, 50)).toBe(true)
    expect(hasRoom(100, 0, 0, 51)).toBe(false)
    expect(hasRoom(100, 30, 30, 20)).toBe(true)
    expect(hasRoom(100, 30, 30, 21)).toBe(false)
  })

  it("is never used up: whoever comes next finds as much as the greediest of those before left", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.tuple(FastCheck.nat(9), FastCheck.integer({ min: 1, max: 400 })), {
          maxLength: 300,
        }),
        (wants) => {
          const held = new Map<number, number>()
          let used = 0
          for (const [sender, bytes] of wants) {
            const before = held.get(sender) ?? 0
            if (!hasRoom(10_000, used, before, bytes)) continue
            held.set(sender, before + bytes)
            used += bytes
          }
          // Ten senders, each as greedy as it likes, leave an eleventh of everything.
          expect(10_000 - used).toBeGreaterThanOrEqual(10_000 / 11 - 1)
        },
      ),
    )
  })

  rule("is shared fairly: sixty unfinished uploads of one account leave room for the next", () =>
    Effect.gen(function* () {
      expect(yield* holding(account("greedy"), 25 * MB, 60)).toBe((ACCOUNTS_MAX_BYTES / 2 / (25 * MB)) | 0)
      expect(yield* hold(account("greedy"), 43 * MB)).toBe(false)
      expect(yield* hold(account("modest"), 43 * MB)).toBe(true)
      expect(yield* holding(account("small"), 64 * 1024, 100)).toBe(100)
    }),
  )

  rule("of callers without credentials is small, and apart from that of accounts", () =>
    Effect.gen(function* () {
      const held = yield* holding(nobody("192.0.2.1"), 16 * 1024, 1000)
      expect(held * 16 * 1024).toBe(ANONYMOUS_MAX_BYTES / 2)
      expect(yield* hold(nobody("192.0.2.2"), 16 * 1024)).toBe(true)
      expect(yield* hold(account("known"), 43 * MB)).toBe(true)
    }),
  )

  rule("comes back when the request is answered", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 20; n++) expect(yield* Effect.scoped(hold(account("a"), 100 * MB))).toBe(true)
    }),
  )

  rule("grows with a body that announces no length", () =>
    Effect.gen(function* () {
      const { read } = yield* BodiesInFlight
      const chunk = new Uint8Array(3 * MB)
      const pulled = yield* read(unfinished(chunk, chunk), nobody("192.0.2.1"), null, (next) =>
        Effect.zipRight(next, Effect.exit(next)),
      )
      expect(pulled).toMatchObject({ _tag: "Failure", cause: { error: { _tag: "TooManyBodies" } } })
      expect(yield* hold(nobody("192.0.2.1"), 2 * MB)).toBe(false)
    }),
  )
})

describe("a body that stops coming", () => {
  for (const [who, sender, seconds] of [
    ["nobody", nobody("192.0.2.1"), 10],
    ["an account", account("a"), 20],
  ] as const)
    rule(`of ${who} is given up after ${seconds} s`, () =>
      Effect.gen(function* () {
        const { read } = yield* BodiesInFlight
        const reading = yield* Effect.fork(Effect.exit(read(unfinished(), sender, 100, (next) => next)))
        yield* TestClock.adjust(`${seconds} seconds`)
        expect((yield* Fiber.poll(reading))._tag).toBe("None")
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(reading)).toMatchObject({
          _tag: "Failure",
          cause: { error: { _tag: "RequestTooSlow" } },
        })
      }),
    )

  it("may come as slowly as 64 kB a second, on average", () => {
    expect(isTooSlow(10_000 + 25_000, 25 * BODY_MIN_RATE, 10_000)).toBe(false)
    expect(isTooSlow(10_000 + 25_001, 25 * BODY_MIN_RATE, 10_000)).toBe(true)
  })
})
