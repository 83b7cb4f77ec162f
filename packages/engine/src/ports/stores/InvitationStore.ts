/** Invitations to open an account. */
import type { Instant, InvitationId, InvitationRecord } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class InvitationStore extends Context.Tag("@mailroom/InvitationStore")<
  InvitationStore,
  {
    readonly insert: (invitation: InvitationRecord) => Effect.Effect<void>
    /** Newest first, at most `limit`. */
    readonly newest: (limit: number) => Effect.Effect<ReadonlyArray<InvitationRecord>>
    /** Whether an invitation with this token hash is unused and not expired at `now`. */
    readonly isGood: (hash: string, now: Instant) => Effect.Effect<boolean>
    /** Marks an invitation used. False when it is used, expired or unknown. True for one of several concurrent calls. */
    readonly redeem: (hash: string, now: Instant) => Effect.Effect<boolean>
    /** False when there is no invitation with this id. */
    readonly remove: (id: InvitationId) => Effect.Effect<boolean>
    /** Removes up to `limit` that expired at `now` or before, and returns how many. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
