/** The log lines during an outage of the storage. */
import { describe, expect, it } from "@effect/vitest"
import { makeOutageLog, StorageFailure } from "@mailroom/engine"
import { Cause, Effect, TestClock } from "effect"

const away = Cause.die(new StorageFailure({ reason: "unavailable", cause: "connection lost" }))
const fault = Cause.die(new Error("a fault of ours"))

const logged = () => {
  const lines: Array<string> = []
  return { lines, log: makeOutageLog((message) => Effect.sync(() => void lines.push(message))) }
}

describe("a failure", () => {
  it.effect("of an unavailable storage is logged once a second, with the number of those left out", () =>
    Effect.gen(function* () {
      const { lines, log } = logged()
      for (let n = 0; n < 100; n++) yield* log("a request failed", away)
      expect(lines).toEqual(["a request failed"])
      yield* TestClock.adjust("1 second")
      yield* log("a request failed", away)
      expect(lines.slice(1)).toEqual(["a request failed (and 99 more since the last such line)"])
      yield* TestClock.adjust("1 second")
      yield* log("a request failed", away)
      expect(lines.slice(2)).toEqual(["a request failed"])
    }),
  )

  it.effect("of any other kind is always logged", () =>
    Effect.gen(function* () {
      const { lines, log } = logged()
      for (let n = 0; n < 3; n++) yield* log("a request failed", fault)
      expect(lines).toHaveLength(3)
    }),
  )
})
