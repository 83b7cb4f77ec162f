/** A send ends once, also when two processes recover it (docs/decisions/0042). */
import { describe, expect, it } from "@effect/vitest"
import { RelayUncertain } from "@mailroom/domain"
import { CrashRecovery, Engine, MessageStore, OutboundMail } from "@mailroom/engine"
import { freshDatabase } from "@mailroom/test-services"
import { clockAt } from "@mailroom/testing"
import { Context, Deferred, Effect, Exit, Fiber, Layer, TestClock } from "effect"
import { meetingOf } from "../support/concurrency.js"
import { NOON } from "../support/mailroom.js"
import { type Owner, paying } from "../support/owners.js"
import { accountOf, eventsOf, listed, threadsOf } from "../support/reading.js"
import { engineOn } from "../support/postgres.js"
import { RECIPIENT, send } from "../support/sends.js"

const SLOW = "slow@elsewhere.org"

/** Makes both engines wait for each other, each inside its recovery. */
class Meeting extends Context.Tag("test/Meeting")<
  Meeting,
  {
    readonly arrive: Effect.Effect<void>
    readonly relaying: Deferred.Deferred<void>
    readonly go: Deferred.Deferred<void>
  }
>() {}

const meeting = Effect.gen(function* () {
  const arrive = yield* meetingOf(2)
  const [relaying, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  return { arrive, relaying, go } satisfies Meeting["Type"]
})

/** Both engines read the stale sends before either changes one. The relay answers some sends when told to, others never. */
const meets = (at: Meeting["Type"]) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const messages = yield* MessageStore
      const relay = yield* OutboundMail
      const stale: MessageStore["Type"]["stale"] = (before, limit) =>
        Effect.tap(messages.stale(before, limit), (found) => (found.length > 0 ? at.arrive : Effect.void))
      const relaySend: OutboundMail["Type"]["send"] = (envelope, raw, within) => {
        if (envelope.to.includes(RECIPIENT)) return Effect.dieMessage("the process is gone")
        return envelope.to.includes(SLOW)
          ? Deferred.succeed(at.relaying, undefined).pipe(
              Effect.zipRight(Deferred.await(at.go)),
              Effect.zipRight(relay.send(envelope, raw, within)),
            )
          : relay.send(envelope, raw, within)
      }
      return Context.make(MessageStore, { ...messages, stale }).pipe(
        Context.add(OutboundMail, { send: relaySend }),
      )
    }),
  )

const STALE = 7

describe("sends of a dead process, recovered by two processes while others end", () => {
  it.scoped("each end once: a thread counts its messages, and each sent message has one event", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const at = yield* meeting
      const one = yield* Layer.build(engineOn(url, "one", meets(at)))
      const other = yield* Layer.build(engineOn(url, "other", meets(at)))
      yield* Effect.gen(function* () {
        const owner: Owner = yield* paying()
        const inReplyTo = "<conversation@elsewhere.org>"
        const abandoned = Array.from({ length: STALE }, () => send(owner, { inReplyTo }))
        const exits = yield* Effect.forEach(abandoned, (one) => Effect.exit(one))
        expect(exits.every(Exit.isFailure)).toBe(true)
        const slow = yield* Effect.fork(send(owner, { inReplyTo, to: [SLOW] }))
        yield* Deferred.await(at.relaying)
        yield* TestClock.adjust("11 minutes")

        const recover = Effect.flatMap(CrashRecovery, ({ drain }) => drain)
        const others = yield* Effect.fork(Effect.provide(recover, other))
        const mine = yield* Effect.fork(recover)
        yield* Deferred.succeed(at.go, undefined)
        yield* Fiber.join(others)
        yield* Fiber.join(mine)
        const sent = yield* Fiber.join(slow)
        yield* Engine.settle

        const messages = yield* listed(owner)
        expect(messages.map(({ status }) => status).sort()).toEqual([
          "SENT",
          ...Array.from({ length: STALE }, () => "UNKNOWN"),
        ])
        expect(sent.status).toBe("SENT")
        expect((yield* threadsOf(owner)).threads).toMatchObject([{ messageCount: STALE + 1 }])
        expect(yield* eventsOf(owner)).toMatchObject([
          { event: "message.sent", data: { message_id: sent.content.id } },
        ])
        expect(yield* accountOf(owner)).toMatchObject({ sentToday: STALE + 1 })
      }).pipe(Effect.provide(one))
    }).pipe(Effect.provide(clockAt(NOON))),
  )
})

const AT_ONCE = 30

/** A relay that takes each mail and hangs up without an answer. */
const hangsUp = Layer.succeed(OutboundMail, {
  send: (envelope) =>
    envelope.to.includes(RECIPIENT)
      ? new RelayUncertain({ reason: "no answer after the whole mail was sent" })
      : Effect.succeed({ answer: "250 2.0.0 ok" }),
})

describe("sends of one conversation that end uncertain concurrently, in two processes", () => {
  it.scoped("are all counted in their thread", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const owner: Owner = yield* Effect.provide(paying(), engineOn(url, "first", Layer.empty))
      const one = yield* Layer.build(engineOn(url, "one", hangsUp))
      const other = yield* Layer.build(engineOn(url, "other", hangsUp))
      const sendOne = Effect.exit(send(owner, { inReplyTo: "<conversation@elsewhere.org>" }))
      yield* Effect.forEach(
        Array.from({ length: AT_ONCE }, (_, index) => (index % 2 === 0 ? one : other)),
        (engine) => Effect.provide(sendOne, engine),
        { concurrency: "unbounded", discard: true },
      )
      yield* Effect.gen(function* () {
        const messages = yield* listed(owner)
        expect(messages.map(({ status }) => status)).toEqual(messages.map(() => "UNKNOWN"))
        expect(messages).toHaveLength(AT_ONCE)
        expect((yield* threadsOf(owner)).threads).toMatchObject([{ messageCount: AT_ONCE }])
      }).pipe(Effect.provide(one))
    }).pipe(Effect.provide(clockAt(NOON))),
  )
})
