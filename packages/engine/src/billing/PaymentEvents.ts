/**
 * Handles notices of the payment provider. A notice only names a subscription; its state is read from the provider, so
 * that notices may come late, twice or out of order (docs/decisions/0018).
 */
import {
  type AccountId,
  type InvalidSignature,
  type PaymentsUnavailable,
  type Subscription,
  subscriptionChange,
  serviceActor,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { Vault } from "../ports/Crypto.js"
import { type PaymentNotice, Payments } from "../ports/Payments.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { CheckoutStore } from "../ports/stores/CheckoutStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { checkoutNamed } from "./checkoutName.js"
import { PlanChanges } from "./PlanChanges.js"

export class PaymentEvents extends Context.Tag("@mailroom/PaymentEvents")<
  PaymentEvents,
  {
    /** Processes one notice. The provider repeats it after `PaymentsUnavailable`. */
    readonly receive: (notice: PaymentNotice) => Effect.Effect<void, InvalidSignature | PaymentsUnavailable>
    /** Updates the account that pays under `reference` to the state of its subscription at the provider. */
    readonly sync: (reference: string) => Effect.Effect<void, PaymentsUnavailable>
  }
>() {
  static readonly layer = Layer.effect(
    PaymentEvents,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const checkouts = yield* CheckoutStore
      const jobs = yield* JobQueue
      const payments = yield* Payments
      const plans = yield* PlanChanges
      const vault = yield* Vault
      const { commit } = yield* UnitOfWork

      /** Inside a transaction: applies the subscription to its account. True when that changed the account. */
      const applySubscription = Effect.fnUntraced(function* (reference: string, subscription: Subscription) {
        const found = yield* accounts.byBillingReference(reference)
        const [account] = yield* accounts.lock(Option.toArray(Option.map(found, ({ id }) => id)))
        if (account === undefined || account.billingReference !== reference) return false
        const change = subscriptionChange(account, reference, subscription)
        if (change === null) return false
        const now = yield* Clock.currentTimeMillis
        return (yield* plans.apply(account, change, now, serviceActor)) !== account
      })

      /**
       * Reads the subscription again after each change it applied. So the last of several concurrent calls to change the
       * account has applied the current state.
       */
      const sync = (reference: string): Effect.Effect<void, PaymentsUnavailable> =>
        Effect.flatMap(
          payments.subscription(reference),
          Option.match({
            onNone: () => Effect.void,
            onSome: (subscription) =>
              Effect.flatMap(commit(applySubscription(reference, subscription)), (changed) =>
                changed ? sync(reference) : Effect.void,
              ),
          }),
        )

      /** Cancels what a checkout of a deleted account bought. */
      const cancelOrphan = Effect.fnUntraced(function* (reference: string) {
        const now = yield* Clock.currentTimeMillis
        yield* commit(jobs.add({ kind: "cancel-subscription", reference }, now))
        yield* Effect.logWarning(
          "A checkout of a deleted account was paid; its subscription is cancelled",
        ).pipe(Effect.annotateLogs({ reference }))
      })

      /**
       * Applies what was bought by a checkout that is not in the database, which was restored from a backup that is older
       * than the checkout.
       */
      const completeUnknown = Effect.fnUntraced(function* (accountId: AccountId | null, reference: string) {
        const known = accountId === null ? Option.none() : yield* accounts.byId(accountId)
        if (Option.isNone(known)) return yield* cancelOrphan(reference)
        const subscription = Option.getOrNull(yield* payments.subscription(reference))
        if (subscription === null || !subscription.live) return
        const { bought } = subscription
        if (bought === null)
          return yield* Effect.logWarning(
            "A checkout was paid that the database does not have, for a price that is not sold",
          ).pipe(Effect.annotateLogs({ account: known.value.id, reference }))
        const now = yield* Clock.currentTimeMillis
        yield* commit(
          Effect.gen(function* () {
            const [account] = yield* accounts.lock([known.value.id])
            if (account !== undefined)
              yield* plans.apply(account, { kind: "paid", ...bought, reference }, now, serviceActor)
          }),
        )
      })

      /** Applies a paid checkout, also one that has expired here meanwhile. */
      const complete = Effect.fnUntraced(function* (id: string, reference: string) {
        const named = checkoutNamed(vault, id)
        if (named === null)
          return yield* Effect.logWarning("An unknown checkout was paid; it is not one of this service").pipe(
            Effect.annotateLogs({ checkout: id, reference }),
          )
        const checkout = Option.getOrNull(yield* checkouts.byTokenHash(named.tokenHash))
        if (checkout === null) return yield* completeUnknown(named.accountId, reference)
        const subscription = Option.getOrNull(yield* payments.subscription(reference))
        // The subscription ended before its notice came.
        if (subscription === null || !subscription.live) return
        const now = yield* Clock.currentTimeMillis
        yield* commit(plans.purchase(checkout, subscription.bought ?? checkout, reference, now))
      })

      return PaymentEvents.of({
        sync,
        receive: Effect.fn("PaymentEvents.receive")(function* (notice) {
          const event = yield* payments.event(notice)
          if (event.kind === "ignored") return
          if (event.kind === "completed") yield* complete(event.id, event.reference)
          yield* sync(event.reference)
        }),
      })
    }),
  )
}
