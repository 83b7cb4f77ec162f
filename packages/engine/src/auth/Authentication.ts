/** Keys and sessions to principals (spec, Authentication; decisions §3). */
import {
  type AccountId,
  type AccountRecord,
  accountState,
  type ApiKeyRecord,
  type Credential,
  type Instant,
  KEY_PREFIX,
  type KeyId,
  MINUTE,
  monthTurned,
  normalizeAddress,
  type Overloaded,
  type Principal,
  type RateLimited,
  SESSION_TTL,
  Unauthenticated,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Layer, Option } from "effect"
import { Ids } from "../ids/Ids.js"
import { Passwords, Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore, SessionStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { logLine } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { PasswordWork } from "./PasswordWork.js"
import { SignInLimits } from "./SignInLimits.js"

/** How stale a key's `lastUsedAt` may be: the price of not writing at every request. */
const LAST_USED_PRECISION = 1 * MINUTE

export class Authentication extends Context.Tag("@mailroom/Authentication")<
  Authentication,
  {
    /** By an API key, `mr_…`. */
    readonly byKey: (key: string) => Effect.Effect<Principal, Unauthenticated>
    /** By the value of a session cookie. */
    readonly bySession: (session: string) => Effect.Effect<Principal, Unauthenticated>
    /**
     * Opens a session. Its value goes into the cookie and is not stored. Tries are limited (`SignInLimits`): at a limit
     * even the right password is refused until the window ends. `Overloaded` when too many passwords wait to be checked.
     */
    readonly signIn: (
      email: string,
      password: string,
      clientAddress: string,
    ) => Effect.Effect<
      { readonly session: string; readonly accountId: AccountId },
      Unauthenticated | RateLimited | Overloaded
    >
    readonly signOut: (session: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const sessions = yield* SessionStore
      const passwords = yield* Passwords
      const passwordWork = yield* PasswordWork
      const limits = yield* SignInLimits
      const vault = yield* Vault
      const ids = yield* Ids
      const { billing } = yield* Settings
      const gated = yield* GatedMessages
      const { commit } = yield* UnitOfWork
      const wrongPassword = () => new Unauthenticated({ reason: "wrong email or password" })

      /** The line about a refusal does not name the email: people type their passwords there by mistake. */
      const notingRefusals = <A, E extends Unauthenticated | RateLimited | Overloaded>(
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
      // What an unknown email is checked against, so that its answer takes as long as a known one's.
      const nobody = yield* Effect.cached(Effect.flatMap(ids.secret(16), passwords.hash))

      /** Who deletes the account meanwhile leaves nobody to let in. */
      const turnMonth = (id: AccountId) =>
        commit(
          Effect.flatMap(Effect.flatMap(accounts.lock([id]), Array.head), (account) =>
            gated.unlock(account, "INBOUND_LIMIT_EXCEEDED"),
          ),
        )

      /** Keys whose time of use is being written: requests that come together would wait for each other at that row. */
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
        scope: Principal["scope"],
        credential: Credential,
      ) {
        const now = yield* Clock.currentTimeMillis
        const account = monthTurned(found, now) ? yield* turnMonth(found.id) : found
        return { account, state: accountState(account, billing, now), scope, credential } satisfies Principal
      })

      return Authentication.of({
        byKey: (key) =>
          Effect.gen(function* () {
            if (!key.startsWith(KEY_PREFIX)) return yield* new Unauthenticated({ reason: "invalid key" })
            const { key: record, account } = yield* Effect.flatten(keys.byHash(vault.digest(key)))
            if (record.revokedAt !== null) return yield* new Unauthenticated({ reason: "invalid key" })
            const now = yield* Clock.currentTimeMillis
            yield* touch(record, now)
            return yield* principal(account, record.mailboxIds, { kind: "key", id: record.id })
          }).pipe(
            Effect.catchTag("NoSuchElementException", () => new Unauthenticated({ reason: "invalid key" })),
          ),

        bySession: (session) =>
          Effect.gen(function* () {
            const record = yield* Effect.flatten(sessions.byHash(vault.digest(session)))
            const now = yield* Clock.currentTimeMillis
            if (now >= record.expiresAt) return yield* new Unauthenticated({ reason: "invalid session" })
            const account = yield* Effect.flatten(accounts.byId(record.accountId))
            return yield* principal(account, null, { kind: "session", hash: record.hash })
          }).pipe(
            Effect.catchTag(
              "NoSuchElementException",
              () => new Unauthenticated({ reason: "invalid session" }),
            ),
          ),

        signIn: Effect.fn("Authentication.signIn")(function* (given, password, clientAddress) {
          const email = normalizeAddress(given)
          const { wasRight } = yield* limits.takeTry(email, clientAddress)
          const account = yield* accounts.byEmail(email)
          const hash = Option.isSome(account) ? account.value.passwordHash : yield* nobody
          const matches = yield* passwordWork.verify(hash, password, clientAddress)
          if (!matches || Option.isNone(account)) return yield* wrongPassword()
          yield* wasRight
          const session = yield* ids.secret(32)
          const now = yield* Clock.currentTimeMillis
          const accountId = account.value.id
          yield* commit(
            Effect.gen(function* () {
              // A new password, set while this one was looked at, ends all that the old one opened.
              const [current] = yield* accounts.lock([accountId])
              if (current?.passwordHash !== hash) return yield* wrongPassword()
              yield* sessions.insert({ hash: vault.digest(session), accountId, expiresAt: now + SESSION_TTL })
              yield* limits.trust(accountId, clientAddress, now)
            }),
          )
          yield* Effect.zipRight(
            Metrics.signIn("ok"),
            logLine("signed in", { client: clientAddress, accountId }),
          )
          return { session, accountId }
        }, notingRefusals),

        signOut: Effect.fn("Authentication.signOut")(function* (session) {
          const hash = vault.digest(session)
          const found = yield* sessions.byHash(hash)
          if (Option.isNone(found)) return
          yield* commit(Effect.zipRight(sessions.remove(hash), announce(`account:${found.value.accountId}`)))
        }),
      })
    }),
  )
}
