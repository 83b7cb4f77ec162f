/**
 * What the payment provider tells us. A notice only says where to look: what is so is asked for, so that notices that
 * come late, twice or out of order do no harm (docs/decisions/0018).
 */
import {
  type InvalidSignature,
  type PaymentsUnavailable,
  type Subscription,
  subscriptionChange,
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
    /** Takes in one notice. After `PaymentsUnavailable` the provider sends it again. */
    readonly receive: (notice: PaymentNotice) => Effect.Effect<void, InvalidSignature | PaymentsUnavailable>
    /** Brings the account that pays under `reference` to what the provider says of it. */
    readonly follow: (reference: string) => Effect.Effect<void, PaymentsUnavailable>
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

      /** Inside a transaction: true when that changed the account. */
      const take = Effect.fnUntraced(function* (reference: string, subscription: Subscription) {
        const found = yield* accounts.byBillingReference(reference)
        const [account] = yield* accounts.lock(Option.toArray(Option.map(found, ({ id }) => id)))
        if (account === undefined || account.billingReference !== reference) return false
        const change = subscriptionChange(account, reference, subscription)
        if (change === null) return false
        return (yield* plans.apply(account, change, yield* Clock.currentTimeMillis)) !== account
      })

      /** Whoever changes the account looks again afterwards: so the last to change it has seen what is so. */
      const follow = (reference: string): Effect.Effect<void, PaymentsUnavailable> =>
        Effect.flatMap(
          payments.subscription(reference),
          Option.match({
            onNone: () => Effect.void,
            onSome: (subscription) =>
              Effect.flatMap(commit(take(reference, subscription)), (changed) =>
                changed ? follow(reference) : Effect.void,
              ),
          }),
        )

      /** Paid for by nobody's account: the checkout was deleted with it. */
      const giveUp = Effect.fnUntraced(function* (reference: string) {
        const now = yield* Clock.currentTimeMillis
        yield* commit(jobs.add({ kind: "cancel-subscription", reference }, now))
        yield* Effect.logWarning(
          "A checkout was paid for whose account is deleted; what it bought ends now",
        ).pipe(Effect.annotateLogs({ reference }))
      })

      /** A checkout at the provider was paid for, however late we hear of it: paid is paid. */
      const complete = Effect.fnUntraced(function* (id: string, reference: string) {
        const tokenHash = checkoutNamed(vault, id)
        if (tokenHash === null)
          return yield* Effect.logWarning("A checkout was paid for that is not known here").pipe(
            Effect.annotateLogs({ checkout: id, reference }),
          )
        const checkout = Option.getOrNull(yield* checkouts.byTokenHash(tokenHash))
        if (checkout === null) return yield* giveUp(reference)
        if (checkout.completedAt !== null) return
        const subscription = Option.getOrNull(yield* payments.subscription(reference))
        // It ended before we heard of it.
        if (subscription === null || !subscription.live) return
        const now = yield* Clock.currentTimeMillis
        yield* commit(plans.purchase(checkout, subscription.bought ?? checkout, reference, now))
      })

      return PaymentEvents.of({
        follow,
        receive: Effect.fn("PaymentEvents.receive")(function* (notice) {
          const event = yield* payments.event(notice)
          if (event.kind === "ignored") return
          if (event.kind === "completed") yield* complete(event.id, event.reference)
          yield* follow(event.reference)
        }),
      })
    }),
  )
}
