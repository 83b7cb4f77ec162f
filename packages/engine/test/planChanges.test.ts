/** Changing and cancelling a plan, and the payment provider's portal (`spec: decisions.upgrade.change-plan`). */
import { describe, expect } from "@effect/vitest"
import { Billing, Payments, Transactions } from "@mailroom/engine"
import { Context, Effect, Layer, TestClock } from "effect"
import { changeAccount, suspendAccount } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import { rule, ruleUnder, ruleWith } from "./support/mailroom.js"
import { as, pay, paying, tokenIn, unverified, verified } from "./support/owners.js"
import { addMailboxes, changePlan, lapses, portal } from "./support/plans.js"
import { accountOf } from "./support/reading.js"
import { refused } from "./support/refused.js"

describe("changing the plan", () => {
  rule(
    "to a larger one applies at once and keeps the period",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Developer")
      yield* changeAccount(owner, { billingPeriod: "annual" })
      const account = yield* changePlan(owner, "Growth")
      expect(account).toMatchObject({ plan: "Growth", billingPeriod: "annual", state: "active" })
      expect(yield* accountOf(owner)).toEqual(account)
    }),
  )

  rule(
    "to another period of the same plan is a change",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      expect(yield* changePlan(owner, "Growth", "annual")).toMatchObject({ billingPeriod: "annual" })
    }),
  )

  rule(
    "to an annual plan that is sold by the month falls back to that",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Developer")
      expect(yield* changePlan(owner, "Scale", "annual")).toMatchObject({
        plan: "Scale",
        billingPeriod: "monthly",
      })
      expect(yield* refused(changePlan(owner, "Scale", "annual"))).toMatchObject({ _tag: "AlreadyPaid" })
    }),
  )

  rule(
    "to the same plan and period is refused",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const refusal = { _tag: "AlreadyPaid", plan: "Growth" }
      expect(yield* refused(changePlan(owner, "Growth"))).toMatchObject(refusal)
      expect(yield* refused(changePlan(owner, "Growth", "monthly"))).toMatchObject(refusal)
    }),
  )

  rule(
    "needs a paid plan",
    Effect.gen(function* () {
      const owner = yield* verified()
      for (const plan of ["Growth", "Free"] as const)
        expect(yield* refused(changePlan(owner, plan))).toEqual({ _tag: "NoSubscription" })
    }),
  )

  rule(
    "does not end a lapse, except by cancelling the plan",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      yield* lapses(owner)
      expect(yield* refused(changePlan(owner, "Scale"))).toEqual({ _tag: "NoSubscription" })
      expect(yield* changePlan(owner, "Free")).toMatchObject({ plan: "Free", state: "trial" })
    }),
  )

  rule(
    "is refused when the operator set the plan",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* changeAccount(owner, { plan: "Growth" })
      expect(yield* refused(changePlan(owner, "Scale"))).toEqual({ _tag: "NoSubscription" })
    }),
  )

  rule(
    "does not end a suspension",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* suspendAccount(owner)
      expect(yield* changePlan(owner, "Scale")).toMatchObject({ plan: "Scale", state: "suspended" })
    }),
  )

  ruleWith(takingTurns)(
    "leaves one of two concurrent changes, complete",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Scale")
      yield* addMailboxes(owner, 59)
      yield* Effect.forEach(["Growth", "Developer"] as const, (plan) => changePlan(owner, plan), {
        concurrency: "unbounded",
      })
      const { plan, mailboxLimit, activeMailboxCount } = yield* accountOf(owner)
      expect(["Growth", "Developer"]).toContain(plan)
      expect(activeMailboxCount).toBe(mailboxLimit)
    }),
  )

  ruleUnder({ billing: "none" })(
    "is refused with billing off, and so is the portal",
    Effect.gen(function* () {
      const owner = yield* unverified()
      expect(yield* refused(changePlan(owner, "Growth"))).toEqual({ _tag: "BillingDisabled" })
      expect(yield* refused(portal(owner))).toEqual({ _tag: "BillingDisabled" })
    }),
  )
})

describe("the portal", () => {
  rule(
    "is our own page with simulated payments, also after a lapse and after a cancellation",
    Effect.gen(function* () {
      const owner = yield* paying()
      const page = { url: "http://mailroom.test/dashboard/billing" }
      expect(yield* portal(owner)).toEqual(page)
      yield* lapses(owner)
      expect(yield* portal(owner)).toEqual(page)
      yield* changePlan(owner, "Free")
      expect(yield* portal(owner)).toEqual(page)
    }),
  )

  rule(
    "is refused for an account that never paid",
    Effect.gen(function* () {
      expect(yield* refused(portal(yield* verified()))).toEqual({ _tag: "NoSubscription" })
    }),
  )
})

describe("cancelling the plan", () => {
  rule(
    "returns to the trial while it lasts, and requires payment after it",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      expect(yield* changePlan(owner, "Free")).toMatchObject({
        plan: "Free",
        billingPeriod: "monthly",
        state: "trial",
        mailboxLimit: 3,
      })
      yield* TestClock.adjust("3 days")
      expect((yield* accountOf(owner)).state).toBe("payment_required")
      yield* pay(owner)
      expect((yield* accountOf(owner)).state).toBe("active")
    }),
  )
})

describe("two open checkouts", () => {
  rule(
    "can both be completed; the last one counts",
    Effect.gen(function* () {
      const owner = yield* verified()
      const billing = yield* Billing
      const links = yield* Effect.forEach(["Growth", "Developer"] as const, (plan) =>
        Effect.flatMap(as(owner), (principal) => billing.upgrade(principal, { plan, period: "monthly" })),
      )
      for (const { url } of links) yield* billing.complete(tokenIn(url))
      expect(yield* accountOf(owner)).toMatchObject({ plan: "Developer", state: "active" })
    }),
  )
})

describe("the payment provider", () => {
  /** Calls to the provider. */
  class Asked extends Context.Tag("test/Asked")<Asked, { readonly times: () => number }>() {}

  /** A provider that fails the test when it is called inside a transaction. */
  const watched = Layer.unwrapEffect(
    Effect.gen(function* () {
      const { run } = yield* Transactions
      const payments = yield* Payments
      let open = 0
      let asked = 0
      const outside = <A, E>(call: Effect.Effect<A, E>) =>
        Effect.suspend(() => {
          asked++
          return open === 0 ? call : Effect.dieMessage("a transaction waits for the payment provider")
        })
      const counted: Transactions["Type"] = {
        run: (effect) =>
          Effect.acquireUseRelease(
            Effect.sync(() => open++),
            () => run(effect),
            () => Effect.sync(() => open--),
          ),
      }
      return Layer.mergeAll(
        Layer.succeed(Transactions, counted),
        Layer.succeed(Payments, {
          ...payments,
          checkout: (request) => outside(payments.checkout(request)),
          portal: (reference) => outside(payments.portal(reference)),
          change: (reference, wanted) => outside(payments.change(reference, wanted)),
          cancel: (reference) => outside(payments.cancel(reference)),
        }),
        Layer.succeed(Asked, { times: () => asked }),
      )
    }),
  )

  ruleWith(watched)(
    "is never called inside a transaction",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* changePlan(owner, "Growth")
      yield* portal(owner)
      yield* changePlan(owner, "Free")
      expect((yield* Asked).times()).toBe(4)
    }),
  )

  ruleUnder({ billing: "stripe" })(
    "cannot be bypassed: the simulated checkout page is not found with a real provider",
    Effect.gen(function* () {
      const owner = yield* verified()
      const billing = yield* Billing
      const wanted = { plan: "Scale", period: "monthly" } as const
      const { url } = yield* billing.upgrade(yield* as(owner), wanted)
      const nothing = { _tag: "NotFound", resource: "checkout" }
      expect(yield* refused(billing.offer(tokenIn(url)))).toEqual(nothing)
      expect(yield* refused(billing.complete(tokenIn(url)))).toEqual(nothing)
      expect((yield* accountOf(owner)).plan).toBe("Free")
    }),
  )
})
