/** The engine in memory with a fake Stripe: accounts that pay there, and the events of Stripe about them. */
import { it } from "@effect/vitest"
import type { BillingPeriod, PaidPlan, Plan } from "@mailroom/domain"
import {
  Accounts,
  AccountStore,
  Billing,
  Engine,
  Mailboxes,
  PaymentEvents,
  type PaymentNotice,
  Payments,
} from "@mailroom/engine"
import { inMemoryPorts } from "@mailroom/testing"
import { Effect, Layer, type Scope, TestClock } from "effect"
import { atStripe, FakeStripe } from "./fakeStripe.js"
import type { StripeState } from "./stripeState.js"

/** 10 March 2026, 12:00 UTC. */
export const NOON = Date.UTC(2026, 2, 10, 12)

const ports = Layer.provideMerge(
  Layer.provideMerge(atStripe(), FakeStripe.layer),
  inMemoryPorts({ billing: "stripe" }),
)

/** The whole engine over the fake Stripe. */
export const mailroom = Layer.provideMerge(Engine.layer, ports)

export type World = Layer.Layer.Success<typeof mailroom>

const testedOn =
  <R>(world: Layer.Layer<R>) =>
  <A, E>(name: string, body: Effect.Effect<A, E, R | Scope.Scope>) =>
    it.scoped(name, () => Effect.provide(Effect.zipRight(TestClock.setTime(NOON), body), world))

/** A test with an engine and a fake Stripe of its own. */
export const rule = testedOn(mailroom)

/** The same test with some ports replaced. A replacement may use the port that it replaces. */
export const ruleWith = <O>(replaced: Layer.Layer<O, never, Layer.Layer.Success<typeof ports>>) =>
  testedOn(Layer.provideMerge(Engine.layer, Layer.provideMerge(replaced, ports)))

interface Parts {
  readonly payments: Payments["Type"]
  readonly state: StripeState
  readonly accounts: AccountStore["Type"]
}

/** `Payments` at the fake Stripe with some methods replaced. */
export const replacing = (replace: (parts: Parts) => Partial<Payments["Type"]>) =>
  Layer.effect(
    Payments,
    Effect.gen(function* () {
      const payments = yield* Payments
      const { state } = yield* FakeStripe
      return { ...payments, ...replace({ payments, state, accounts: yield* AccountStore }) }
    }),
  )

/** The verified owner of the account with this slug, as it is now. */
export const as = (slug = "acme") =>
  Effect.flatMap(Accounts, ({ adopt }) => adopt({ email: `owner@${slug}.dev`, slug, name: null }))

export const accountOf = (slug?: string) =>
  Effect.flatMap(Accounts, ({ view }) => Effect.flatMap(as(slug), view))

export const mailboxesOf = (slug?: string) =>
  Effect.flatMap(Mailboxes, ({ list }) => Effect.flatMap(as(slug), list))

/** Creates `count` mailboxes after the first. */
export const moreMailboxes = (count: number) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    for (let n = 2; n <= count + 1; n++)
      yield* mailboxes.create(yield* as(), { localPart: `box-${n}`, displayName: null, domainId: null })
  })

/** Opens a checkout. Returns its page at Stripe. */
export const checkout = (plan: PaidPlan = "Developer", period: BillingPeriod = "monthly") =>
  Effect.gen(function* () {
    const billing = yield* Billing
    return (yield* billing.upgrade(yield* as(), { plan, period })).url
  })

export const changePlan = (plan: Plan, period?: BillingPeriod) =>
  Effect.gen(function* () {
    const billing = yield* Billing
    return yield* billing.changePlan(yield* as(), { plan, period })
  })

export const receive = (notice: PaymentNotice) =>
  Effect.flatMap(PaymentEvents, (events) => events.receive(notice))

/** The owner pays on the page of a checkout, and Stripe sends its event. Returns the subscription. */
export const pay = (url: string) =>
  Effect.gen(function* () {
    const stripe = yield* FakeStripe
    const reference = stripe.pay(url)
    yield* receive(stripe.completed(url))
    return reference
  })

/** Puts an account on a paid plan. Returns the subscription. */
export const paying = (plan?: PaidPlan, period?: BillingPeriod) => Effect.flatMap(checkout(plan, period), pay)

/** A change at Stripe, which sends an event about it. */
export const becomes = (reference: string, status: string, type = "customer.subscription.updated") =>
  Effect.gen(function* () {
    const { state, subscriptionEvent } = yield* FakeStripe
    state.subscription(reference).status = status
    if (status === "canceled") state.subscription(reference).endedAt = 1
    yield* receive(subscriptionEvent(type, reference))
  })

/** A subscription as Stripe has it. */
export const subscriptionAt = (reference: string) =>
  Effect.map(FakeStripe, ({ state }) => ({ ...state.subscription(reference) }))

/** The error of a refused call. */
export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
