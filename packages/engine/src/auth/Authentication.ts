/** API authentication: API keys and session cookies to principals (docs/specification/authentication.md). */
import {
  type AccountId,
  type AccountRecord,
  accountState,
  allPermissions,
  AUDIT_FAILED_SIGN_INS_PER_HOUR,
  type ApiKeyRecord,
  type Credential,
  HOUR,
  type Instant,
  KEY_PREFIX,
  type KeyId,
  MINUTE,
  monthTurned,
  normalizeAddress,
  type Overloaded,
  ownerActor,
  permissionsOf,
  type Principal,
  type RateLimited,
  serviceActor,
  SESSION_TTL,
  Unauthenticated,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Layer, Option } from "effect"
import { computedOnce } from "../computedOnce.js"
import { AuditLog } from "../audit/AuditLog.js"
import { Ids } from "../ids/Ids.js"
import { Passwords, Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore, SessionStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { logLine } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { countUse } from "../rateLimits/uses.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { PasswordWork } from "./PasswordWork.js"
import { SignInLimits } from "./SignInLimits.js"

/** A key's `lastUsedAt` is written at most once in this many milliseconds, so that most requests write nothing. */
const LAST_USED_PRECISION = 1 * MINUTE

export class Authentication extends Context.Tag("@mailroom/Authentication")<
  Authentication,
  {
    /** By the value of an API key, `mr_…`. */
    readonly byKey: (key: string) => Effect.Effect<Principal, Unauthenticated>
    /** By the value of a session cookie. */
    readonly bySession: (session: string) => Effect.Effect<Principal, Unauthenticated>
    /**
     * Creates a session and returns the value of its cookie; only the hash is stored. Attempts are limited
     * (`SignInLimits`): above a limit the right password is refused too, until the window ends. `Overloaded`, when too many
     * passwords wait to be checked, does not count as an attempt.
     */
    readonly signIn: (
      email: string,
      password: string,
      clientAddress: string,
    ) => Effect.Effect<
      { readonly session: string; readonly accountId: AccountId },
      Unauthenticated | RateLimited | Overloaded
    >
    /** Ends a session and the streams opened with it. Succeeds for an unknown one. */
    readonly signOut: (session: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    Authentication,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const sessions = yield* SessionStore
      const passwords = yield* Passwords
      const passwordWork = yield* PasswordWork
      const limits = yield* SignInLimits
      const rates = yield* RateLimitStore
      const audit = yield* AuditLog
      const scope = yield* Effect.scope
      const vault = yield* Vault
      const ids = yield* Ids
      const { billing } = yield* Settings
      const gated = yield* GatedMessages
      const { commit } = yield* UnitOfWork
      const wrongPassword = () => new Unauthenticated({ reason: "wrong email or password" })

      /** Logs a refusal without the email, because people type their password into that field by mistake. */
      const logRefusal = <A, E extends Unauthenticated | RateLimited | Overloaded>(
        signIn: Effect.Effect<A, E>,
        _email: string,
        _password: string,
        client: string,
      ) =>
        Effect.tapError(signIn, (refusal) =>
          Effect.zipRight(
            Metrics.signIn("refused"),
            logLine("sign-in refused", {
              client,
              reason: refusal._tag === "Unauthenticated" ? refusal.reason : refusal._tag,
            }),
          ),
        )
      /** Records a wrong password beside the response, whose time must not tell that the email has an account. */
      const recordFailure = (accountId: AccountId, address: string) =>
        countUse(rates, {
          key: `audit of sign-ins:${accountId}`,
          max: AUDIT_FAILED_SIGN_INS_PER_HOUR,
          window: HOUR,
        }).pipe(
          Effect.flatMap(({ left }) =>
            left < 0
              ? Effect.void
              : commit(
                  audit.record({
                    accountId,
                    actor: serviceActor,
                    action: "session.failed",
                    target: null,
                    detail: { address },
                  }),
                ),
          ),
          Effect.catchAllCause((cause) => Effect.logWarning("A failed sign-in was not recorded", cause)),
          Effect.forkIn(scope),
        )

      // Verified against for an unknown email, so that the response takes as long as for a known one.
      const hashOfNobody = yield* computedOnce(Effect.flatMap(ids.secret(16), passwords.hash))

      /** The account with this email and password. Records a wrong password in its audit trail. */
      const ownerWith = Effect.fnUntraced(function* (email: string, password: string, clientAddress: string) {
        const account = yield* accounts.byEmail(email)
        const hash = Option.isSome(account) ? account.value.passwordHash : yield* hashOfNobody
        const matches = yield* passwordWork.verify(hash, password, clientAddress)
        if (matches) return account
        if (Option.isSome(account)) yield* recordFailure(account.value.id, clientAddress)
        return Option.none()
      })

      /**
       * Unlocks what the last month's inbound limit gated. `NoSuchElementException` when the account was deleted
       * meanwhile.
       */
      const startMonth = (id: AccountId) =>
        commit(
          Effect.flatMap(Effect.flatMap(accounts.lock([id]), Array.head), (account) =>
            gated.unlock(account, "INBOUND_LIMIT_EXCEEDED"),
          ),
        )

      /**
       * Keys whose `lastUsedAt` is being written. Concurrent requests skip the write, or they would wait for its row
       * lock.
       */
      const touching = new Set<KeyId>()

      const touch = ({ id, lastUsedAt }: ApiKeyRecord, now: Instant) =>
        Effect.suspend(() => {
          const isFresh = lastUsedAt !== null && now - lastUsedAt <= LAST_USED_PRECISION
          if (isFresh || touching.has(id)) return Effect.void
          touching.add(id)
          return Effect.ensuring(
            keys.touch(id, now),
            Effect.sync(() => touching.delete(id)),
          )
        })

      const principal = Effect.fnUntraced(function* (
        found: AccountRecord,
        { scope, permissions }: Pick<Principal, "scope" | "permissions">,
        credential: Credential,
      ) {
        const now = yield* Clock.currentTimeMillis
        const account = monthTurned(found, now) ? yield* startMonth(found.id) : found
        const state = accountState(account, billing, now)
        return { account, state, scope, permissions, credential } satisfies Principal
      })

      return Authentication.of({
        byKey: (key) =>
          Effect.gen(function* () {
            if (!key.startsWith(KEY_PREFIX)) return yield* new Unauthenticated({ reason: "invalid key" })
            const { key: record, account } = yield* Effect.flatten(keys.byHash(vault.digest(key)))
            if (record.revokedAt !== null) return yield* new Unauthenticated({ reason: "invalid key" })
            const now = yield* Clock.currentTimeMillis
            yield* touch(record, now)
            const rights = { scope: record.mailboxIds, permissions: permissionsOf(record) }
            return yield* principal(account, rights, { kind: "key", id: record.id, name: record.name })
          }).pipe(
            Effect.catchTag("NoSuchElementException", () => new Unauthenticated({ reason: "invalid key" })),
          ),

        bySession: (session) =>
          Effect.gen(function* () {
            const record = yield* Effect.flatten(sessions.byHash(vault.digest(session)))
            const now = yield* Clock.currentTimeMillis
            if (now >= record.expiresAt) return yield* new Unauthenticated({ reason: "invalid session" })
            const account = yield* Effect.flatten(accounts.byId(record.accountId))
            const rights = { scope: null, permissions: allPermissions }
            return yield* principal(account, rights, { kind: "session", hash: record.hash })
          }).pipe(
            Effect.catchTag(
              "NoSuchElementException",
              () => new Unauthenticated({ reason: "invalid session" }),
            ),
          ),

        signIn: Effect.fn("Authentication.signIn")(function* (given, password, clientAddress) {
          const email = normalizeAddress(given)
          const { id: accountId, passwordHash } = yield* Effect.catchTag(
            Effect.flatten(limits.attempt(email, clientAddress, ownerWith(email, password, clientAddress))),
            "NoSuchElementException",
            wrongPassword,
          )
          const session = yield* ids.secret(32)
          const now = yield* Clock.currentTimeMillis
          yield* commit(
            Effect.gen(function* () {
              // The password may have been reset while this one was verified; a reset must end this session too.
              const [current] = yield* accounts.lock([accountId])
              if (current?.passwordHash !== passwordHash) return yield* wrongPassword()
              yield* sessions.insert({ hash: vault.digest(session), accountId, expiresAt: now + SESSION_TTL })
              yield* limits.trust(accountId, clientAddress, now)
              yield* audit.record({
                accountId,
                actor: ownerActor,
                action: "session.created",
                target: null,
                detail: { address: clientAddress },
              })
            }),
          )
          yield* Effect.zipRight(
            Metrics.signIn("ok"),
            logLine("signed in", { client: clientAddress, accountId }),
          )
          return { session, accountId }
        }, logRefusal),

        signOut: Effect.fn("Authentication.signOut")(function* (session) {
          const hash = vault.digest(session)
          const found = yield* sessions.byHash(hash)
          if (Option.isNone(found)) return
          const { accountId } = found.value
          yield* commit(
            Effect.all([
              sessions.remove(hash),
              audit.record({ accountId, actor: ownerActor, action: "session.ended", target: null }),
              announce(`account:${accountId}`),
            ]),
          )
        }),
      })
    }),
  )
}
