/** Buying a plan, and moving to another one (spec, Upgrade response; decisions §3). */
import {
  type Account,
  AlreadyPaid,
  BillingDisabled,
  type BillingPeriod,
  CHECKOUT_REUSE_MIN,
  CHECKOUT_TTL,
  CheckoutClosed,
  type CheckoutRecord,
  checkoutState,
  type Instant,
  NoSubscription,
  NotFound,
  type PaidPlan,
  type PaymentDeclined,
  type PaymentsUnavailable,
  type Plan,
  type PlanChange,
  type Principal,
  soldPeriod,
  viewAccount,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { reach } from "../idempotency/progress.js"
import { lockAccount } from "../accounts/lockAccount.js"
import { Vault } from "../ports/Crypto.js"
import { Payments } from "../ports/Payments.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { CheckoutStore } from "../ports/stores/CheckoutStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { checkoutName, checkoutToken } from "./checkoutName.js"
import { PaymentEvents } from "./PaymentEvents.js"
import { PlanChanges } from "./PlanChanges.js"

export class Billing extends Context.Tag("@mailroom/Billing")<
  Billing,
  {
    /** A link to hand to the owner, open for 12 to 24 hours: while one is open, it is the same for a plan and period. */
    readonly upgrade: (
      principal: Principal,
      wanted: { readonly plan: PaidPlan; readonly period: BillingPeriod },
    ) => Effect.Effect<
      { readonly url: string; readonly expiresAt: Instant },
      AlreadyPaid | BillingDisabled | NotFound | PaymentsUnavailable
    >
    /** What a checkout page of our own offers. */
    readonly offer: (token: string) => Effect.Effect<CheckoutRecord, NotFound | CheckoutClosed>
    /** The owner pressed the button of that page: limits lift, and what was gated becomes visible. */
    readonly complete: (
      token: string,
    ) => Effect.Effect<{ readonly plan: PaidPlan }, NotFound | CheckoutClosed>
    /** Another plan or period than the one paid for, at once; Free gives it up. The period stays when none is named. */
    readonly changePlan: (
      principal: Principal,
      wanted: { readonly plan: Plan; readonly period: BillingPeriod | undefined },
    ) => Effect.Effect<
      Account,
      AlreadyPaid | BillingDisabled | NoSubscription | PaymentDeclined | PaymentsUnavailable
    >
    /** The page where the owner sees invoices and changes the payment details. */
    readonly portal: (
      principal: Principal,
    ) => Effect.Effect<{ readonly url: string }, BillingDisabled | NoSubscription | PaymentsUnavailable>
  }
>() {
  static readonly layer = Layer.effect(
    Billing,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const checkouts = yield* CheckoutStore
      const mailboxes = yield* MailboxStore
      const payments = yield* Payments
      const plans = yield* PlanChanges
      const events = yield* PaymentEvents
      const vault = yield* Vault
      const { commit } = yield* UnitOfWork
      const { billing } = yield* Settings

      const offer = Effect.fn("Billing.offer")(
        function* (token: string) {
          // Only the simulated checkout is completed on a page of ours: anywhere else that would be a gift.
          if (billing !== "simulated") return yield* new NotFound({ resource: "checkout" })
          const checkout = yield* Effect.flatten(checkouts.byTokenHash(vault.digest(token)))
          // A deleted account buys nothing.
          yield* Effect.flatten(accounts.byId(checkout.accountId))
          const state = checkoutState(checkout, yield* Clock.currentTimeMillis)
          return state === "open" ? checkout : yield* new CheckoutClosed({ state })
        },
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "checkout" })),
      )

      /** Has the provider make the change, and says what it then is for us. */
      const agree = Effect.fnUntraced(function* (
        { account }: Principal,
        reference: string,
        wanted: { readonly plan: Plan; readonly period: BillingPeriod | undefined },
      ) {
        if (wanted.plan === "Free") {
          yield* payments.cancel(reference)
          return { kind: "given up" } satisfies PlanChange
        }
        // What lapsed is bought again, by an upgrade.
        if (account.lapsed) return yield* new NoSubscription()
        const plan = wanted.plan
        const period = soldPeriod(plan, wanted.period ?? account.billingPeriod)
        if (plan === account.plan && period === account.billingPeriod) return yield* new AlreadyPaid({ plan })
        yield* payments.change(reference, { plan, period })
        return { kind: "paid", plan, period, reference } satisfies PlanChange
      })

      return Billing.of({
        upgrade: Effect.fn("Billing.upgrade")(function* ({ account }, { plan, period }) {
          if (billing === "none") return yield* new BillingDisabled()
          if (account.plan !== "Free" && !account.lapsed)
            return yield* new AlreadyPaid({ plan: account.plan })
          const now = yield* Clock.currentTimeMillis
          const wanted = { accountId: account.id, plan, period: soldPeriod(plan, period) }
          // Stored before the provider is asked: every checkout that can be paid for is known to us.
          const checkout = yield* commit(
            Effect.gen(function* () {
              const { billingReference: reference, email } = yield* lockAccount(accounts, account.id)
              const tokenOf = (until: Instant) =>
                checkoutToken(vault, { ...wanted, expiresAt: until, reference })
              const open = Option.filter(
                yield* checkouts.openFor(wanted, now + CHECKOUT_REUSE_MIN),
                (one) => vault.digest(tokenOf(one.expiresAt)) === one.tokenHash,
              )
              const expiresAt = Option.match(open, {
                onNone: () => now + CHECKOUT_TTL,
                onSome: (one) => one.expiresAt,
              })
              const token = tokenOf(expiresAt)
              const tokenHash = vault.digest(token)
              if (Option.isNone(open))
                yield* checkouts.insert({ ...wanted, tokenHash, expiresAt, completedAt: null })
              return { ...wanted, id: checkoutName(vault, tokenHash), token, email, expiresAt, reference }
            }),
          )
          return yield* payments.checkout(checkout).pipe(
            // Nobody was handed anything: the request may be made again under its key.
            Effect.tapError(() => commit(reach({ kind: "undone" }))),
          )
        }),

        offer,

        complete: Effect.fn("Billing.complete")(function* (token) {
          const checkout = yield* offer(token)
          const now = yield* Clock.currentTimeMillis
          const bought = yield* commit(plans.purchase(checkout, checkout, checkout.tokenHash, now))
          if (!bought) return yield* new CheckoutClosed({ state: "completed" })
          return { plan: checkout.plan }
        }),

        changePlan: Effect.fn("Billing.changePlan")(
          function* (principal, wanted) {
            if (billing === "none") return yield* new BillingDisabled()
            const { id, plan, billingReference: reference } = principal.account
            if (plan === "Free" || reference === null) return yield* new NoSubscription()
            const change = yield* agree(principal, reference, wanted)
            const now = yield* Clock.currentTimeMillis
            yield* commit(
              Effect.gen(function* () {
                const [account] = yield* accounts.lock([id])
                // Bought anew while we spoke to the provider: that counts.
                if (account?.billingReference === reference) yield* plans.apply(account, change, now)
              }),
            )
            if (change.kind === "paid") yield* events.follow(reference)
            const after = yield* Effect.flatten(accounts.byId(id))
            return viewAccount(after, yield* mailboxes.counts(id), billing, now)
          },
          Effect.catchTag("NoSuchElementException", () => new NoSubscription()),
        ),

        portal: Effect.fn("Billing.portal")(function* ({ account }) {
          if (billing === "none") return yield* new BillingDisabled()
          if (account.billingReference === null) return yield* new NoSubscription()
          return yield* payments.portal(account.billingReference)
        }),
      })
    }),
  )
}
