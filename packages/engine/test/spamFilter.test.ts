/** The spam filter in the delivery stage: its judgement is part of the message, and its absence delays nothing for long. */
import { describe, expect } from "@effect/vitest"
import type { Spam } from "@mailroom/domain"
import { Engine, SpamFilterFailed } from "@mailroom/engine"
import { GTUBE, MemoryJudgements, MemorySpamFilter } from "@mailroom/network"
import { logLinesOf } from "@mailroom/test-services"
import { Deferred, Effect, Fiber, Queue, TestClock } from "effect"
import { accepted, aMail, received } from "./support/arrivals.js"
import { ruleWith } from "./support/mailroom.js"
import { paying } from "./support/owners.js"
import { eventsOf, listed, newest } from "./support/reading.js"

const rule = ruleWith(MemorySpamFilter.layer)

const failure = new SpamFilterFailed({ reason: "connection refused" })
const clean: Spam = { score: 1, action: "no action", symbols: [] }

describe("the spam filter", () => {
  rule(
    "judges each mail; message and event have its judgement",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { text: GTUBE })
      const spam = { score: 15, action: "reject", symbols: ["GTUBE"] }
      expect(yield* newest(owner)).toMatchObject({ spam })
      expect(yield* eventsOf(owner)).toMatchObject([{ data: { spam } }])
      yield* received(owner.address)
      expect(yield* newest(owner)).toMatchObject({ spam: { score: 0, action: "no action", symbols: [] } })
    }),
  )

  rule(
    "that fails leaves the message without a judgement, and the log says so once for an outage",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { script, asked } = yield* MemoryJudgements
      yield* script(() => failure)
      const lines = yield* logLinesOf(
        Effect.gen(function* () {
          for (let mails = 0; mails < 5; mails++) yield* received(owner.address)
          expect(yield* asked).toBe(3)
          yield* script(() => Effect.succeed(clean))
          yield* received(owner.address)
          expect(yield* newest(owner)).toMatchObject({ spam: null })
          yield* TestClock.adjust("30 seconds")
          yield* received(owner.address)
        }),
      )
      expect(yield* newest(owner)).toMatchObject({ spam: { score: 1 } })
      const said = lines
        .flatMap(({ said: texts }) => texts)
        .filter((text) => String(text).includes("spam filter"))
      expect(said).toEqual([
        "The spam filter fails (connection refused); mail is delivered without its judgement",
        "The spam filter answers again after 30 s",
      ])
    }),
  )

  rule(
    "that is silent holds a mail up for three seconds at most",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { script } = yield* MemoryJudgements
      const begun = yield* Deferred.make<void>()
      yield* script(() => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
      yield* accepted(owner.address, aMail())
      const delivering = yield* Effect.fork(Engine.settle)
      yield* Deferred.await(begun)
      yield* TestClock.adjust("2 seconds")
      expect(yield* listed(owner)).toEqual([])
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(delivering)
      expect(yield* listed(owner)).toMatchObject([{ spam: null }])
    }),
  )

  rule(
    "that is slow for the mail of one tenant holds up no other mail of its batch that waits as well",
    Effect.gen(function* () {
      const [silent, slow] = [yield* paying("silent"), yield* paying("slow")]
      const { script } = yield* MemoryJudgements
      const begun = yield* Queue.unbounded<void>()
      yield* script((_, { to }) =>
        Effect.zipRight(
          Queue.offer(begun, undefined),
          to.includes(silent.address) ? Effect.never : Effect.delay(Effect.succeed(clean), "1 second"),
        ),
      )
      yield* accepted(silent.address, aMail())
      yield* accepted(slow.address, aMail())
      const delivering = yield* Effect.fork(Engine.settle)
      yield* Queue.takeN(begun, 2)
      yield* TestClock.adjust("2 seconds")
      expect(yield* listed(slow)).toMatchObject([{ spam: clean }])
      expect(yield* listed(silent)).toEqual([])
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(delivering)
      expect(yield* listed(silent)).toMatchObject([{ spam: null }])
    }),
  )
})
