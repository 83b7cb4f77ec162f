/** Consumers during an outage of the storage: no event is lost, and a handler that ended is not called again. */
import { describe, expect } from "@effect/vitest"
import { type MailEvent, MINUTE, SECOND } from "@mailroom/domain"
import { Consumers, ConsumerStore, type HandledEvent, StorageFailure } from "@mailroom/engine"
import { Context, Effect, Layer, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"

/** Takes the store of consumers away, and brings it back. */
class Outage extends Context.Tag("test/Outage")<
  Outage,
  { readonly set: (isAway: boolean) => Effect.Effect<void> }
>() {}

const failing = Layer.effectContext(
  Effect.map(ConsumerStore, (store) => {
    let isAway = false
    const orAway = <A>(work: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.suspend(() =>
        isAway ? Effect.die(new StorageFailure({ reason: "unavailable", cause: "connection lost" })) : work,
      )
    return Context.make(ConsumerStore, {
      add: (...given) => orAway(store.add(...given)),
      lock: (...given) => orAway(store.lock(...given)),
      setRead: (...given) => orAway(store.setRead(...given)),
      take: (...given) => orAway(store.take(...given)),
      takeDue: (...given) => orAway(store.takeDue(...given)),
      nextDue: (...given) => orAway(store.nextDue(...given)),
      renew: (...given) => orAway(store.renew(...given)),
      complete: (...given) => orAway(store.complete(...given)),
      releaseLease: (...given) => orAway(store.releaseLease(...given)),
      fail: (...given) => orAway(store.fail(...given)),
      parked: (...given) => orAway(store.parked(...given)),
      retryParked: (...given) => orAway(store.retryParked(...given)),
      abandonClaim: (...given) => orAway(store.abandonClaim(...given)),
    }).pipe(Context.add(Outage, { set: (away) => Effect.sync(() => void (isAway = away)) }))
  }),
)

const rule = ruleWith(failing)

const subjectOf = (event: MailEvent): string =>
  event._tag === "message.received" ? event.message.subject : event._tag

/** Runs a consumer in the background. */
const running = <E>(owner: Owner, handler: (handled: HandledEvent) => Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    const consumers = yield* Consumers
    const terms = {
      name: "worker",
      from: "now" as const,
      concurrency: 1,
      filter: { mailboxes: null, kinds: null },
    }
    yield* Effect.forkScoped(consumers.consume(yield* as(owner), terms, handler))
    yield* TestClock.adjust(1)
  })

/** Lets seconds pass one by one: each is a step in which work that waits goes on. */
const secondsPass = (seconds: number) => Effect.repeatN(TestClock.adjust(SECOND), seconds - 1)

describe("an outage of the storage", () => {
  rule(
    "while a handler runs calls it once, and the next event follows",
    Effect.gen(function* () {
      const owner = yield* paying()
      const outage = yield* Outage
      const seen: Array<string> = []
      yield* running(owner, ({ event }) =>
        Effect.zipRight(
          Effect.sync(() => seen.push(subjectOf(event))),
          Effect.sleep(SECOND),
        ),
      )
      yield* received(owner.address, { subject: "During" })
      yield* TestClock.adjust(1)
      yield* outage.set(true)
      yield* secondsPass(30)
      yield* received(owner.address, { subject: "After" })
      yield* secondsPass(30)
      expect(seen).toEqual(["During"])
      yield* outage.set(false)
      yield* secondsPass(30)
      expect(seen).toEqual(["During", "After"])
    }),
  )

  rule(
    "delays the events that come in it, and each is handled once, in order",
    Effect.gen(function* () {
      const owner = yield* paying()
      const outage = yield* Outage
      const seen: Array<string> = []
      yield* running(owner, ({ event }) => Effect.sync(() => seen.push(subjectOf(event))))
      yield* outage.set(true)
      for (const subject of ["One", "Two", "Three"]) {
        yield* received(owner.address, { subject })
        yield* secondsPass(2)
      }
      expect(seen).toEqual([])
      yield* outage.set(false)
      yield* secondsPass(30)
      expect(seen).toEqual(["One", "Two", "Three"])
    }),
  )

  rule(
    "of a store that only the handler uses: the event is handed out again each second, and no attempt counts",
    Effect.gen(function* () {
      const owner = yield* paying()
      const attempts: Array<number> = []
      const away = new StorageFailure({ reason: "unavailable", cause: "the folder of the blobs is absent" })
      yield* running(owner, ({ attempt }) =>
        Effect.zipRight(
          Effect.sync(() => attempts.push(attempt)),
          Effect.die(away),
        ),
      )
      yield* received(owner.address)
      yield* TestClock.adjust(1)
      yield* secondsPass(3)
      expect(attempts).toEqual([1, 1, 1, 1])
    }),
  )

  rule(
    "that fails a handler hands its event out again after the lease at the latest, and parks nothing",
    Effect.gen(function* () {
      const owner = yield* paying()
      const consumers = yield* Consumers
      const outage = yield* Outage
      const attempts: Array<string> = []
      const away = new StorageFailure({ reason: "unavailable", cause: "connection lost" })
      yield* running(owner, ({ event }) =>
        Effect.suspend(() => {
          attempts.push(subjectOf(event))
          return attempts.length === 1 ? Effect.zipRight(outage.set(true), Effect.die(away)) : Effect.void
        }),
      )
      yield* received(owner.address, { subject: "Tried" })
      yield* secondsPass(10)
      yield* outage.set(false)
      yield* Effect.repeatN(secondsPass(30), 4)
      expect(attempts).toEqual(["Tried", "Tried"])
      expect(yield* consumers.parked(yield* as(owner), "worker")).toEqual([])
      yield* TestClock.adjust(10 * MINUTE)
      expect(attempts).toHaveLength(2)
    }),
  )
})
