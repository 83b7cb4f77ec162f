/**
 * Checks every custom domain every 5 minutes (docs/decisions/0015). Domains are leased, so that one of several processes
 * checks a domain; the time of the next check is stored with the domain, so that a crash loses none. Accounts share the
 * places of a process, so an account with silent name servers delays no other account (docs/decisions/0039).
 */
import {
  type AccountId,
  DOMAIN_CHECK_INTERVAL,
  type DomainRecord,
  fairClaim,
  MINUTE,
  SECOND,
} from "@mailroom/domain"
import { Context, Effect, FiberSet, Layer, Queue, Schedule } from "effect"
import { makeActiveAccounts } from "../activeAccounts.js"
import { makeClaim } from "../leasing.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { DomainChecks } from "./DomainChecks.js"
import { SigningKeys } from "./SigningKeys.js"

/** Domains that a process checks at one time. One whose name servers are silent holds a place for 10 seconds. */
const CHECKS_AT_ONCE = 64
/** Longer than a check takes. */
const LEASE = 2 * MINUTE
const POLL = 10 * SECOND
/** Until domains are claimed again after a failure of the storage. */
const AGAIN_AFTER = 1 * SECOND

export class DomainWorker extends Context.Tag("@mailroom/DomainWorker")<
  DomainWorker,
  {
    /** Makes the checks that are due now, and returns when they are made. */
    readonly drain: Effect.Effect<void>
    /** Works for ever. */
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.scoped(
    DomainWorker,
    Effect.gen(function* () {
      const domains = yield* DomainStore
      const { check } = yield* DomainChecks
      const { checkPlatform: checkPlatformKey } = yield* SigningKeys

      // Nobody waits for a signal here: a worker whose claim failed claims again by itself.
      const leased = yield* makeClaim({ lease: LEASE, abandon: domains.abandonClaim, topics: [] })

      const claim = (limit: number, except: ReadonlyArray<AccountId>) =>
        leased((now, leaseUntil) => domains.claim(limit, now, leaseUntil, except))

      /** Whatever it ends with is written down, or waits for the next claim. */
      const attempt = (domain: DomainRecord) =>
        check(domain).pipe(
          Effect.catchAll(() => Effect.void),
          Effect.catchAllCause((cause) =>
            Effect.logWarning(`The check of domain ${domain.id} failed and will be tried again`, cause),
          ),
        )

      const drain = Effect.repeat(
        Effect.tap(
          claim(CHECKS_AT_ONCE, []),
          Effect.forEach(attempt, { concurrency: CHECKS_AT_ONCE, discard: true }),
        ),
        { until: (claimed) => claimed.length === 0 },
      ).pipe(Effect.asVoid)

      /** When it is due, however often it is asked for. */
      const checkPlatform = yield* checkPlatformKey.pipe(
        Effect.catchAll(() => Effect.void),
        Effect.catchAllCause((cause) =>
          Effect.logWarning("The check of the platform's next key failed and will be made again", cause),
        ),
        Effect.cachedWithTTL(DOMAIN_CHECK_INTERVAL),
      )

      const runDomains = Effect.gen(function* () {
        const checks = yield* FiberSet.make<void>()
        const freed = yield* Queue.sliding<void>(1)
        // Every check has a place, so none waits for its turn.
        const accounts = makeActiveAccounts(CHECKS_AT_ONCE)

        const start = (domain: DomainRecord) =>
          Effect.suspend(() => {
            const checking = accounts.during(domain.accountId, () => attempt(domain))
            return FiberSet.run(checks, Effect.zipRight(checking, Queue.offer(freed, undefined)))
          })

        const round = Effect.gen(function* () {
          const { limit, except } = fairClaim(accounts.inFlight(), CHECKS_AT_ONCE)
          const claimed = limit > 0 ? yield* claim(limit, except) : []
          yield* Effect.forEach(claimed, start, { discard: true })
          if (claimed.length === 0) yield* Effect.timeoutOption(Queue.take(freed), POLL)
        })

        // A round that fails leaves the checks alone that others began.
        return yield* round.pipe(
          Effect.catchAllCause((cause) =>
            Effect.zipRight(
              Effect.logError("Checks of domains paused and will go on", cause),
              Effect.sleep(AGAIN_AFTER),
            ),
          ),
          Effect.forever,
        )
      }).pipe(Effect.scoped)

      const run = Effect.zipRight(
        Effect.fork(Effect.repeat(checkPlatform, Schedule.spaced(DOMAIN_CHECK_INTERVAL))),
        runDomains,
      )

      return { run, drain: Effect.zipRight(checkPlatform, drain) }
    }),
  )
}
