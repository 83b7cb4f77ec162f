/** Billing that the operator turns off (`spec: decisions.state.no-billing`). */
import { describe, expect } from "@effect/vitest"
import { type BillingMode, DAY, type Plan } from "@mailroom/domain"
import { Administration, BillingEnd, Engine, Settings } from "@mailroom/engine"
import { testSettings } from "@mailroom/testing"
import { Effect, Layer, TestClock } from "effect"
import { receivedMany } from "./support/arrivals.js"
import { NOON, ruleOnPorts } from "./support/mailroom.js"
import { as, pay, unverified, verificationToken, verified, verifyEmail } from "./support/owners.js"
import { lapses } from "./support/plans.js"
import { accountOf, listed } from "./support/reading.js"

/** A start of the service with this billing mode. */
const startedWith = (billing: BillingMode, defaultPlan: Plan = "Free") =>
  Effect.provide(
    Layer.effectDiscard(Effect.flatMap(BillingEnd, ({ schedule }) => schedule)).pipe(
      Layer.provideMerge(Layer.fresh(Engine.layer)),
      Layer.provideMerge(Layer.succeed(Settings, { ...testSettings, billing, defaultPlan })),
    ),
  )
const simulated = startedWith("simulated")

describe("after billing was turned off", () => {
  ruleOnPorts(
    "accounts of the trial are on the default plan, and what the trial gated unlocks",
    Effect.gen(function* () {
      const [used, spent] = yield* simulated(
        Effect.gen(function* () {
          const owners = [yield* verified("used"), yield* verified("spent")] as const
          yield* receivedMany(owners[0].address, 12)
          yield* TestClock.setTime(NOON + 4 * DAY)
          expect(yield* accountOf(owners[0])).toMatchObject({
            state: "payment_required",
            overLimitMessageCount: 2,
          })
          return owners
        }),
      )
      yield* startedWith(
        "none",
        "Growth",
      )(
        Effect.gen(function* () {
          yield* Engine.settle
          for (const owner of [used, spent])
            expect(yield* accountOf(owner)).toMatchObject({
              state: "active",
              plan: "Growth",
              trial: null,
              overLimitMessageCount: 0,
            })
          expect(yield* listed(used, { limit: 1 })).toMatchObject([{ subject: "Mail 12" }])
        }),
      )
    }),
  )

  ruleOnPorts(
    "what the trial gated unlocks also where the default plan is Free, and what the month gated does not",
    Effect.gen(function* () {
      const { inTrial, inMonth } = yield* simulated(
        Effect.gen(function* () {
          const owners = { inTrial: yield* verified("trial"), inMonth: yield* unverified("month") }
          yield* receivedMany(owners.inTrial.address, 11)
          yield* receivedMany(owners.inMonth.address, 101)
          return owners
        }),
      )
      yield* startedWith("none")(
        Effect.gen(function* () {
          yield* Engine.settle
          expect(yield* accountOf(inTrial)).toMatchObject({ plan: "Free", overLimitMessageCount: 0 })
          expect(yield* listed(inTrial, { limit: 1 })).toMatchObject([{ subject: "Mail 11" }])
          expect(yield* accountOf(inMonth)).toMatchObject({ plan: "Free", overLimitMessageCount: 1 })
        }),
      )
    }),
  )

  ruleOnPorts(
    "a lapsed plan becomes the default plan, and a paid one stays",
    Effect.gen(function* () {
      const { lapsed, paying } = yield* simulated(
        Effect.gen(function* () {
          const owners = { lapsed: yield* verified("lapsed"), paying: yield* verified("paying") }
          yield* pay(owners.lapsed, "Growth")
          yield* lapses(owners.lapsed)
          yield* pay(owners.paying, "Developer")
          return owners
        }),
      )
      yield* startedWith(
        "none",
        "Scale",
      )(
        Effect.gen(function* () {
          yield* Engine.settle
          expect(yield* accountOf(lapsed)).toMatchObject({ plan: "Scale", state: "active" })
          expect(yield* accountOf(paying)).toMatchObject({ plan: "Developer", state: "active" })
        }),
      )
    }),
  )

  ruleOnPorts(
    "an account whose plan lapsed before its verification is released when it is verified",
    Effect.gen(function* () {
      const owner = yield* simulated(
        Effect.gen(function* () {
          const lapsed = yield* unverified("lapsed")
          yield* pay(lapsed, "Growth")
          yield* lapses(lapsed)
          yield* receivedMany(lapsed.address, 2)
          expect(yield* accountOf(lapsed)).toMatchObject({ overLimitMessageCount: 2 })
          return lapsed
        }),
      )
      yield* startedWith("none")(
        Effect.gen(function* () {
          yield* Engine.settle
          yield* verifyEmail(yield* verificationToken(owner.email))
          expect(yield* accountOf(owner)).toMatchObject({
            plan: "Free",
            state: "active",
            overLimitMessageCount: 0,
          })
        }),
      )
    }),
  )

  ruleOnPorts(
    "a later start keeps the plan that the operator chose for an account",
    Effect.gen(function* () {
      const owner = yield* simulated(verified())
      yield* startedWith(
        "none",
        "Growth",
      )(
        Effect.gen(function* () {
          yield* Engine.settle
          const admin = yield* Administration
          yield* admin.setPlan((yield* as(owner)).account.id, "Free")
        }),
      )
      yield* startedWith(
        "none",
        "Growth",
      )(
        Effect.gen(function* () {
          yield* Engine.settle
          expect(yield* accountOf(owner)).toMatchObject({ plan: "Free", state: "active" })
        }),
      )
    }),
  )

  ruleOnPorts(
    "every account is looked at, however many there are",
    Effect.gen(function* () {
      const owners = yield* simulated(
        Effect.forEach(Array.from({ length: 101 }), (_, n) =>
          Effect.zipLeft(verified(`owner-${n}`), TestClock.adjust("1 hour")),
        ),
      )
      yield* startedWith(
        "none",
        "Growth",
      )(
        Effect.gen(function* () {
          yield* Engine.settle
          const plans = new Set((yield* Effect.forEach(owners, accountOf)).map(({ plan }) => plan))
          expect(plans).toEqual(new Set(["Growth"]))
        }),
      )
    }),
  )
})
