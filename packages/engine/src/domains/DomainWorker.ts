/**
 * Looks custom domains up by itself, every 5 minutes (docs/decisions/0015). A domain is leased, so that of several
 * processes one asks; when the next check is due stands in the domain, so that a crash forgets none.
 */
import { DOMAIN_CHECK_INTERVAL, type DomainRecord, MINUTE, SECOND } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Schedule, Stream } from "effect"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { CHECKS_AT_ONCE, DomainChecks } from "./DomainChecks.js"
import { SigningKeys } from "./SigningKeys.js"

/** Longer than a check takes, its wait for a place included. */
const LEASE = 2 * MINUTE
const POLL = 10 * SECOND

export class DomainWorker extends Context.Tag("@mailroom/DomainWorker")<
  DomainWorker,
  {
    /** Makes the checks that are due now, and returns when they are made. */
    readonly drain: Effect.Effect<void>
    /** Works for ever. */
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.effect(
    DomainWorker,
    Effect.gen(function* () {
      const domains = yield* DomainStore
      const { check } = yield* DomainChecks
      const { checkPlatform: checkPlatformKey } = yield* SigningKeys

      const claim = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        domains.claim(CHECKS_AT_ONCE, now, now + LEASE),
      )

      /** Whatever it ends with is written down, or waits for the next claim. */
      const attempt = (domain: DomainRecord) =>
        check(domain).pipe(
          Effect.catchAll(() => Effect.void),
          Effect.catchAllCause((cause) =>
            Effect.logWarning(`The check of domain ${domain.id} failed and will be tried again`, cause),
          ),
        )

      const drain = Effect.repeat(
        Effect.tap(claim, Effect.forEach(attempt, { concurrency: CHECKS_AT_ONCE, discard: true })),
        { until: (claimed) => claimed.length === 0 },
      ).pipe(Effect.asVoid)

      const claimOrWait = Effect.tap(claim, (claimed) =>
        Effect.when(Effect.sleep(POLL), () => claimed.length === 0),
      )

      /** When it is due, however often it is asked for. */
      const checkPlatform = yield* checkPlatformKey.pipe(
        Effect.catchAll(() => Effect.void),
        Effect.catchAllCause((cause) =>
          Effect.logWarning("The check of the platform's next key failed and will be made again", cause),
        ),
        Effect.cachedWithTTL(DOMAIN_CHECK_INTERVAL),
      )

      const runDomains = Stream.repeatEffect(claimOrWait).pipe(
        Stream.flattenIterables,
        // One domain whose name servers are silent holds up no other.
        Stream.mapEffect(attempt, { concurrency: CHECKS_AT_ONCE, unordered: true }),
        Stream.runDrain,
        Effect.catchAllCause((cause) => Effect.logError("Checks of domains paused and will go on", cause)),
        Effect.zipRight(Effect.sleep(1 * SECOND)),
        Effect.forever,
      )

      const run = Effect.zipRight(
        Effect.fork(Effect.repeat(checkPlatform, Schedule.spaced(DOMAIN_CHECK_INTERVAL))),
        runDomains,
      )

      return { run, drain: Effect.zipRight(checkPlatform, drain) }
    }),
  )
}
