/**
 * Workers of two processes share a mailbox on one Postgres, and die at random with the messages that they hold: each
 * message is completed once, and none is forgotten. `RACES=all` runs 200 workers over 1,500 messages.
 */
import { describe, expect, it } from "@effect/vitest"
import { SECOND } from "@mailroom/domain"
import { clockAt } from "@mailroom/testing"
import { freshDatabase } from "@mailroom/test-services"
import { Effect, Either, Layer, Random, TestClock } from "effect"
import { receivedMany } from "../support/arrivals.js"
import { NOON } from "../support/mailroom.js"
import { type Owner, paying } from "../support/owners.js"
import { engineOn } from "../support/postgres.js"
import { claim, end, subjectOf } from "../support/sharing.js"

const isLarge = process.env["RACES"] === "all"
const WORKERS = isLarge ? 200 : 12
const MESSAGES = isLarge ? 1_500 : 60

/** What the workers did: the subjects that were completed, and how many workers died. */
interface Work {
  readonly completed: Array<string | null>
  died: number
}

/** Claims and completes messages until none is left. Dies with every tenth message, and gives every tenth back. */
const worker = (owner: Owner, work: Work) =>
  Effect.gen(function* () {
    for (;;) {
      const claimed = yield* claim(owner, { leaseSeconds: 30 })
      if (claimed === null) return
      const fate = yield* Random.nextIntBetween(0, 10)
      if (fate === 0) {
        work.died += 1
        return
      }
      if (fate === 1) yield* end(owner, claimed, "RELEASED")
      else {
        yield* end(owner, claimed)
        work.completed.push(subjectOf(claimed))
        // Its answer was lost: it completes the message again.
        if (fate === 2) yield* end(owner, claimed)
      }
    }
  })

describe("workers of two processes on one mailbox", () => {
  it.scoped(
    "complete each message once and forget none, although some die",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase()
        const first = yield* Layer.build(engineOn(url, "first", Layer.empty))
        const second = yield* Layer.build(engineOn(url, "second", Layer.empty))
        const owner = yield* Effect.provide(
          Effect.tap(paying("acme", "Scale"), ({ address }) => receivedMany(address, MESSAGES)),
          first,
        )
        const work: Work = { completed: [], died: 0 }
        const shift = Effect.forEach(
          Array.from({ length: WORKERS }, (_, index) => (index % 2 === 0 ? first : second)),
          (process) => Effect.provide(worker(owner, work), process),
          { concurrency: "unbounded", discard: true },
        )
        for (let round = 0; work.completed.length < MESSAGES && round < 1_000; round++) {
          yield* shift
          yield* TestClock.adjust(30 * SECOND)
        }
        expect(new Set(work.completed).size).toBe(MESSAGES)
        expect(work.completed).toHaveLength(MESSAGES)
        expect(work.died).toBeGreaterThan(0)
        const rest = yield* Effect.either(Effect.provide(claim(owner), second))
        expect(rest).toEqual(Either.right(null))
      }).pipe(Effect.withRandom(Random.make("claims")), Effect.provide(clockAt(NOON))),
    isLarge ? 600_000 : 60_000,
  )
})
