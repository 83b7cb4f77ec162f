/** The custom domains of an account (docs/specification/states.md; docs/decisions/0015). */
import {
  type AccountRecord,
  byCaller,
  admitDomain,
  AlreadyTaken,
  type AuditAction,
  claimableDomain,
  type CustomDomainLimitReached,
  type DnsRecords,
  dnsRecords,
  type DnsUnavailable,
  type Domain,
  domainName,
  DomainId,
  DomainInUse,
  type DomainRecord,
  InvalidInput,
  nextCheckAt,
  NotFound,
  type Principal,
  viewDomain,
} from "@mailroom/domain"
import { Clock, Context, Effect, Either, Layer, Random } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { makeActiveAccounts } from "../workers/activeAccounts.js"
import { AuditLog } from "../audit/AuditLog.js"
import { Ids } from "../ids/Ids.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { DomainChecks } from "./DomainChecks.js"
import { SigningKeys } from "./SigningKeys.js"

/** Requests of one account that generate a key run one at a time: each generation takes a core for a moment. */
const GENERATED_AT_ONCE = 1

/** Requests to verify that run at a time for one account. Its other requests wait. */
const VERIFIED_AT_ONCE = 12

const invalid = (message: string) => new InvalidInput({ issues: [{ path: "domain", message }] })

/** A domain, and the DNS records that its owner must publish. */
export interface DomainWithRecords {
  readonly domain: Domain
  readonly dnsRecords: DnsRecords
}

export class Domains extends Context.Tag("@mailroom/Domains")<
  Domains,
  {
    /** Oldest first, at most 1,000. */
    readonly list: (principal: Principal) => Effect.Effect<ReadonlyArray<Domain>>
    readonly get: (principal: Principal, id: DomainId) => Effect.Effect<DomainWithRecords, NotFound>
    /**
     * Claims a domain. Several accounts may claim one; the account whose records DNS has gets it. `AlreadyTaken`: the
     * account has claimed it already, or another account has it VERIFIED.
     */
    readonly create: (
      principal: Principal,
      name: string,
    ) => Effect.Effect<DomainWithRecords, InvalidInput | CustomDomainLimitReached | AlreadyTaken | NotFound>
    /**
     * For applications that embed the engine: the account's VERIFIED domain of this name, without a check of its records, now
     * or later. Adds it if the account does not have it. The name may be that of the platform domain. `AlreadyTaken`: another
     * account has it VERIFIED.
     */
    readonly adopt: (
      principal: Principal,
      name: string,
    ) => Effect.Effect<DomainWithRecords, InvalidInput | AlreadyTaken | NotFound>
    /**
     * Checks the domain now, whatever its status. It does not wait for the background check or for other accounts. An
     * account can check 12 domains at a time.
     */
    readonly verify: (
      principal: Principal,
      id: DomainId,
    ) => Effect.Effect<DomainWithRecords, NotFound | DnsUnavailable | AlreadyTaken>
    /**
     * Generates the domain's next key, unless there is one. It signs as soon as a check finds its record in DNS. Until then
     * the current key signs. Requests of one account wait for each other, and not those of other accounts for them.
     */
    readonly rotateDkim: (principal: Principal, id: DomainId) => Effect.Effect<DomainWithRecords, NotFound>
    /** `DomainInUse` while mailboxes have addresses on the domain. */
    readonly remove: (principal: Principal, id: DomainId) => Effect.Effect<void, NotFound | DomainInUse>
  }
>() {
  static readonly layer = Layer.effect(
    Domains,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const domains = yield* DomainStore
      const mailboxes = yield* MailboxStore
      const { check } = yield* DomainChecks
      const keys = yield* SigningKeys
      const ids = yield* Ids
      const audit = yield* AuditLog
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings
      const verifying = makeActiveAccounts(VERIFIED_AT_ONCE)
      const generating = makeActiveAccounts(GENERATED_AT_ONCE)

      const view = (domain: DomainRecord): DomainWithRecords => ({
        domain: viewDomain(domain),
        dnsRecords: dnsRecords(domain, platformDomain),
      })

      const record = (principal: Principal, action: AuditAction, { id, domain }: DomainRecord) =>
        audit.record({
          ...byCaller(principal),
          action,
          target: id,
          detail: { domain },
        })

      const find = ({ account }: Principal, id: DomainId) =>
        Effect.catchTag(
          Effect.flatten(domains.byId(account.id, id)),
          "NoSuchElementException",
          () => new NotFound({ resource: "domain" }),
        )

      const admit = Effect.fnUntraced(function* ({ id, plan }: AccountRecord, name: string) {
        if (yield* domains.isTaken(id, name)) return yield* new AlreadyTaken({ what: "domain", value: name })
        yield* admitDomain(plan, yield* domains.count(id))
      })

      const claim = Effect.fnUntraced(function* ({ id: accountId }: AccountRecord, name: string) {
        const key = yield* keys.generate
        const now = yield* Clock.currentTimeMillis
        const fresh = { status: "PENDING_VERIFICATION", wrongSince: now } as const
        return {
          ...fresh,
          id: DomainId.make(yield* ids.uuid),
          accountId,
          domain: name,
          dkimSelector: key.selector,
          dkimPublicKey: key.publicKey,
          sealedDkimKey: key.sealedKey,
          nextDkimSelector: null,
          nextDkimPublicKey: null,
          nextSealedDkimKey: null,
          mxState: "MISSING",
          spfState: "MISSING",
          dkimState: "MISSING",
          dmarcState: "MISSING",
          nextCheckAt: nextCheckAt(fresh, yield* Random.next, now),
          createdAt: now,
          updatedAt: now,
        } satisfies DomainRecord
      })

      /** In turn of the account: claims a domain. */
      const create = Effect.fnUntraced(function* (principal: Principal, name: string) {
        const { account } = principal
        // Checked before a key is generated, which is expensive, and again under the lock of the account.
        yield* admit(account, name)
        const domain = yield* claim(account, name)
        yield* commit(
          Effect.gen(function* () {
            yield* admit(yield* lockAccount(accounts, account.id), name)
            yield* domains.insert(domain)
            yield* record(principal, "domain.added", domain)
          }),
        )
        return view(domain)
      })

      /** In turn of the account: generates the next key, unless there is one. */
      const rotate = Effect.fnUntraced(function* (principal: Principal, id: DomainId) {
        const before = yield* find(principal, id)
        if (before.nextDkimSelector !== null) return view(before)
        const key = yield* keys.generate
        return yield* commit(
          Effect.gen(function* () {
            yield* accounts.lock([principal.account.id])
            // Read again: another process may have stored a next key in the meantime.
            const domain = yield* find(principal, id)
            if (domain.nextDkimSelector !== null) return view(domain)
            const rotating: DomainRecord = {
              ...domain,
              nextDkimSelector: key.selector,
              nextDkimPublicKey: key.publicKey,
              nextSealedDkimKey: key.sealedKey,
              updatedAt: yield* Clock.currentTimeMillis,
            }
            // Only a change of the status can conflict with another claim.
            yield* Effect.orDie(domains.save(rotating))
            yield* record(principal, "domain.key_rotated", rotating)
            return view(rotating)
          }),
        )
      })

      return Domains.of({
        list: Effect.fn("Domains.list")(({ account }) =>
          Effect.map(domains.list(account.id), (found) => found.map(viewDomain)),
        ),

        get: (principal, id) => Effect.map(find(principal, id), view),

        create: Effect.fn("Domains.create")(function* (principal, text) {
          const name = yield* Either.mapLeft(claimableDomain(text, platformDomain), invalid)
          return yield* generating.inTurn(principal.account.id, create(principal, name))
        }),

        adopt: Effect.fn("Domains.adopt")(function* (principal, text) {
          const { account } = principal
          const name = yield* Either.mapLeft(domainName(text), invalid)
          const own = Effect.map(domains.list(account.id), (owned) =>
            owned.find(({ domain }) => domain === name),
          )
          const adopted = { status: "VERIFIED", wrongSince: null, nextCheckAt: null } as const
          const before = yield* own
          if (before?.status === "VERIFIED") return view(before)
          const fresh = before ?? (yield* claim(account, name))
          return yield* commit(
            Effect.gen(function* () {
              yield* lockAccount(accounts, account.id)
              const found = yield* own
              const domain = { ...(found ?? fresh), ...adopted }
              yield* found === undefined ? domains.insert(domain) : domains.save(domain)
              yield* record(principal, "domain.added", domain)
              return view(domain)
            }),
          )
        }),

        verify: Effect.fn("Domains.verify")((principal, id) =>
          Effect.map(
            verifying.inTurn(principal.account.id, Effect.flatMap(find(principal, id), check)),
            view,
          ),
        ),

        rotateDkim: Effect.fn("Domains.rotateDkim")((principal, id) =>
          generating.inTurn(principal.account.id, rotate(principal, id)),
        ),

        remove: Effect.fn("Domains.remove")((principal, id) =>
          commit(
            Effect.gen(function* () {
              yield* accounts.lock([principal.account.id])
              const found = yield* find(principal, id)
              const inUse = yield* mailboxes.countOnDomain(id)
              if (inUse > 0) return yield* new DomainInUse({ domain: found.domain, mailboxes: inUse })
              yield* domains.remove(id)
              yield* record(principal, "domain.removed", found)
            }),
          ),
        ),
      })
    }),
  )
}
