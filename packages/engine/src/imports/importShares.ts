/** The share of each account of the imports of a process (docs/decisions/0076). */
import { type AccountId, admitImport, type Instant, type RateLimited } from "@mailroom/domain"
import { Clock, Effect } from "effect"

/** Returns an effect that takes an import from the share of its account, or fails with `RateLimited`. */
export const makeImportShares = () => {
  /** when the share of an account has caught up, by the time of its last import */
  const turns = new Map<AccountId, Instant>()

  /** Removes accounts that have caught up, from those whose last import is the longest ago. */
  const prune = (now: Instant): void => {
    for (const [id, from] of turns) {
      if (from > now) return
      turns.delete(id)
    }
  }

  return (id: AccountId, sizeBytes: number): Effect.Effect<void, RateLimited> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(admitImport(turns.get(id) ?? 0, now, sizeBytes), (from) => {
        turns.delete(id)
        turns.set(id, from)
        prune(now)
      }),
    )
}
