/** Claims of queued work under a lease. */
import type { Instant } from "@mailroom/domain"
import { Clock, Effect, type Scope } from "effect"
import { makeInDoubt } from "../retryWhileUnavailable.js"
import { Signals, type Topic } from "../ports/Signals.js"

/** Runs a claim at `now`, which leases what it takes until `leaseUntil`. */
export type Claim = <A>(claim: (now: Instant, leaseUntil: Instant) => Effect.Effect<A>) => Effect.Effect<A>

export interface LeaseTerms {
  /** Milliseconds from the claim to the end of its lease. */
  readonly lease: number
  /** Frees what a claim of this process leased until exactly `leaseUntil`. */
  readonly abandon: (leaseUntil: Instant) => Effect.Effect<void>
  /** What the workers of this queue wait for: they are woken when an abandoned claim is free. */
  readonly topics: ReadonlyArray<Topic>
}

/**
 * Makes the claims of one queue. A claim that fails may have been committed all the same, when only the answer was lost.
 * So its lease is abandoned in the background, as soon as the storage is there, instead of running out minutes later. No
 * two claims of a queue lease until the same instant: abandoning one leaves the others alone.
 */
export const makeClaim = ({
  lease,
  abandon,
  topics,
}: LeaseTerms): Effect.Effect<Claim, never, Signals | Scope.Scope> =>
  Effect.gen(function* () {
    const inDoubt = yield* makeInDoubt(lease)
    const signals = yield* Signals
    let lastLeaseUntil: Instant = 0
    return (claim) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const leaseUntil = Math.max(now + lease, lastLeaseUntil + 1)
        lastLeaseUntil = leaseUntil
        const abandoned = Effect.zipRight(abandon(leaseUntil), signals.publish(topics))
        return claim(now, leaseUntil).pipe(inDoubt(abandoned))
      })
  })
