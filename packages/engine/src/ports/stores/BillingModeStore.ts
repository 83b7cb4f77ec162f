/** The billing mode (`BILLING`) with which the service last ran on this database. */
import type { BillingMode } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class BillingModeStore extends Context.Tag("@mailroom/BillingModeStore")<
  BillingModeStore,
  {
    /** Stores the mode. True unless it was stored before: for one of several concurrent calls. */
    readonly change: (mode: BillingMode) => Effect.Effect<boolean>
  }
>() {}
