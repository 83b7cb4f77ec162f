/** Mail to `postmaster@` and `abuse@` of a domain that has no mailbox of that name (docs/decisions/0056). */
import {
  type AccountRecord,
  HOUR,
  type Instant,
  normalizeAddress,
  ROLE_MAIL_PER_HOUR,
  roleAddress,
  type RoleAddress,
  serviceAddress,
  slugOf,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import type { Envelope, RecipientVerdict } from "../ports/MailSpool.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import type { ReadMail } from "./MailReader.js"

export class RoleAddresses extends Context.Tag("@mailroom/RoleAddresses")<
  RoleAddresses,
  {
    /**
     * Verdicts on the role addresses among `addresses` whose mail has a reader: `busy` once their domain has accepted
     * `ROLE_MAIL_PER_HOUR`. Addresses with a mailbox get no verdict here: `isMailbox` takes a normalized address.
     */
    readonly judge: (
      addresses: ReadonlyArray<string>,
      isMailbox: (address: string) => boolean,
    ) => Effect.Effect<ReadonlyMap<string, RecipientVerdict>>
    /** Inside the transaction that accepts mails: counts each for the role addresses without a mailbox among its recipients. */
    readonly count: (mails: ReadonlyArray<{ readonly envelope: Envelope }>) => Effect.Effect<void>
    /** The email that mail to a role address is passed on to now; none when there is no verified reader. */
    readonly readerOf: (role: RoleAddress) => Effect.Effect<Option.Option<string>>
    /**
     * Inside the transaction that takes the mails from the queue: adds a job for each role address that has no mailbox,
     * one for all its tags, and returns the mails whose raw bytes these jobs need. Mail from the service itself is not
     * passed on: a mail that is passed on may arrive at a role address again.
     */
    readonly passOn: <M extends Pick<ReadMail, "queued" | "parsed">>(
      mails: ReadonlyArray<M>,
      hasMailbox: (address: string) => boolean,
      now: Instant,
    ) => Effect.Effect<ReadonlySet<M>>
  }
>() {
  static readonly layer = Layer.effect(
    RoleAddresses,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const domains = yield* DomainStore
      const mailboxes = yield* MailboxStore
      const rates = yield* RateLimitStore
      const jobs = yield* JobQueue
      const { platformDomain, postmasterEmail } = yield* Settings

      const accountOf = Effect.fnUntraced(function* (domain: string) {
        const slug = slugOf(domain, platformDomain)
        if (slug !== null) return yield* accounts.bySlug(slug)
        const owner = yield* domains.ownerOf(domain)
        return Option.isNone(owner) ? Option.none<AccountRecord>() : yield* accounts.byId(owner.value)
      })

      /** The account's email if it is verified. Anybody can sign up with an email that is not theirs. */
      const ownerEmail = (domain: string) =>
        Effect.map(accountOf(domain), (account) =>
          Option.flatMap(account, ({ email, emailVerifiedAt }) =>
            emailVerifiedAt === null ? Option.none() : Option.some(email),
          ),
        )

      const readerOf = ({ domain }: RoleAddress) =>
        Effect.map(
          domain === platformDomain
            ? Effect.succeed(Option.fromNullable(postmasterEmail))
            : ownerEmail(domain),
          // A loop otherwise: the owner's email can be a role address of the same domain.
          Option.filter((email) => roleAddress(email, platformDomain)?.domain !== domain),
        )

      const counterOf = ({ domain }: RoleAddress): string => `role mail of ${domain}`

      const hour = Effect.map(Clock.currentTimeMillis, (now) => now - (now % HOUR))

      const verdictOn = Effect.fnUntraced(function* (role: RoleAddress) {
        if (Option.isNone(yield* readerOf(role))) return null
        const used = yield* rates.used(counterOf(role), yield* hour)
        const verdict: RecipientVerdict = { kind: used >= ROLE_MAIL_PER_HOUR ? "busy" : "accepted" }
        return verdict
      })

      /** Each once, whatever tags and case it has. */
      const rolesAmong = (recipients: ReadonlyArray<string>): ReadonlyArray<RoleAddress> => {
        const roles = new Map<string, RoleAddress>()
        for (const recipient of recipients) {
          const role = roleAddress(recipient, platformDomain)
          if (role !== null) roles.set(role.address, role)
        }
        return [...roles.values()]
      }

      return {
        readerOf,
        count: Effect.fnUntraced(function* (mails) {
          const roles = mails.flatMap(({ envelope }) => rolesAmong(envelope.to))
          if (roles.length === 0) return
          const found = yield* mailboxes.recipients([...new Set(roles.map(({ address }) => address))])
          const owned = new Set(found.map(({ fullAddress }) => fullAddress))
          const counters = roles.filter(({ address }) => !owned.has(address)).map(counterOf)
          // In one order, so that two transactions do not wait for each other's counters.
          for (const counter of counters.sort()) yield* rates.count(counter, yield* hour)
        }),
        judge: Effect.fnUntraced(function* (addresses, isMailbox) {
          const verdicts = new Map<string, RecipientVerdict>()
          for (const address of addresses) {
            const role = roleAddress(address, platformDomain)
            if (role === null || isMailbox(role.address)) continue
            const verdict = yield* verdictOn(role)
            if (verdict !== null) verdicts.set(address, verdict)
          }
          return verdicts
        }),
        passOn: (mails, hasMailbox, now) =>
          Effect.gen(function* () {
            const passed = new Set<(typeof mails)[number]>()
            for (const mail of mails) {
              const { parsed, queued } = mail
              const author = parsed.from?.address ?? ""
              if (normalizeAddress(author) === serviceAddress(platformDomain)) continue
              for (const { address: to } of rolesAmong(queued.envelope.to)) {
                if (hasMailbox(to)) continue
                passed.add(mail)
                const { subject } = parsed
                yield* jobs.add({ kind: "pass-on", rawId: queued.raw.id, to, author, subject }, now)
              }
            }
            return passed
          }),
      }
    }),
  )
}
