/** Invitations to open an account. */
import type { Instant, InvitationId, InvitationRecord } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class InvitationStore extends Context.Tag("@mailroom/InvitationStore")<
  InvitationStore,
  {
    readonly insert: (invitation: InvitationRecord) => Effect.Effect<void>
    /** Newest first, `limit` at most. */
    readonly newest: (limit: number) => Effect.Effect<ReadonlyArray<InvitationRecord>>
    /** Whether the token with this hash opens an account at `now`. */
    readonly isGood: (hash: string, now: Instant) => Effect.Effect<boolean>
    /** Uses it up. False when it is used, expired or unknown: of several at once, one call gets true. */
    readonly redeem: (hash: string, now: Instant) => Effect.Effect<boolean>
    /** False when there is no such invitation. */
    readonly remove: (id: InvitationId) => Effect.Effect<boolean>
    /** Removes up to `limit` that expired at `now` or before, and returns how many. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
