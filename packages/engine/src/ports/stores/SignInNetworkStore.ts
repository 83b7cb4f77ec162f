/** The networks from which the owner of an account signed in (docs/decisions/0045). */
import type { AccountId, Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class SignInNetworkStore extends Context.Tag("@mailroom/SignInNetworkStore")<
  SignInNetworkStore,
  {
    /**
     * Whether the owner of the account with this lower-case email signed in from the network. False without such an
     * account.
     */
    readonly isKnown: (email: string, network: string) => Effect.Effect<boolean>
    /** Records a sign-in from the network at `now`. `network` is a signature, so that no address is stored. */
    readonly remember: (accountId: AccountId, network: string, now: Instant) => Effect.Effect<void>
    /** Removes up to `limit` networks last seen at `before` or earlier, and returns how many. */
    readonly removeUnseen: (before: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
