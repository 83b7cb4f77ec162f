/** Looks a custom domain up in DNS and writes down what that means (spec, Domain status; docs/decisions/0015). */
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
  withoutDomain,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Layer, Random } from "effect"
import { Dns, type DnsFailure } from "../ports/Dns.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { orNothing } from "./orNothing.js"

export class DomainChecks extends Context.Tag("@mailroom/DomainChecks")<
  DomainChecks,
  {
    /**
     * The domain after a check made now, which takes 10 seconds when its name servers are silent. What was found is kept
     * also when this fails: `DnsUnavailable` when a name server did not answer, which changes nothing that is shown;
     * `AlreadyTaken` when all is right but another account has the domain VERIFIED; `NotFound` when it was deleted
     * meanwhile.
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
      const domains = yield* DomainStore
      const mailboxes = yield* MailboxStore
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings

      const lookUp = (domain: DomainRecord): Effect.Effect<DnsAnswers, DnsFailure> =>
        Effect.all(
          {
            mx: orNothing(dns.mx(domain.domain)),
            spf: orNothing(dns.txt(domain.domain)),
            dkim: orNothing(dns.txt(dkimHost(domain.dkimSelector, domain.domain))),
            nextDkim:
              domain.nextDkimSelector === null
                ? Effect.succeed([])
                : orNothing(dns.txt(dkimHost(domain.nextDkimSelector, domain.domain))),
            dmarc: orNothing(dns.txt(dmarcHost(domain))),
          },
          { concurrency: "unbounded" },
        )

      /** Mail for the domain is its owner's now: mailboxes of whoever had it before give their addresses up. */
      const takeOver = Effect.fnUntraced(function* (domain: DomainRecord, now: number) {
        const ids = yield* mailboxes.onOtherClaims(domain.domain, domain.id)
        for (const mailbox of yield* mailboxes.lock(ids)) yield* mailboxes.save(withoutDomain(mailbox, now))
      })

      const writeDown = Effect.fnUntraced(function* (
        { accountId, id }: DomainRecord,
        { found, nextKeyFound }: Pick<Check, "found" | "nextKeyFound">,
      ) {
        // Nobody's any more, once its account is deleted.
        yield* Effect.flatMap(accounts.lock([accountId]), Array.head)
        // As it is now: another check may have ended, or its owner deleted it, while DNS was thinking.
        const before = yield* Effect.flatten(domains.byId(accountId, id))
        const check = { found, nextKeyFound, now: yield* Clock.currentTimeMillis, jitter: yield* Random.next }
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
            const { after, taken } = yield* commit(writeDown(domain, looked))
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
