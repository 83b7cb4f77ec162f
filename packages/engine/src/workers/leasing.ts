/** Claims queued work under a lease. */
import { type Instant, SECOND } from "@mailroom/domain"
import { Clock, Effect, type Scope } from "effect"
import { makeInDoubt, retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { Signals, type Topic } from "../ports/Signals.js"

/** Runs a claim, which leases the claimed work from `now` until `leaseUntil`. */
export type Claim = <A>(claim: (now: Instant, leaseUntil: Instant) => Effect.Effect<A>) => Effect.Effect<A>

export interface LeaseTerms {
  /** Milliseconds from the claim to the end of its lease. */
  readonly lease: number
  /** Frees the work that this process leased until exactly `leaseUntil`. */
  readonly abandon: (leaseUntil: Instant) => Effect.Effect<void>
  /** The topics of the workers of this queue. They wake when abandoned work is free. */
  readonly topics: ReadonlyArray<Topic>
}

/**
 * Makes the claims of one queue. A claim that fails may have been committed, if only its answer was lost. Its lease is then
 * abandoned in the background as soon as the storage answers, and does not have to expire minutes later. No two claims of a
 * queue lease until the same instant, so that abandoning one leaves the others alone.
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

/** Milliseconds from the failure of a task until it may be claimed again. */
const RETRY_AFTER = 1 * SECOND

/** Ends the lease of a task that failed, as soon as the storage answers. Without this it would wait until the lease expires. */
export const releaseLater = (release: (at: Instant) => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (failedAt) =>
    retryWhileUnavailable(release(failedAt + RETRY_AFTER)),
  )
