/**
 * Checks every custom domain every 5 minutes (docs/decisions/0015). A lease makes sure that one process at a time checks a
 * domain. The time of the next check is stored with the domain, so a crash loses no check. Accounts share the slots of a
 * process: silent name servers of one account delay no other account (docs/decisions/0039).
 */
import { DOMAIN_CHECK_INTERVAL, type DomainRecord, MINUTE, SECOND } from "@mailroom/domain"
import { Context, Effect, Layer, Schedule } from "effect"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { DomainChecks } from "./DomainChecks.js"
import { SigningKeys } from "./SigningKeys.js"
import { makeFairWorker, type FairWorker } from "../workers/fairWorker.js"
import { makeSupervisor } from "../workers/supervisor.js"

/** Domains that a process checks at a time. A domain whose name servers are silent holds a slot for 10 s. */
const CHECKS_AT_ONCE = 64
/** Longer than any check. */
const LEASE = 2 * MINUTE
const POLL = 10 * SECOND

export class DomainWorker extends Context.Tag("@mailroom/DomainWorker")<DomainWorker, FairWorker>() {
  static readonly layer = Layer.scoped(
    DomainWorker,
    Effect.gen(function* () {
      const domains = yield* DomainStore
      const { check } = yield* DomainChecks
      const { checkPlatform: checkPlatformKey } = yield* SigningKeys

      const supervisor = makeSupervisor("domains")

      /** A check stores its result itself. */
      const attempt = (domain: DomainRecord) =>
        supervisor.task(check(domain), { domain: domain.id }).pipe(
          Effect.catchAll(() => Effect.void),
          Effect.catchAllCause(supervisor.failed),
          Effect.annotateLogs({ domain: domain.id }),
        )

      const checks = yield* makeFairWorker({
        supervisor,
        slots: CHECKS_AT_ONCE,
        topic: null,
        idleFor: Effect.succeed(POLL),
        lease: LEASE,
        store: domains,
        attempt,
      })

      /** Checks the platform's next key, at most once in 5 minutes. */
      const checkPlatform = yield* checkPlatformKey.pipe(
        Effect.catchAll(() => Effect.void),
        Effect.catchAllCause((cause) =>
          Effect.logWarning("The check of the platform's next key failed and will be tried again", cause),
        ),
        Effect.cachedWithTTL(DOMAIN_CHECK_INTERVAL),
      )

      const run = Effect.zipRight(
        Effect.fork(Effect.repeat(checkPlatform, Schedule.spaced(DOMAIN_CHECK_INTERVAL))),
        checks.run,
      )

      return { run, drain: Effect.zipRight(checkPlatform, checks.drain), finish: checks.finish }
    }),
  )
}
