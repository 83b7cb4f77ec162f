/** Open and finished checkouts. */
import type { AccountId, BillingPeriod, CheckoutRecord, Instant, PaidPlan } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class CheckoutStore extends Context.Tag("@mailroom/CheckoutStore")<
  CheckoutStore,
  {
    readonly insert: (checkout: CheckoutRecord) => Effect.Effect<void>
    readonly byTokenHash: (tokenHash: string) => Effect.Effect<Option.Option<CheckoutRecord>>
    /** The checkout of an account for this plan and period that is open at `until` and longest, and not completed. */
    readonly openFor: (
      wanted: { readonly accountId: AccountId; readonly plan: PaidPlan; readonly period: BillingPeriod },
      until: Instant,
    ) => Effect.Effect<Option.Option<CheckoutRecord>>
    /** True for the one call that completes a checkout; whether it is still open is the caller's to say. */
    readonly complete: (tokenHash: string, at: Instant) => Effect.Effect<boolean>
    /** Removes up to `limit` that expired at `now` or before, completed or not, and returns how many. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
