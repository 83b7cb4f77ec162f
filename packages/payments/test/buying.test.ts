/** Buying a plan at Stripe: the effect of each webhook event on the account (spec: decisions.upgrade.unlocks). */
import { describe, expect } from "@effect/vitest"
import { AccountId, DAY } from "@mailroom/domain"
import {
  AccountRemoval,
  AccountStore,
  Billing,
  CheckoutStore,
  Engine,
  PlanChanges,
  Transactions,
  Vault,
} from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { FakeStripe } from "./support/fakeStripe.js"
import {
  accountOf,
  as,
  becomes,
  checkout,
  NOON,
  pay,
  paying,
  receive,
  rule,
  subscriptionAt,
} from "./support/mailroom.js"

describe("buying", () => {
  rule(
    "returns a page at Stripe for 24 hours, and changes nothing yet",
    Effect.gen(function* () {
      const billing = yield* Billing
      const before = yield* accountOf()
      const { url, expiresAt } = yield* billing.upgrade(yield* as(), { plan: "Growth", period: "annual" })
      expect(url).toMatch(/^https:\/\/checkout\.stripe\.com\//)
      expect(expiresAt).toBe(NOON + DAY)
      expect(yield* accountOf()).toEqual(before)
    }),
  )

  rule(
    "takes effect when Stripe reports the payment",
    Effect.gen(function* () {
      const reference = yield* paying("Growth", "annual")
      expect(yield* accountOf()).toMatchObject({
        plan: "Growth",
        billingPeriod: "annual",
        state: "active",
        billingLinked: true,
        trial: null,
      })
      expect((yield* as()).account.billingReference).toBe(reference)
    }),
  )

  rule(
    "takes effect once when Stripe reports it twice",
    Effect.gen(function* () {
      const { completed } = yield* FakeStripe
      const url = yield* checkout()
      yield* pay(url)
      const { account } = yield* as()
      yield* receive(completed(url))
      expect((yield* as()).account).toEqual(account)
    }),
  )

  rule(
    "takes effect whatever Stripe reports before",
    Effect.gen(function* () {
      const stripe = yield* FakeStripe
      const url = yield* checkout()
      const reference = stripe.pay(url)
      const subscription = { subscription: reference }
      yield* receive(stripe.notice("invoice.paid", { parent: { subscription_details: subscription } }))
      yield* receive(stripe.subscriptionEvent("customer.subscription.updated", reference))
      expect((yield* accountOf()).plan).toBe("Free")
      yield* receive(stripe.completed(url))
      expect((yield* accountOf()).plan).toBe("Developer")
    }),
  )

  rule(
    "at the last moment counts, even when Stripe reports it late",
    Effect.gen(function* () {
      const stripe = yield* FakeStripe
      const url = yield* checkout()
      stripe.pay(url)
      yield* TestClock.adjust("3 days")
      yield* receive(stripe.completed(url))
      expect(yield* accountOf()).toMatchObject({ plan: "Developer", state: "active" })
    }),
  )

  rule(
    "has no effect when the subscription ended before Stripe reported it",
    Effect.gen(function* () {
      const stripe = yield* FakeStripe
      const url = yield* checkout()
      const reference = stripe.pay(url)
      yield* becomes(reference, "canceled", "customer.subscription.deleted")
      yield* receive(stripe.completed(url))
      expect(yield* accountOf()).toMatchObject({ plan: "Free", billingLinked: false })
    }),
  )

  rule(
    "of another product in the same Stripe account is ignored",
    Effect.gen(function* () {
      const { notice } = yield* FakeStripe
      const before = yield* accountOf()
      const session = { client_reference_id: "cart", payment_status: "paid", subscription: "sub_shop" }
      yield* receive(notice("checkout.session.completed", session))
      expect(yield* accountOf()).toEqual(before)
    }),
  )

  rule(
    "two open checkouts: the one paid last counts, and the subscription of the other is cancelled",
    Effect.gen(function* () {
      const [first, second] = [yield* checkout("Developer"), yield* checkout("Growth")]
      const references = [yield* pay(first), yield* pay(second)] as const
      expect(yield* accountOf()).toMatchObject({ plan: "Growth", state: "active" })
      yield* Engine.settle
      expect((yield* subscriptionAt(references[0])).status).toBe("canceled")
      expect((yield* subscriptionAt(references[1])).status).toBe("active")
      yield* becomes(references[0], "canceled", "customer.subscription.deleted")
      expect(yield* accountOf()).toMatchObject({ plan: "Growth", state: "active" })
    }),
  )

  rule(
    "on both pages of one checkout: the first counts, and the subscription of the second is cancelled",
    Effect.gen(function* () {
      const { completed, state } = yield* FakeStripe
      yield* becomes(yield* paying("Growth"), "unpaid")
      const first = yield* checkout("Developer")
      // Stripe opens another page, because the customer of the first one is gone.
      for (const customer of state.customers.values()) customer.deleted = true
      const second = yield* checkout("Developer")
      expect(state.sessionAt(second).reference).toBe(state.sessionAt(first).reference)
      const references = [yield* pay(first), yield* pay(second)] as const
      yield* receive(completed(first))
      yield* Engine.settle
      expect((yield* as()).account).toMatchObject({ plan: "Developer", billingReference: references[0] })
      expect((yield* subscriptionAt(references[0])).status).toBe("active")
      expect((yield* subscriptionAt(references[1])).status).toBe("canceled")
    }),
  )

  rule(
    "for an account that is deleted in the meantime is cancelled",
    Effect.gen(function* () {
      const { pay } = yield* FakeStripe
      const reference = pay(yield* checkout())
      const plans = yield* PlanChanges
      const { run } = yield* Transactions
      const gone = { accountId: AccountId.make(randomUUID()), tokenHash: "0".repeat(64) }
      const bought = { plan: "Developer", period: "monthly" } as const
      expect(yield* run(plans.purchase(gone, bought, reference, NOON))).toBe(false)
      yield* Engine.settle
      expect((yield* subscriptionAt(reference)).status).toBe("canceled")
    }),
  )

  for (const { purged, when } of [
    { purged: false, when: "and still being removed" },
    { purged: true, when: "and removed to the last row" },
  ])
    rule(
      `for an account that is deleted, ${when}, is cancelled when Stripe reports it`,
      Effect.gen(function* () {
        const stripe = yield* FakeStripe
        const url = yield* checkout()
        yield* Effect.flatMap(AccountRemoval, (removal) => Effect.flatMap(as(), removal.remove))
        if (purged) yield* Engine.settle
        const reference = stripe.pay(url)
        yield* receive(stripe.completed(url))
        yield* Engine.settle
        expect((yield* subscriptionAt(reference)).status).toBe("canceled")
      }),
    )

  for (const [service, plan, status] of [
    ["gives the plan", "Developer", "active"],
    ["of an earlier version, whose name has no account, is cancelled", "Free", "canceled"],
  ] as const)
    rule(
      `with a checkout that a restored database does not have ${service}`,
      Effect.gen(function* () {
        const { completed, pay, state } = yield* FakeStripe
        const url = yield* checkout()
        const [tokenHash = ""] = state.sessionAt(url).reference.split("_")
        const { removeExpired } = yield* CheckoutStore
        yield* removeExpired(NOON + 60 * DAY, 100)
        const vault = yield* Vault
        if (plan === "Free")
          state.sessionAt(url).reference = `${tokenHash}-${vault.sign("checkout", tokenHash)}`
        const reference = pay(url)
        for (let n = 0; n < 2; n++) yield* receive(completed(url))
        yield* Engine.settle
        expect((yield* accountOf()).plan).toBe(plan)
        expect((yield* subscriptionAt(reference)).status).toBe(status)
      }),
    )

  rule(
    "again after a lapse uses the same customer, and cancels the lapsed subscription",
    Effect.gen(function* () {
      const reference = yield* paying("Growth")
      yield* becomes(reference, "unpaid")
      const again = yield* paying("Developer")
      yield* Engine.settle
      expect((yield* subscriptionAt(reference)).status).toBe("canceled")
      expect((yield* subscriptionAt(again)).customer).toBe((yield* subscriptionAt(reference)).customer)
      expect(yield* accountOf()).toMatchObject({ plan: "Developer", state: "active" })
    }),
  )

  rule(
    "by a suspended account leaves it suspended",
    Effect.gen(function* () {
      const url = yield* checkout()
      const accounts = yield* AccountStore
      yield* accounts.save({ ...(yield* as()).account, suspendedAt: 0, suspendedReason: "spam" })
      yield* pay(url)
      expect(yield* accountOf()).toMatchObject({ plan: "Developer", state: "suspended" })
    }),
  )
})
