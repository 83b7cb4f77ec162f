/** Buying a plan (spec, Upgrade response; decisions §3). */
import {
  AlreadyPaid,
  BillingDisabled,
  type BillingPeriod,
  CHECKOUT_TTL,
  CheckoutClosed,
  type CheckoutRecord,
  checkoutState,
  type Instant,
  NotFound,
  type PaidPlan,
  plans,
  type Principal,
  soldPeriod,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { Vault } from "../ports/Crypto.js"
import { Payments } from "../ports/Payments.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { CheckoutStore } from "../ports/stores/CheckoutStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

export class Billing extends Context.Tag("@mailroom/Billing")<
  Billing,
  {
    /** A link to hand to the owner, open for 24 hours. */
    readonly upgrade: (
      principal: Principal,
      wanted: { readonly plan: PaidPlan; readonly period: BillingPeriod },
    ) => Effect.Effect<{ readonly url: string; readonly expiresAt: Instant }, AlreadyPaid | BillingDisabled>
    /** What a checkout page offers. */
    readonly offer: (token: string) => Effect.Effect<CheckoutRecord, NotFound | CheckoutClosed>
    /** The owner paid: limits lift, and what was gated becomes visible, in one transaction. */
    readonly complete: (
      token: string,
    ) => Effect.Effect<{ readonly plan: PaidPlan }, NotFound | CheckoutClosed>
  }
>() {
  static readonly layer = Layer.effect(
    Billing,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const checkouts = yield* CheckoutStore
      const mailboxes = yield* MailboxStore
      const gated = yield* GatedMessages
      const payments = yield* Payments
      const vault = yield* Vault
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const { billing } = yield* Settings

      const offer = Effect.fn("Billing.offer")(
        function* (token: string) {
          const checkout = yield* Effect.flatten(checkouts.byTokenHash(vault.digest(token)))
          // A deleted account buys nothing.
          yield* Effect.flatten(accounts.byId(checkout.accountId))
          const state = checkoutState(checkout, yield* Clock.currentTimeMillis)
          return state === "open" ? checkout : yield* new CheckoutClosed({ state })
        },
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "checkout" })),
      )

      /** Mailboxes that billing paused run again, as far as the plan has room. */
      const resumeMailboxes = Effect.fnUntraced(function* (
        accountId: CheckoutRecord["accountId"],
        plan: PaidPlan,
      ) {
        const all = yield* mailboxes.list(accountId, null)
        const room = plans[plan].mailboxes - all.filter(({ status }) => status !== "paused").length
        const paused = all.filter((mailbox) => mailbox.pausedByBilling).slice(0, Math.max(0, room))
        for (const mailbox of yield* mailboxes.lock(paused.map(({ id }) => id)))
          yield* mailboxes.save({ ...mailbox, status: "ACTIVE", pausedByBilling: false })
      })

      return Billing.of({
        upgrade: Effect.fn("Billing.upgrade")(function* ({ account }, { plan, period }) {
          if (billing === "none") return yield* new BillingDisabled()
          if (account.plan !== "Free" && !account.lapsed)
            return yield* new AlreadyPaid({ plan: account.plan })
          const token = yield* ids.secret(32)
          const sold = soldPeriod(plan, period)
          const expiresAt = (yield* Clock.currentTimeMillis) + CHECKOUT_TTL
          const { url } = yield* payments.checkout({
            token,
            email: account.email,
            plan,
            period: sold,
            expiresAt,
          })
          yield* checkouts.insert({
            tokenHash: vault.digest(token),
            accountId: account.id,
            plan,
            period: sold,
            expiresAt,
            completedAt: null,
          })
          return { url, expiresAt }
        }),

        offer,

        complete: Effect.fn("Billing.complete")(function* (token) {
          const checkout = yield* offer(token)
          const { accountId, plan, period, tokenHash } = checkout
          const now = yield* Clock.currentTimeMillis
          yield* commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([accountId])
              if (account === undefined) return yield* new NotFound({ resource: "checkout" })
              if (!(yield* checkouts.complete(tokenHash, now)))
                return yield* new CheckoutClosed({ state: "completed" })
              yield* accounts.save({
                ...account,
                plan,
                billingPeriod: period,
                lapsed: false,
                billingReference: tokenHash,
                intentPlan: null,
                intentPeriod: null,
              })
              yield* gated.unlock(accountId, "all")
              yield* resumeMailboxes(accountId, plan)
            }),
          )
          return { plan }
        }),
      })
    }),
  )
}
