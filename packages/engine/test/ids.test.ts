/** Ids sort in the order they were made (spec: decisions.values.ids). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { Entropy } from "../src/ports/Crypto.js"
import { Ids } from "../src/ids/Ids.js"

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Bytes that count up, so that each digit of an id tells where it is from. */
const counting = Layer.succeed(Entropy, {
  bytes: (length: number) => Effect.succeed(Uint8Array.from({ length }, (_, index) => index)),
})

const rule = <A, E>(name: string, body: Effect.Effect<A, E, Ids>) =>
  it.effect(name, () => Effect.provide(body, Layer.provide(Ids.layer, counting)))

describe("an id", () => {
  rule(
    "has the time, a counter, the variant and the random bytes, each in its place",
    Effect.gen(function* () {
      yield* TestClock.setTime(0x0123456789ab)
      const { uuid } = yield* Ids
      expect(yield* uuid).toBe("01234567-89ab-7009-8001-020304050607")
    }),
  )

  rule(
    "is of version 7 from the first millisecond of a clock",
    Effect.gen(function* () {
      const { uuids } = yield* Ids
      for (const id of yield* uuids(3)) expect(id).toMatch(version7)
    }),
  )

  rule(
    "sorts behind those that were made before it, within a millisecond and when the clock goes back",
    Effect.gen(function* () {
      const { uuids, uuid } = yield* Ids
      yield* TestClock.setTime(1000)
      const made = [...(yield* uuids(5000))]
      yield* TestClock.setTime(1)
      made.push(yield* uuid)
      yield* TestClock.setTime(5000)
      made.push(yield* uuid)
      expect(made.toSorted()).toEqual(made)
      expect(new Set(made).size).toBe(made.length)
      for (const id of made) expect(id).toMatch(version7)
    }),
  )
})
