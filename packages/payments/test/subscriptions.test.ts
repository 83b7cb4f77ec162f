/** What Stripe tells of a subscription, and what becomes of the account (decisions §3, Downgrade or payment lapse). */
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

/** Those that run, by their local parts. */
const running = Effect.map(mailboxesOf(), (mailboxes) =>
  mailboxes.filter(({ status }) => status === "ACTIVE").map(({ address }) => address),
)

describe("what Stripe tells of a subscription", () => {
  rule(
    "another plan, chosen in the portal, is the account's",
    Effect.gen(function* () {
      const { state, told } = yield* FakeStripe
      const reference = yield* paying("Developer")
      state.subscription(reference).price = "price_growth_y"
      yield* receive(told("customer.subscription.updated", reference))
      expect(yield* accountOf()).toMatchObject({ plan: "Growth", billingPeriod: "annual", state: "active" })
    }),
  )

  rule(
    "a price that is not sold any more leaves the plan as it is",
    Effect.gen(function* () {
      const { state, told } = yield* FakeStripe
      const reference = yield* paying("Growth", "annual")
      const { account } = yield* as()
      state.subscription(reference).price = OLD_PRICE
      yield* receive(told("customer.subscription.updated", reference))
      expect((yield* as()).account).toEqual(account)
    }),
  )

  rule(
    "past due, it stays active while Stripe goes on collecting",
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
    "paid after a lapse, all is as it was",
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
    "late news change nothing: what is so now counts",
    Effect.gen(function* () {
      const { told } = yield* FakeStripe
      const reference = yield* paying()
      const { account } = yield* as()
      for (const status of ["unpaid", "canceled", "incomplete"])
        yield* receive(told("customer.subscription.updated", reference, { status }))
      expect((yield* as()).account).toEqual(account)
    }),
  )

  rule(
    "twice, changes the account once",
    Effect.gen(function* () {
      const { told } = yield* FakeStripe
      const reference = yield* paying("Growth")
      yield* becomes(reference, "unpaid")
      const { account } = yield* as()
      yield* receive(told("customer.subscription.updated", reference))
      expect((yield* as()).account).toEqual(account)
    }),
  )

  /** Right after the first look at it, the subscription changes; nobody tells of that. */
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
    "is looked at again after it was taken over, so that no slow reader has the last word",
    Effect.gen(function* () {
      const { state, told } = yield* FakeStripe
      const reference = yield* paying("Developer")
      state.subscription(reference).price = "price_growth_m"
      yield* receive(told("customer.subscription.updated", reference))
      expect((yield* accountOf()).plan).toBe("Scale")
    }),
  )
})
