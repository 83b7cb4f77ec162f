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
  SESSION_TTL,
  Unauthenticated,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Ids } from "../ids/Ids.js"
import { Passwords, Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore, SessionStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { UnitOfWork } from "../UnitOfWork.js"

/** How stale a key's `lastUsedAt` may be: the price of not writing at every request. */
const LAST_USED_PRECISION = 1 * MINUTE

export class Authentication extends Context.Tag("@mailroom/Authentication")<
  Authentication,
  {
    /** By an API key, `mr_…`. */
    readonly byKey: (key: string) => Effect.Effect<Principal, Unauthenticated>
    /** By the value of a session cookie. */
    readonly bySession: (session: string) => Effect.Effect<Principal, Unauthenticated>
    /** Opens a session; its value goes into the cookie and is stored nowhere. */
    readonly signIn: (
      email: string,
      password: string,
    ) => Effect.Effect<{ readonly session: string; readonly accountId: AccountId }, Unauthenticated>
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
      const vault = yield* Vault
      const ids = yield* Ids
      const { billing } = yield* Settings
      const gated = yield* GatedMessages
      const { commit } = yield* UnitOfWork
      // What an unknown email is checked against, so that its answer takes as long as a known one's.
      const nobody = yield* Effect.cached(Effect.flatMap(ids.secret(16), passwords.hash))

      const principal = Effect.fnUntraced(function* (
        accountId: AccountId,
        scope: Principal["scope"],
        credential: Credential,
      ) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* Effect.flatten(accounts.byId(accountId))
        const account = monthTurned(found, now)
          ? yield* commit(gated.unlock(found.id, "INBOUND_LIMIT_EXCEEDED"))
          : found
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

        signIn: Effect.fn("Authentication.signIn")(function* (email, password) {
          const account = yield* accounts.byEmail(normalizeAddress(email))
          const hash = Option.isSome(account) ? account.value.passwordHash : yield* nobody
          const matches = yield* passwords.verify(hash, password)
          if (!matches || Option.isNone(account))
            return yield* new Unauthenticated({ reason: "wrong email or password" })
          const session = yield* ids.secret(32)
          const now = yield* Clock.currentTimeMillis
          const accountId = account.value.id
          yield* sessions.insert({ hash: vault.digest(session), accountId, expiresAt: now + SESSION_TTL })
          return { session, accountId }
        }),

        signOut: (session) => sessions.remove(vault.digest(session)),
      })
    }),
  )
}
