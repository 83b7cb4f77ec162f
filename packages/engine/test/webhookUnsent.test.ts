/** Webhook attempts that fail in this process before their request is sent. */
import { describe, expect } from "@effect/vitest"
import { type DeliveryId, MINUTE, SECOND } from "@mailroom/domain"
import { Engine, StorageFailure, WebhookStore } from "@mailroom/engine"
import { Context, Effect, Layer, Option, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { ruleWith } from "./support/mailroom.js"
import { unverified } from "./support/owners.js"
import { countTo, deliveriesOf, lastDelivery, subscribe, URL_ONE } from "./support/webhooks.js"

/** Events that this process cannot read. */
class UnreadableEvents extends Context.Tag("test/UnreadableEvents")<
  UnreadableEvents,
  {
    /** Makes the event of the next delivery unreadable, until the returned effect runs. */
    readonly spoilNext: Effect.Effect<Effect.Effect<void>>
    /** Makes reads of large events fail, until the returned effect runs. */
    readonly outage: Effect.Effect<Effect.Effect<void>>
  }
>() {}

/** The envelope of an event with attachments, as a newer process might store it. */
const UNREADABLE = '{"attachments":[{}]}'

const unreadableEvents = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* WebhookStore
    let spoiled: DeliveryId | "next" | null = null
    let isAway = false
    return Context.make(WebhookStore, {
      ...store,
      beginNextAttempt: (...terms) =>
        Effect.map(
          store.beginNextAttempt(...terms),
          Option.map((due) => {
            if (spoiled === "next") spoiled = due.delivery.id
            return due.delivery.id === spoiled ? { ...due, envelope: UNREADABLE } : due
          }),
        ),
      envelopeOf: (delivery) =>
        isAway
          ? Effect.die(new StorageFailure({ reason: "unavailable", cause: "as told" }))
          : store.envelopeOf(delivery),
    }).pipe(
      Context.add(UnreadableEvents, {
        spoilNext: Effect.sync(() => {
          spoiled = "next"
          return Effect.sync(() => {
            spoiled = null
          })
        }),
        outage: Effect.sync(() => {
          isAway = true
          return Effect.sync(() => {
            isAway = false
          })
        }),
      }),
    )
  }),
)

const rule = ruleWith(unreadableEvents)

const after = (millis: number) => Effect.zipRight(TestClock.adjust(millis), Engine.settle)

describe("an attempt that fails before its request is sent", () => {
  rule(
    "is not counted, and is made again a minute after its lease",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      const repair = yield* Effect.flatMap(UnreadableEvents, ({ spoilNext }) => spoilNext)
      yield* received(owner.address)
      for (let minute = 0; minute < 10; minute++) yield* after(MINUTE)
      expect(yield* lastDelivery(owner, made)).toMatchObject({ status: "PENDING", attempts: 0 })
      yield* repair
      yield* after(MINUTE + SECOND)
      expect(yield* lastDelivery(owner, made)).toMatchObject({ status: "DELIVERED", attempts: 1 })
    }),
  )

  rule(
    "does not hold up the next delivery of its webhook",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* Effect.flatMap(UnreadableEvents, ({ spoilNext }) => spoilNext)
      yield* received(owner.address, { subject: "Unreadable" })
      yield* received(owner.address, { subject: "Readable" })
      yield* after(SECOND)
      expect((yield* deliveriesOf(owner, made)).map(({ status }) => status)).toEqual(["DELIVERED", "PENDING"])
    }),
  )

  rule(
    "is not counted during an outage, and is made again a second after it",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      const back = yield* Effect.flatMap(UnreadableEvents, ({ outage }) => outage)
      yield* received(owner.address, { text: "漢".repeat(100_000) })
      for (let second = 0; second < 10; second++) yield* after(SECOND)
      expect(yield* lastDelivery(owner, made)).toMatchObject({ status: "PENDING", attempts: 0 })
      expect(yield* countTo(URL_ONE)).toBe(0)
      yield* back
      yield* after(SECOND)
      expect(yield* lastDelivery(owner, made)).toMatchObject({ status: "DELIVERED", attempts: 1 })
    }),
  )
})
