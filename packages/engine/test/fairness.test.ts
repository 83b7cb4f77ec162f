/** Mail of a quiet tenant does not wait for the old floods of others (docs/decisions/0046). */
import { describe, expect, it } from "@effect/vitest"
import { RawMailId, SECOND } from "@mailroom/domain"
import { Engine, RawMailStore } from "@mailroom/engine"
import { freshDatabase } from "@mailroom/test-services"
import { clockAt } from "@mailroom/testing"
import { Clock, Effect, Layer, Option, Stream, TestClock } from "effect"
import { accepted, aMail, envelopeTo } from "./support/arrivals.js"
import { NOON, rule } from "./support/mailroom.js"
import { type Owner, paying } from "./support/owners.js"
import { engineOn } from "./support/postgres.js"
import { accountOf, arrivalsOf, listed, subjectsOf } from "./support/reading.js"

const FLOOD = 5_000

/** An id of its own for each second and index. */
const idOf = (now: number, index: number) =>
  `${Math.floor(now / SECOND).toString(16)}-0000-7000-8000-${String(index).padStart(12, "0")}`

/** Enqueues 5,000 mails of a tenant whose turns have passed, as after a flood of several minutes beyond capacity. */
const oldFlood = ({ address }: Owner) =>
  Effect.gen(function* () {
    const rawMails = yield* RawMailStore
    const now = yield* Clock.currentTimeMillis
    const raw = {
      id: RawMailId.make(idOf(now, FLOOD)),
      content: { kind: "inline", bytes: aMail({ subject: "Flood" }) },
      createdAt: now,
    } as const
    const envelope = envelopeTo([address], now)
    const tenant = address.slice(address.indexOf("@") + 1)
    yield* rawMails.insert([raw])
    yield* rawMails.enqueue(
      Array.from({ length: FLOOD }, (_, index) => ({
        id: idOf(now, index),
        rawId: raw.id,
        envelope,
        dueAt: 0,
        lane: "fast" as const,
        turn: now + index,
        tenant,
        workBytes: raw.content.bytes.length,
      })),
    )
  })

/** The messages that an account has received, in the trial or above a limit also gated ones. */
const receivedCount = (owner: Owner) =>
  Effect.map(accountOf(owner), ({ monthlyInboundCount }) => monthlyInboundCount)

/** Delivers one mail of a quiet tenant while the workers run, without a step of the test's clock. */
const deliveredAtOnce = (quiet: Owner) =>
  Effect.gen(function* () {
    const events = yield* arrivalsOf(quiet)
    yield* accepted(quiet.address, aMail({ subject: "Quick" }))
    expect(Option.isSome(yield* Stream.runHead(events))).toBe(true)
    expect(subjectsOf(yield* listed(quiet))).toEqual(["Quick"])
  })

describe("mail of a quiet tenant", () => {
  rule(
    "is delivered at once behind 10,000 old mails of two others",
    Effect.gen(function* () {
      const [loud, noisy, quiet] = yield* Effect.all([paying("loud"), paying("noisy"), paying("quiet")])
      yield* oldFlood(loud)
      yield* TestClock.adjust("5 minutes")
      yield* oldFlood(noisy)
      yield* TestClock.adjust("5 minutes")
      yield* Layer.build(Engine.workers)
      yield* deliveredAtOnce(quiet)
      expect(yield* receivedCount(loud)).toBeLessThan(1_000)
      expect(yield* receivedCount(noisy)).toBeLessThan(1_000)
    }),
  )

  it.scoped("is delivered at once behind 5,000 old mails that another process delivers", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const first = yield* Layer.build(engineOn(url, "first", Layer.empty))
      const second = yield* Layer.build(engineOn(url, "second", Layer.empty))
      const owners = Effect.all([paying("loud"), paying("quiet")])
      const [loud, quiet] = yield* Effect.provide(owners, first)
      yield* Effect.provide(oldFlood(loud), first)
      yield* TestClock.adjust("5 minutes")
      yield* Effect.provide(Layer.build(Engine.workers), first)
      yield* Effect.provide(Layer.build(Engine.workers), second)
      yield* Effect.provide(deliveredAtOnce(quiet), second)
      expect(yield* Effect.provide(receivedCount(loud), first)).toBeLessThan(1_000)
    }).pipe(Effect.provide(clockAt(NOON))),
  )
})
