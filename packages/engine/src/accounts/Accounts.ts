/** Signs accounts up, verifies their email and shows them (docs/specification/signup.md). */
import {
  defaultPolicies,
  type Account,
  AccountId,
  type AccountRecord,
  accountState,
  allPermissions,
  AlreadyTaken,
  type BillingPeriod,
  HOUR,
  type Instant,
  intentOf,
  InvalidInput,
  InvalidToken,
  type InvitationRequired,
  isReservedSlug,
  newAccount,
  MailboxId,
  type MailboxRecord,
  MINUTE,
  normalizeAddress,
  onPlatform,
  ownerActor,
  type Plan,
  type Principal,
  type Overloaded,
  type RateLimited,
  SIGNUP_ATTEMPTS_MULTIPLE,
  type SignupClosed,
  SLUG_CHECKS_PER_MINUTE_PER_IP,
  SlugReserved,
  type VerifiedTarget,
  verifiedTarget,
  viewAccount,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { PasswordWork } from "../auth/PasswordWork.js"
import { SignInLimits } from "../auth/SignInLimits.js"
import { BillingEnd } from "../billing/BillingEnd.js"
import { Ids } from "../ids/Ids.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { AuditLog } from "../audit/AuditLog.js"
import { newApiKey } from "../keys/newApiKey.js"
import { newMailbox } from "../mailboxes/newMailbox.js"
import { Passwords, Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { ReservedNameStore } from "../ports/stores/AccountRemovalStore.js"
import { AccountStore, MailTokenStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { addressLimits, refundUses, takeUses } from "../rateLimits/uses.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { reservedName } from "./AccountRemoval.js"
import { Invitations } from "./Invitations.js"
import { LinkRequests } from "./LinkRequests.js"
import { anyKeyUsed } from "./Onboarding.js"

/** Local part of the mailbox that signup creates (`spec: service.default-mailbox`). */
const DEFAULT_MAILBOX = "agent"

export interface Signup {
  readonly email: string
  readonly password: string
  readonly slug: string
  readonly name: string | null
  readonly plan: Plan | null
  readonly period: BillingPeriod | null
  /** the token of an invitation */
  readonly invitation: string | null
}

/** The owner of the account that an application embeds. */
type Adopter = Pick<Signup, "email" | "slug" | "name">

export interface SignedUp {
  readonly account: AccountRecord
  /** the account's first mailbox */
  readonly mailbox: MailboxRecord
  readonly platformDomain: string
  /** value of the first API key; not stored, so this is the only time it is shown */
  readonly key: string
  /** signups that the client address has left in this hour */
  readonly remaining: number
}

export type SlugVerdict =
  | { readonly available: true }
  | { readonly available: false; readonly reason: "reserved" | "taken" }

export class Accounts extends Context.Tag("@mailroom/Accounts")<
  Accounts,
  {
    /**
     * Creates an account with a mailbox and an API key, and queues the verification mail. Limited per `clientAddress`.
     * A refused signup uses up neither the limit nor its invitation. `InvalidInput`: the email is on the platform domain.
     */
    readonly signup: (
      signup: Signup,
      clientAddress: string,
    ) => Effect.Effect<
      SignedUp,
      | InvalidInput
      | RateLimited
      | Overloaded
      | SignupClosed
      | InvitationRequired
      | InvalidToken
      | SlugReserved
      | AlreadyTaken
    >
    /**
     * For applications that embed the engine: full access to the account with this slug. Creates the account, verified,
     * if there is none, also when several processes do so at once. Nobody can sign in to it: its random password is
     * discarded. `AlreadyTaken`: another account has the email or the slug.
     */
    readonly adopt: (owner: Adopter) => Effect.Effect<Principal, AlreadyTaken>
    readonly checkSlug: (slug: string, clientAddress: string) => Effect.Effect<SlugVerdict, RateLimited>
    readonly view: (principal: Principal) => Effect.Effect<Account>
    /**
     * Verifies the email by the token of the verification mail; with `BILLING=none` an account on Free gets the default
     * plan (`spec: decisions.state.no-billing`). A second call changes nothing.
     */
    readonly verifyEmail: (token: string) => Effect.Effect<{ readonly target: VerifiedTarget }, InvalidToken>
    /** Queues a new verification mail. Does not disclose whether the address has an account. */
    readonly resendVerification: (email: string, clientAddress: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const tokens = yield* MailTokenStore
      const mailboxes = yield* MailboxStore
      const jobs = yield* JobQueue
      const audit = yield* AuditLog
      const names = yield* ReservedNameStore
      const links = yield* LinkRequests
      const billingEnd = yield* BillingEnd
      const invitations = yield* Invitations
      const rates = yield* RateLimitStore
      const passwords = yield* Passwords
      const passwordWork = yield* PasswordWork
      const limits = yield* SignInLimits
      const vault = yield* Vault
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const settings = yield* Settings

      const newRecord = Effect.fnUntraced(function* (
        { email, name, slug, plan, period }: Omit<Signup, "password" | "invitation">,
        passwordHash: string,
        createdAt: Instant,
      ) {
        return newAccount({
          id: AccountId.make(yield* ids.uuid),
          email: normalizeAddress(email),
          name,
          slug,
          passwordHash,
          ...intentOf(plan, period),
          createdAt,
        })
      })

      /** Inside a transaction: stores the account and its first mailbox, and returns the mailbox. */
      const store = Effect.fnUntraced(function* (account: AccountRecord) {
        const mailbox = newMailbox({
          id: MailboxId.make(yield* ids.uuid),
          account,
          localPart: DEFAULT_MAILBOX,
          displayName: account.name,
          domain: null,
          platformDomain: settings.platformDomain,
          policies: defaultPolicies,
          now: account.createdAt,
        })
        yield* accounts.insert(account)
        // Checked after the insert, because the insert waits for a deletion in progress to reserve its names.
        for (const what of ["email", "slug"] as const)
          if (yield* names.isReserved(reservedName(vault, what, account[what]), account.createdAt))
            return yield* new AlreadyTaken({ what, value: account[what] })
        yield* mailboxes.insert(mailbox)
        yield* jobs.add({ kind: "provision-mailbox", mailboxId: mailbox.id }, account.createdAt)
        return mailbox
      })

      /** True also while the slug of a deleted account is reserved. */
      const slugTaken = Effect.fnUntraced(function* (slug: string) {
        const now = yield* Clock.currentTimeMillis
        return (
          (yield* accounts.slugTaken(slug)) ||
          (yield* names.isReserved(reservedName(vault, "slug", slug), now))
        )
      })

      /** Signup after the rate limits. */
      const createAccount = Effect.fnUntraced(function* (signup: Signup, clientAddress: string) {
        // The keys of an account read the mail there, so they could verify their own account.
        if (onPlatform(normalizeAddress(signup.email), settings.platformDomain))
          return yield* new InvalidInput({
            issues: [{ path: "email", message: "must not be on the platform's own domain" }],
          })
        yield* invitations.check(signup.invitation)
        if (isReservedSlug(signup.slug)) return yield* new SlugReserved({ slug: signup.slug })
        // Before hashing the password, which costs 50 ms of a core.
        if (yield* slugTaken(signup.slug))
          return yield* new AlreadyTaken({ what: "slug", value: signup.slug })
        const now = yield* Clock.currentTimeMillis
        const passwordHash = yield* passwordWork.hash(signup.password, clientAddress)
        const account = yield* newRecord(signup, passwordHash, now)
        const { record, key } = yield* newApiKey(ids, vault, {
          accountId: account.id,
          name: "Default key",
          mailboxIds: null,
          permissions: null,
          now,
        })
        const mailbox = yield* commit(
          Effect.gen(function* () {
            const first = yield* store(account)
            yield* invitations.redeem(signup.invitation)
            yield* keys.insert(record)
            yield* limits.trust(account.id, clientAddress, now)
            yield* jobs.add({ kind: "send-verification", accountId: account.id }, now)
            yield* audit.record({
              accountId: account.id,
              actor: ownerActor,
              action: "account.created",
              target: null,
              detail: { keyId: record.id, address: clientAddress },
            })
            return first
          }),
        )
        return { account, mailbox, platformDomain: `${account.slug}.${settings.platformDomain}`, key }
      })

      /** The account with the owner's email and slug. `AlreadyTaken`: the email belongs to an account with another slug. */
      const owned = ({ email, slug }: Adopter) =>
        Effect.filterOrFail(
          accounts.byEmail(normalizeAddress(email)),
          (found) => Option.isNone(found) || found.value.slug === slug,
          () => new AlreadyTaken({ what: "email", value: email }),
        )

      /** A verified account with a random password, which is discarded. */
      const createVerified = Effect.fnUntraced(function* (owner: Adopter, now: Instant) {
        const passwordHash = yield* passwords.hash(yield* ids.secret(32))
        const fresh = yield* newRecord({ ...owner, plan: null, period: null }, passwordHash, now)
        const account = { ...fresh, plan: settings.defaultPlan, emailVerifiedAt: now }
        yield* commit(store(account))
        return account
      })

      return Accounts.of({
        adopt: Effect.fn("Accounts.adopt")(function* (owner) {
          const now = yield* Clock.currentTimeMillis
          const account = yield* Effect.flatMap(
            owned(owner),
            Option.match({
              onSome: Effect.succeed,
              onNone: () =>
                Effect.catchTag(createVerified(owner, now), "AlreadyTaken", (taken) =>
                  // Another process that started at the same time may have created it.
                  Effect.flatMap(owned(owner), Option.match({ onSome: Effect.succeed, onNone: () => taken })),
                ),
            }),
          )
          const state = accountState(account, settings.billing, now)
          return {
            account,
            state,
            scope: null,
            permissions: allPermissions,
            credential: { kind: "embedded" },
          }
        }),

        signup: Effect.fn("Accounts.signup")(function* (signup, clientAddress) {
          const max = settings.signupsPerHour
          const attempts = max * SIGNUP_ATTEMPTS_MULTIPLE
          yield* takeUses(rates, "signup", addressLimits("signup attempt", clientAddress, attempts, HOUR))
          const { uses, left } = yield* takeUses(
            rates,
            "signup",
            addressLimits("signup", clientAddress, max, HOUR),
          )
          return yield* createAccount(signup, clientAddress).pipe(
            Effect.tapError(() => refundUses(rates, uses)),
            Effect.map((signedUp) => ({ ...signedUp, remaining: left })),
          )
        }),

        checkSlug: Effect.fn("Accounts.checkSlug")(function* (slug, clientAddress) {
          yield* takeUses(
            rates,
            "slug check",
            addressLimits("slug check", clientAddress, SLUG_CHECKS_PER_MINUTE_PER_IP, MINUTE),
          )
          if (isReservedSlug(slug)) return { available: false, reason: "reserved" }
          return (yield* slugTaken(slug)) ? { available: false, reason: "taken" } : { available: true }
        }),

        view: Effect.fn("Accounts.view")(function* ({ account }) {
          const counts = yield* mailboxes.counts(account.id)
          return viewAccount(account, counts, settings.billing, yield* Clock.currentTimeMillis)
        }),

        verifyEmail: Effect.fn("Accounts.verifyEmail")(function* (token) {
          const now = yield* Clock.currentTimeMillis
          const found = yield* tokens.byHash(vault.digest(token), "verify-email")
          if (Option.isNone(found) || now >= found.value.expiresAt)
            return yield* new InvalidToken({ what: "verification link" })
          return yield* commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([found.value.accountId])
              if (account === undefined) return yield* new InvalidToken({ what: "verification link" })
              const verified = { ...account, emailVerifiedAt: account.emailVerifiedAt ?? now }
              if (account.emailVerifiedAt === null) {
                yield* accounts.save(verified)
                yield* billingEnd.release(verified, now)
              }
              const keyUsed = yield* anyKeyUsed(keys, account.id)
              return { target: verifiedTarget(verified, settings.billing, keyUsed) }
            }),
          )
        }),

        resendVerification: (email, clientAddress) =>
          links.request("send-verification", email, clientAddress),
      })
    }),
  )
}
