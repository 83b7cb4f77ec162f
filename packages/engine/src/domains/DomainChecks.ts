/** Looks up the DNS records of a custom domain, and stores the resulting status (docs/decisions/0015). */
import {
  afterCheck,
  AlreadyTaken,
  type Check,
  dkimHost,
  dmarcHost,
  type DnsAnswers,
  DnsUnavailable,
  type DomainRecord,
  isNextKeyFound,
  judgeRecords,
  NotFound,
  serviceActor,
  withoutDomain,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Layer, Random } from "effect"
import { AuditLog } from "../audit/AuditLog.js"
import { Dns, type DnsFailure } from "../ports/Dns.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

/** A lookup in which a name without records is an answer: none. */
export const orNone = <A>(
  lookup: Effect.Effect<ReadonlyArray<A>, DnsFailure>,
): Effect.Effect<ReadonlyArray<A>, DnsFailure> =>
  Effect.catchIf(
    lookup,
    ({ reason }) => reason === "not found",
    () => Effect.succeed([]),
  )

export class DomainChecks extends Context.Tag("@mailroom/DomainChecks")<
  DomainChecks,
  {
    /**
     * Checks the domain now, and returns it as stored. Takes 10 s when its name servers are silent. `DnsUnavailable`: a
     * name server did not answer, and the status stays as it is. `AlreadyTaken`: the records are right, but another account
     * has the domain VERIFIED. `NotFound`: it was deleted during the check. The result is stored also after a failure.
     */
    readonly check: (
      domain: DomainRecord,
    ) => Effect.Effect<DomainRecord, NotFound | DnsUnavailable | AlreadyTaken>
  }
>() {
  static readonly layer = Layer.effect(
    DomainChecks,
    Effect.gen(function* () {
      const dns = yield* Dns
      const accounts = yield* AccountStore
      const audit = yield* AuditLog
      const domains = yield* DomainStore
      const mailboxes = yield* MailboxStore
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings

      const lookUp = (domain: DomainRecord): Effect.Effect<DnsAnswers, DnsFailure> =>
        Effect.all(
          {
            mx: orNone(dns.mx(domain.domain)),
            spf: orNone(dns.txt(domain.domain)),
            dkim: orNone(dns.txt(dkimHost(domain.dkimSelector, domain.domain))),
            nextDkim:
              domain.nextDkimSelector === null
                ? Effect.succeed([])
                : orNone(dns.txt(dkimHost(domain.nextDkimSelector, domain.domain))),
            dmarc: orNone(dns.txt(dmarcHost(domain))),
          },
          { concurrency: "unbounded" },
        )

      /** The mailboxes of the previous owner lose their addresses on the domain, which their audit trail says. */
      const takeOver = Effect.fnUntraced(function* (domain: DomainRecord, now: number) {
        const ids = yield* mailboxes.onOtherClaims(domain.domain, domain.id)
        for (const mailbox of yield* mailboxes.lock(ids)) {
          const suspended = withoutDomain(mailbox, now)
          yield* mailboxes.save(suspended)
          yield* audit.record({
            accountId: mailbox.accountId,
            actor: serviceActor,
            action: "mailbox.suspended",
            target: mailbox.id,
            detail: { reason: suspended.suspendedReason, address: mailbox.fullAddress },
          })
        }
      })

      const store = Effect.fnUntraced(function* (
        { accountId, id, dkimSelector, nextDkimSelector }: DomainRecord,
        { found, nextKeyFound }: Pick<Check, "found" | "nextKeyFound">,
      ) {
        // Fails with NotFound when the account was deleted.
        yield* Effect.flatMap(accounts.lock([accountId]), Array.head)
        // Read again: during the lookups another check may have ended, or its owner may have deleted the domain.
        const before = yield* Effect.flatten(domains.byId(accountId, id))
        // That check made the next key the current one. These lookups say nothing about it.
        if (before.dkimSelector !== dkimSelector) return { after: before, taken: false }
        const check = {
          found,
          nextKeyFound: nextKeyFound && before.nextDkimSelector === nextDkimSelector,
          now: yield* Clock.currentTimeMillis,
          jitter: yield* Random.next,
        }
        const after = afterCheck(before, { ...check, taken: false })
        return yield* domains.save(after).pipe(
          Effect.zipRight(
            Effect.when(
              takeOver(after, check.now),
              () => after.status === "VERIFIED" && before.status !== "VERIFIED",
            ),
          ),
          Effect.as({ after, taken: false }),
          Effect.catchTag("AlreadyTaken", () => {
            const waiting = afterCheck(before, { ...check, taken: true })
            return Effect.as(Effect.orDie(domains.save(waiting)), { after: waiting, taken: true })
          }),
        )
      })

      return {
        check: Effect.fn("DomainChecks.check")(
          function* (domain) {
            const looked = yield* lookUp(domain).pipe(
              Effect.map((answers) => ({
                found: judgeRecords(domain, answers, platformDomain),
                nextKeyFound: isNextKeyFound(domain, answers),
              })),
              Effect.catchTag("DnsFailure", () =>
                Effect.succeed({ found: "unavailable" as const, nextKeyFound: false }),
              ),
            )
            const { after, taken } = yield* commit(store(domain, looked))
            if (looked.found === "unavailable") return yield* new DnsUnavailable({ domain: domain.domain })
            if (taken) return yield* new AlreadyTaken({ what: "domain", value: domain.domain })
            return after
          },
          Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "domain" })),
        ),
      }
    }),
  )
}
