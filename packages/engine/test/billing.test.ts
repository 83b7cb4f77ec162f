/** Buying a plan (`spec: billing.upgrade.201`, `decisions.upgrade.complete-json`). */
import { describe, expect } from "@effect/vitest"
import { DAY, type PaidPlan } from "@mailroom/domain"
import { Administration, Billing, Mailboxes } from "@mailroom/engine"
import { Effect, Either, TestClock } from "effect"
import { changeAccount, changeMailbox } from "./support/changes.js"
import { NOON, rule, ruleUnder, ruleWith } from "./support/mailroom.js"
import { as, type Owner, pay, paying, tokenIn, unverified, verified } from "./support/owners.js"
import { accountOf, mailboxOf } from "./support/reading.js"
import { takingTurns } from "./support/concurrency.js"
import { refused } from "./support/refused.js"
import { send } from "./support/sends.js"

const upgrade = (owner: Owner, plan: PaidPlan = "Developer", period: "monthly" | "annual" = "monthly") =>
  Effect.gen(function* () {
    const billing = yield* Billing
    return yield* billing.upgrade(yield* as(owner), { plan, period })
  })

const complete = (url: string) => Effect.flatMap(Billing, (billing) => billing.complete(tokenIn(url)))
const offer = (url: string) => Effect.flatMap(Billing, (billing) => billing.offer(tokenIn(url)))

describe("an upgrade", () => {
  rule(
    "returns a link that is open for 24 hours, and changes nothing yet",
    Effect.gen(function* () {
      const owner = yield* verified()
      const { url, expiresAt } = yield* upgrade(owner, "Growth", "annual")
      expect(url).toMatch(/^http:\/\/mailroom\.test\/checkout\/[0-9a-f]{64}$/)
      expect(expiresAt).toBe(NOON + DAY)
      expect(yield* offer(url)).toMatchObject({ plan: "Growth", period: "annual", completedAt: null })
      expect(yield* accountOf(owner)).toMatchObject({ plan: "Free", state: "trial", billingLinked: false })
    }),
  )

  rule(
    "completes once: the plan, the period, and no trial any more",
    Effect.gen(function* () {
      const owner = yield* verified("acme", { plan: "Growth", period: "annual" })
      const { url } = yield* upgrade(owner, "Growth", "annual")
      expect(yield* complete(url)).toEqual({ plan: "Growth" })
      expect(yield* accountOf(owner)).toMatchObject({
        plan: "Growth",
        billingPeriod: "annual",
        state: "active",
        billingLinked: true,
        trial: null,
        mailboxLimit: 50,
        monthlyInboundLimit: 20_000,
      })
      expect((yield* as(owner)).account).toMatchObject({ intentPlan: null, intentPeriod: null })
      const closed = { _tag: "CheckoutClosed", state: "completed" }
      expect(yield* refused(complete(url))).toMatchObject(closed)
      expect(yield* refused(offer(url))).toMatchObject(closed)
    }),
  )

  ruleWith(takingTurns)(
    "completes once when submitted twice concurrently",
    Effect.gen(function* () {
      const owner = yield* verified()
      const { url } = yield* upgrade(owner)
      const presses = yield* Effect.forEach([1, 2], () => Effect.either(complete(url)), {
        concurrency: "unbounded",
      })
      expect(presses.filter(Either.isRight)).toHaveLength(1)
    }),
  )

  rule(
    "expires after 24 hours",
    Effect.gen(function* () {
      const owner = yield* verified()
      const { url } = yield* upgrade(owner)
      yield* TestClock.setTime(NOON + DAY - 1)
      expect(yield* offer(url)).toMatchObject({ plan: "Developer" })
      yield* TestClock.setTime(NOON + DAY)
      const expired = { _tag: "CheckoutClosed", state: "expired" }
      expect(yield* refused(offer(url))).toMatchObject(expired)
      expect(yield* refused(complete(url))).toMatchObject(expired)
      expect((yield* accountOf(owner)).plan).toBe("Free")
    }),
  )

  rule(
    "with an unknown token is not found",
    Effect.gen(function* () {
      expect(yield* refused(complete("/checkout/nonsense"))).toMatchObject({
        _tag: "NotFound",
        resource: "checkout",
      })
    }),
  )

  rule(
    "to an annual plan that is sold by the month falls back to that",
    Effect.gen(function* () {
      const owner = yield* verified()
      const { url } = yield* upgrade(owner, "Scale", "annual")
      expect(yield* offer(url)).toMatchObject({ plan: "Scale", period: "monthly" })
      yield* complete(url)
      expect((yield* accountOf(owner)).billingPeriod).toBe("monthly")
    }),
  )

  rule(
    "is refused for an account that has paid",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      expect(yield* refused(upgrade(owner, "Scale"))).toMatchObject({ _tag: "AlreadyPaid", plan: "Growth" })
    }),
  )

  rule(
    "is open to an account whose plan is from the operator",
    Effect.gen(function* () {
      const owner = yield* verified()
      const { id } = (yield* as(owner)).account
      yield* Effect.flatMap(Administration, ({ setPlan }) => setPlan(id, "Growth"))
      expect(yield* accountOf(owner)).toMatchObject({ plan: "Growth", billingLinked: false })
      yield* pay(owner, "Scale")
      expect(yield* accountOf(owner)).toMatchObject({ plan: "Scale", billingLinked: true })
    }),
  )

  rule(
    "ends a lapse",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      yield* changeAccount(owner, { lapsed: true })
      expect((yield* accountOf(owner)).state).toBe("payment_required")
      yield* pay(owner, "Developer")
      expect(yield* accountOf(owner)).toMatchObject({ state: "active", plan: "Developer" })
    }),
  )

  ruleUnder({ billing: "none" })(
    "is refused with billing off",
    Effect.gen(function* () {
      const owner = yield* unverified()
      expect(yield* refused(upgrade(owner))).toMatchObject({ _tag: "BillingDisabled" })
    }),
  )
})

describe("after a purchase", () => {
  rule(
    "an account with a spent trial sends again, to any recipient",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* TestClock.adjust("3 days")
      expect(yield* refused(send(owner))).toMatchObject({
        _tag: "PaymentRequired",
        reason: "the trial is over",
      })
      yield* pay(owner)
      expect((yield* send(owner)).status).toBe("SENT")
    }),
  )

  rule(
    "before verification sending is still locked",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* pay(owner)
      expect((yield* as(owner)).state).toBe("active")
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "EmailNotVerified" })
    }),
  )

  rule(
    "mailboxes paused by billing become ACTIVE, those paused by the owner do not",
    Effect.gen(function* () {
      const owner = yield* verified()
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = yield* mailboxes.create(yield* as(owner), wanted)
      yield* changeMailbox(owner, { status: "paused", pausedByBilling: true })
      yield* changeMailbox({ ...owner, mailboxId: second.id }, { status: "paused" })
      yield* pay(owner)
      expect(yield* mailboxOf(owner)).toMatchObject({ status: "ACTIVE", pausedByBilling: false })
      expect(yield* mailboxOf(owner, second.id)).toMatchObject({ status: "paused" })
    }),
  )

  rule(
    "only as many mailboxes become ACTIVE as the plan allows",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const mailboxes = yield* Mailboxes
      for (const n of [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
        const wanted = { localPart: `box-${n}`, displayName: null, domainId: null }
        const { id } = yield* mailboxes.create(yield* as(owner), wanted)
        yield* changeMailbox({ ...owner, mailboxId: id }, { status: "paused", pausedByBilling: true })
      }
      yield* changeAccount(owner, { lapsed: true })
      yield* pay(owner, "Developer")
      const account = yield* accountOf(owner)
      expect(account).toMatchObject({ mailboxLimit: 10, mailboxCount: 12, activeMailboxCount: 10 })
    }),
  )
})
