/**
 * Checks every custom domain every 5 minutes (docs/decisions/0015). A lease makes sure that one process at a time checks a
 * domain. The time of the next check is stored with the domain, so a crash loses no check. Accounts share the slots of a
 * process: silent name servers of one account delay no other account (docs/decisions/0039).
 */
import { type AccountId, DOMAIN_CHECK_INTERVAL, type DomainRecord, MINUTE, SECOND } from "@mailroom/domain"
import { Context, Effect, Layer, Schedule } from "effect"
import { makeClaim } from "../workers/leasing.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { DomainChecks } from "./DomainChecks.js"
import { SigningKeys } from "./SigningKeys.js"
import { makeFairRound } from "../workers/fairRound.js"
import { drainRounds, makeSupervisor } from "../workers/supervisor.js"

/** Domains that a process checks at a time. A domain whose name servers are silent holds a slot for 10 s. */
const CHECKS_AT_ONCE = 64
/** Longer than any check. */
const LEASE = 2 * MINUTE
const POLL = 10 * SECOND

export class DomainWorker extends Context.Tag("@mailroom/DomainWorker")<
  DomainWorker,
  {
    /** Runs the checks that are due now, and returns when they have ended. */
    readonly drain: Effect.Effect<void>
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.scoped(
    DomainWorker,
    Effect.gen(function* () {
      const domains = yield* DomainStore
      const { check } = yield* DomainChecks
      const { checkPlatform: checkPlatformKey } = yield* SigningKeys

      // No topics: this worker polls.
      const supervisor = makeSupervisor("domains")
      const leased = yield* makeClaim({ lease: LEASE, abandon: domains.abandonClaim, topics: [] })

      const claim = (limit: number, except: ReadonlyArray<AccountId>) =>
        leased((now, leaseUntil) => domains.claim(limit, now, leaseUntil, except))

      /** A check stores its result itself. After a failure the lease runs out, and the domain is claimed again. */
      const attempt = (domain: DomainRecord) =>
        supervisor.task(check(domain), { domain: domain.id }).pipe(
          Effect.catchAll(() => Effect.void),
          Effect.catchAllCause((cause) =>
            Effect.logWarning(`The check of domain ${domain.id} failed and will be tried again`, cause),
          ),
        )

      const drain = drainRounds(
        Effect.gen(function* () {
          const claimed = yield* claim(CHECKS_AT_ONCE, [])
          yield* Effect.forEach(claimed, attempt, { concurrency: CHECKS_AT_ONCE, discard: true })
          return claimed.length
        }),
      )

      /** Checks the platform's next key, at most once in 5 minutes. */
      const checkPlatform = yield* checkPlatformKey.pipe(
        Effect.catchAll(() => Effect.void),
        Effect.catchAllCause((cause) =>
          Effect.logWarning("The check of the platform's next key failed and will be tried again", cause),
        ),
        Effect.cachedWithTTL(DOMAIN_CHECK_INTERVAL),
      )

      const runDomains = makeFairRound({
        slots: CHECKS_AT_ONCE,
        // Each check has a slot, so none waits for another of its account.
        transactionsAtOnce: CHECKS_AT_ONCE,
        claim,
        run: attempt,
        wake: Effect.never,
        idleFor: Effect.succeed(POLL),
      }).pipe(Effect.flatMap(supervisor.loop), Effect.scoped)

      const run = Effect.zipRight(
        Effect.fork(Effect.repeat(checkPlatform, Schedule.spaced(DOMAIN_CHECK_INTERVAL))),
        runDomains,
      )

      return { run, drain: Effect.zipRight(checkPlatform, Effect.asVoid(drain)) }
    }),
  )
}
