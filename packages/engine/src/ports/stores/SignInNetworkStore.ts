/** From which networks the owner of an account has signed in (docs/decisions/0045). */
import type { AccountId, Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class SignInNetworkStore extends Context.Tag("@mailroom/SignInNetworkStore")<
  SignInNetworkStore,
  {
    /** Whether the account with this email (lower-case) knows the network; false when there is no such account. */
    readonly isKnown: (email: string, network: string) => Effect.Effect<boolean>
    /** Makes the network known to the account, seen at `now`. `network` is a signature: addresses are not stored. */
    readonly remember: (accountId: AccountId, network: string, now: Instant) => Effect.Effect<void>
    /** Removes up to `limit` networks last seen at `before` or earlier, and returns how many. */
    readonly removeUnseen: (before: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
