/** Who gets mail to `postmaster@` and `abuse@` of a domain that has no mailbox of that name (docs/decisions/0056). */
import {
  type AccountRecord,
  HOUR,
  ROLE_MAIL_PER_HOUR,
  roleAddress,
  type RoleAddress,
  slugOf,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { RecipientVerdict } from "../ports/MailSpool.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"

export class RoleAddresses extends Context.Tag("@mailroom/RoleAddresses")<
  RoleAddresses,
  {
    /**
     * Verdicts on those of the addresses that are role addresses with somebody to pass their mail on to. Each counts as
     * one mail; beyond `ROLE_MAIL_PER_HOUR` for a domain the verdict is `busy`. `isMailbox` tells which addresses,
     * normalized, have a mailbox: these are judged as any other.
     */
    readonly judge: (
      addresses: ReadonlyArray<string>,
      isMailbox: (address: string) => boolean,
    ) => Effect.Effect<ReadonlyMap<string, RecipientVerdict>>
    /** The email that the mail of a role address is passed on to, as things are now. */
    readonly readerOf: (role: RoleAddress) => Effect.Effect<Option.Option<string>>
  }
>() {
  static readonly layer = Layer.effect(
    RoleAddresses,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const domains = yield* DomainStore
      const rates = yield* RateLimitStore
      const { platformDomain, postmasterEmail } = yield* Settings

      const accountOf = Effect.fnUntraced(function* (domain: string) {
        const slug = slugOf(domain, platformDomain)
        if (slug !== null) return yield* accounts.bySlug(slug)
        const owner = yield* domains.ownerOf(domain)
        return Option.isNone(owner) ? Option.none<AccountRecord>() : yield* accounts.byId(owner.value)
      })

      /** Nothing is passed on to an email that nobody has verified: anybody can sign up with it. */
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
          // The owner's email can be a role address of the same domain, which would be passed on to itself.
          Option.filter((email) => roleAddress(email, platformDomain)?.domain !== domain),
        )

      const verdictOn = Effect.fnUntraced(function* (role: RoleAddress) {
        if (Option.isNone(yield* readerOf(role))) return null
        const now = yield* Clock.currentTimeMillis
        const used = yield* rates.count(`role mail of ${role.domain}`, now - (now % HOUR))
        const verdict: RecipientVerdict = { kind: used > ROLE_MAIL_PER_HOUR ? "busy" : "accepted" }
        return verdict
      })

      return {
        readerOf,
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
      }
    }),
  )
}
