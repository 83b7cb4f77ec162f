/** Buys a plan and changes it (`spec: billing.upgrade.201`, `decisions.upgrade.change-plan`). */
import {
  type Account,
  actorOf,
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
  planInForce,
  type Principal,
  soldPeriod,
  viewAccount,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { setMarker } from "../idempotency/marker.js"
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
    /**
     * A checkout link for the owner, open for 12 to 24 hours. Repeated calls for one plan and period return the same
     * link.
     */
    readonly upgrade: (
      principal: Principal,
      wanted: { readonly plan: PaidPlan; readonly period: BillingPeriod },
    ) => Effect.Effect<
      { readonly url: string; readonly expiresAt: Instant },
      AlreadyPaid | BillingDisabled | NotFound | PaymentsUnavailable
    >
    /** The open checkout of a link; for the page of a simulated checkout. */
    readonly offer: (token: string) => Effect.Effect<CheckoutRecord, NotFound | CheckoutClosed>
    /** Completes a simulated checkout: the plan applies at once, and gated messages become visible. */
    readonly complete: (
      token: string,
    ) => Effect.Effect<{ readonly plan: PaidPlan }, NotFound | CheckoutClosed>
    /** Changes the paid plan or period at once; Free cancels the subscription. `period` undefined: unchanged. */
    readonly changePlan: (
      principal: Principal,
      wanted: { readonly plan: Plan; readonly period: BillingPeriod | undefined },
    ) => Effect.Effect<
      Account,
      AlreadyPaid | BillingDisabled | NoSubscription | PaymentDeclined | PaymentsUnavailable
    >
    /** The provider's page where the owner sees invoices and changes the payment details. */
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
          // With a payment provider, completing a checkout on our own page would give the plan away.
          if (billing !== "simulated") return yield* new NotFound({ resource: "checkout" })
          const checkout = yield* Effect.flatten(checkouts.byTokenHash(vault.digest(token)))
          // A deleted account is not found, although its checkouts may still be there.
          yield* Effect.flatten(accounts.byId(checkout.accountId))
          const state = checkoutState(checkout, yield* Clock.currentTimeMillis)
          return state === "open" ? checkout : yield* new CheckoutClosed({ state })
        },
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "checkout" })),
      )

      /** Changes the subscription at the provider and returns the change to apply to the account. */
      const changeAtProvider = Effect.fnUntraced(function* (
        { account }: Principal,
        reference: string,
        wanted: { readonly plan: Plan; readonly period: BillingPeriod | undefined },
      ) {
        if (wanted.plan === "Free") {
          yield* payments.cancel(reference)
          return { kind: "given up" } satisfies PlanChange
        }
        // A lapsed plan is bought again, by an upgrade.
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
          // A plan that the operator gave is not paid for: its owner can buy one (docs/decisions/0020).
          if (planInForce(account) !== "Free" && account.billingReference !== null)
            return yield* new AlreadyPaid({ plan: account.plan })
          const now = yield* Clock.currentTimeMillis
          const wanted = { accountId: account.id, plan, period: soldPeriod(plan, period) }
          // Stored before the provider is called, so that every checkout that can be paid is known here.
          const { tokenHash, request } = yield* commit(
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
              const id = checkoutName(vault, { tokenHash, accountId: account.id })
              return { tokenHash, request: { ...wanted, id, token, email, expiresAt, reference } }
            }),
          )
          return yield* payments.checkout(request).pipe(
            // The client got no link, so a repetition of the request may run. It opens another checkout, because the
            // provider may repeat the failure for this one.
            Effect.tapError(() =>
              Effect.flatMap(Clock.currentTimeMillis, (failedAt) =>
                commit(
                  Effect.zipRight(
                    checkouts.shorten(tokenHash, failedAt + CHECKOUT_REUSE_MIN),
                    setMarker({ kind: "undone" }),
                  ),
                ),
              ),
            ),
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
            const change = yield* changeAtProvider(principal, reference, wanted)
            const now = yield* Clock.currentTimeMillis
            yield* commit(
              Effect.gen(function* () {
                const [account] = yield* accounts.lock([id])
                // Unless another purchase replaced the subscription during the call to the provider.
                if (account?.billingReference === reference)
                  yield* plans.apply(account, change, now, actorOf(principal))
              }),
            )
            if (change.kind === "paid") yield* events.sync(reference)
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
