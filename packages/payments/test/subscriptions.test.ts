/** The effect of a subscription's events on its account (spec: decisions.upgrade.lapse, decisions.downgrade). */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { FakeStripe } from "./support/fakeStripe.js"
import {
  accountOf,
  as,
  becomes,
  mailboxesOf,
  moreMailboxes,
  paying,
  receive,
  replacing,
  rule,
  ruleWith,
} from "./support/mailroom.js"
import { OLD_PRICE } from "./support/stripeState.js"

/** The local parts of the mailboxes that are not paused. */
const running = Effect.map(mailboxesOf(), (mailboxes) =>
  mailboxes.filter(({ status }) => status === "ACTIVE").map(({ address }) => address),
)

describe("an event of a subscription", () => {
  rule(
    "applies a plan that the owner chose in the portal",
    Effect.gen(function* () {
      const { state, subscriptionEvent } = yield* FakeStripe
      const reference = yield* paying("Developer")
      state.subscription(reference).price = "price_growth_y"
      yield* receive(subscriptionEvent("customer.subscription.updated", reference))
      expect(yield* accountOf()).toMatchObject({ plan: "Growth", billingPeriod: "annual", state: "active" })
    }),
  )

  rule(
    "keeps the plan at a price that is no longer on sale",
    Effect.gen(function* () {
      const { state, subscriptionEvent } = yield* FakeStripe
      const reference = yield* paying("Growth", "annual")
      const { account } = yield* as()
      state.subscription(reference).price = OLD_PRICE
      yield* receive(subscriptionEvent("customer.subscription.updated", reference))
      expect((yield* as()).account).toEqual(account)
    }),
  )

  rule(
    "keeps the account active while it is past due and Stripe still collects",
    Effect.gen(function* () {
      yield* becomes(yield* paying(), "past_due")
      expect((yield* accountOf()).state).toBe("active")
    }),
  )

  for (const [status, type] of [
    ["unpaid", "customer.subscription.updated"],
    ["canceled", "customer.subscription.updated"],
    ["incomplete_expired", "customer.subscription.updated"],
    ["canceled", "customer.subscription.deleted"],
    ["paused", "customer.subscription.paused"],
  ] as const)
    rule(
      `${status}, by ${type}, it lapsed: payment is required, and Free's mailboxes run`,
      Effect.gen(function* () {
        const reference = yield* paying("Growth")
        yield* moreMailboxes(4)
        yield* becomes(reference, status, type)
        expect(yield* accountOf()).toMatchObject({
          plan: "Growth",
          state: "payment_required",
          mailboxCount: 5,
          activeMailboxCount: 3,
        })
        expect(yield* running).toEqual(["agent", "box-2", "box-3"])
      }),
    )

  rule(
    "restores everything when it is paid after a lapse",
    Effect.gen(function* () {
      const { state, notice } = yield* FakeStripe
      const reference = yield* paying("Growth")
      yield* moreMailboxes(4)
      const before = yield* accountOf()
      yield* becomes(reference, "unpaid")
      state.subscription(reference).status = "active"
      const invoice = { parent: { subscription_details: { subscription: reference } } }
      yield* receive(notice("invoice.paid", invoice))
      expect(yield* accountOf()).toEqual(before)
    }),
  )

  rule(
    "changes nothing when it is late: the current state at Stripe counts",
    Effect.gen(function* () {
      const { subscriptionEvent } = yield* FakeStripe
      const reference = yield* paying()
      const { account } = yield* as()
      for (const status of ["unpaid", "canceled", "incomplete"])
        yield* receive(subscriptionEvent("customer.subscription.updated", reference, { status }))
      expect((yield* as()).account).toEqual(account)
    }),
  )

  rule(
    "changes the account once when it arrives twice",
    Effect.gen(function* () {
      const { subscriptionEvent } = yield* FakeStripe
      const reference = yield* paying("Growth")
      yield* becomes(reference, "unpaid")
      const { account } = yield* as()
      yield* receive(subscriptionEvent("customer.subscription.updated", reference))
      expect((yield* as()).account).toEqual(account)
    }),
  )

  /** The subscription changes right after it was first read, without an event. */
  const changesUnseen = replacing(({ payments, state }) => ({
    subscription: (reference) =>
      Effect.tap(payments.subscription(reference), () =>
        Effect.sync(() => {
          const subscription = state.subscription(reference)
          if (subscription.price === "price_growth_m") subscription.price = "price_scale_m"
        }),
      ),
  }))

  ruleWith(changesUnseen)(
    "reads the subscription again after the change, so that no slow reader overwrites newer state",
    Effect.gen(function* () {
      const { state, subscriptionEvent } = yield* FakeStripe
      const reference = yield* paying("Developer")
      state.subscription(reference).price = "price_growth_m"
      yield* receive(subscriptionEvent("customer.subscription.updated", reference))
      expect((yield* accountOf()).plan).toBe("Scale")
    }),
  )
})
