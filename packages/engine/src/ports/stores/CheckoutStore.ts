/** Checkouts, open and completed. */
import type { AccountId, BillingPeriod, CheckoutRecord, Instant, PaidPlan } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class CheckoutStore extends Context.Tag("@mailroom/CheckoutStore")<
  CheckoutStore,
  {
    readonly insert: (checkout: CheckoutRecord) => Effect.Effect<void>
    readonly byTokenHash: (tokenHash: string) => Effect.Effect<Option.Option<CheckoutRecord>>
    /**
     * The checkout for this account, plan and period that is not completed and still open at `until`; the one that
     * expires last.
     */
    readonly openFor: (
      wanted: { readonly accountId: AccountId; readonly plan: PaidPlan; readonly period: BillingPeriod },
      until: Instant,
    ) => Effect.Effect<Option.Option<CheckoutRecord>>
    /** Makes a checkout that is not completed expire at `expiresAt`, unless it expires before. */
    readonly shorten: (tokenHash: string, expiresAt: Instant) => Effect.Effect<void>
    /** Completes a checkout, also an expired one. True for one of several concurrent calls. */
    readonly complete: (tokenHash: string, at: Instant) => Effect.Effect<boolean>
    /** Removes up to `limit` that expired at `now` or before, completed or not, and returns how many. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
