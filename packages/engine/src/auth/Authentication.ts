/** Keys and sessions to principals (spec, Authentication; decisions §3). */
import {
  type AccountId,
  accountState,
  type Credential,
  KEY_PREFIX,
  MINUTE,
  monthTurned,
  normalizeAddress,
  type Principal,
  type RateLimited,
  SESSION_TTL,
  Unauthenticated,
  WRONG_PASSWORDS_MAX,
  WRONG_PASSWORDS_WINDOW,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Layer, Option } from "effect"
import { Ids } from "../ids/Ids.js"
import { Passwords, Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore, SessionStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { takeUse, useKey } from "../rateLimits/uses.js"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"

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
     * Opens a session; its value goes into the cookie and is stored nowhere. After ten wrong passwords for an email from
     * one address even the right one has to wait until the quarter of an hour is over.
     */
    readonly signIn: (
      email: string,
      password: string,
      clientAddress: string,
    ) => Effect.Effect<
      { readonly session: string; readonly accountId: AccountId },
      Unauthenticated | RateLimited
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
      const rates = yield* RateLimitStore
      const passwords = yield* Passwords
      const vault = yield* Vault
      const ids = yield* Ids
      const { billing } = yield* Settings
      const gated = yield* GatedMessages
      const { commit } = yield* UnitOfWork
      const wrongPassword = () => new Unauthenticated({ reason: "wrong email or password" })
      // What an unknown email is checked against, so that its answer takes as long as a known one's.
      const nobody = yield* Effect.cached(Effect.flatMap(ids.secret(16), passwords.hash))

      /** Who deletes the account meanwhile leaves nobody to let in. */
      const turnMonth = (id: AccountId) =>
        commit(
          Effect.flatMap(Effect.flatMap(accounts.lock([id]), Array.head), (account) =>
            gated.unlock(account, "INBOUND_LIMIT_EXCEEDED"),
          ),
        )

      const principal = Effect.fnUntraced(function* (
        accountId: AccountId,
        scope: Principal["scope"],
        credential: Credential,
      ) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* Effect.flatten(accounts.byId(accountId))
        const account = monthTurned(found, now) ? yield* turnMonth(found.id) : found
        return { account, state: accountState(account, billing, now), scope, credential } satisfies Principal
      })

      return Authentication.of({
        byKey: (key) =>
          Effect.gen(function* () {
            if (!key.startsWith(KEY_PREFIX)) return yield* new Unauthenticated({ reason: "invalid key" })
            const record = yield* Effect.flatten(keys.byHash(vault.digest(key)))
            if (record.revokedAt !== null) return yield* new Unauthenticated({ reason: "invalid key" })
            const now = yield* Clock.currentTimeMillis
            if (record.lastUsedAt === null || now - record.lastUsedAt > LAST_USED_PRECISION)
              yield* keys.touch(record.id, now)
            return yield* principal(record.accountId, record.mailboxIds, { kind: "key", id: record.id })
          }).pipe(
            Effect.catchTag("NoSuchElementException", () => new Unauthenticated({ reason: "invalid key" })),
          ),

        bySession: (session) =>
          Effect.gen(function* () {
            const record = yield* Effect.flatten(sessions.byHash(vault.digest(session)))
            const now = yield* Clock.currentTimeMillis
            if (now >= record.expiresAt) return yield* new Unauthenticated({ reason: "invalid session" })
            return yield* principal(record.accountId, null, { kind: "session", hash: record.hash })
          }).pipe(
            Effect.catchTag(
              "NoSuchElementException",
              () => new Unauthenticated({ reason: "invalid session" }),
            ),
          ),

        signIn: Effect.fn("Authentication.signIn")(function* (given, password, clientAddress) {
          const email = normalizeAddress(given)
          const guesser = vault.sign("sign-in", `${email} ${clientAddress}`)
          // Counted before the password is looked at: tries side by side are no way around.
          yield* takeUse(rates, "sign-in", guesser, WRONG_PASSWORDS_MAX, WRONG_PASSWORDS_WINDOW)
          const account = yield* accounts.byEmail(email)
          const hash = Option.isSome(account) ? account.value.passwordHash : yield* nobody
          const matches = yield* passwords.verify(hash, password)
          if (!matches || Option.isNone(account)) return yield* wrongPassword()
          yield* rates.forget(useKey("sign-in", guesser))
          const session = yield* ids.secret(32)
          const now = yield* Clock.currentTimeMillis
          const accountId = account.value.id
          yield* commit(
            Effect.gen(function* () {
              // A new password, set while this one was looked at, ends all that the old one opened.
              const [current] = yield* accounts.lock([accountId])
              if (current?.passwordHash !== hash) return yield* wrongPassword()
              yield* sessions.insert({ hash: vault.digest(session), accountId, expiresAt: now + SESSION_TTL })
            }),
          )
          return { session, accountId }
        }),

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
