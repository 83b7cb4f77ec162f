/** Contract of `AccountStore`, `SessionStore`, `MailTokenStore`, `SignInNetworkStore` and `ApiKeyStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { AccountId, AlreadyTaken, type ApiKeyRecord, DAY, KeyId, MailboxId } from "@mailroom/domain"
import {
  AccountStore,
  ApiKeyStore,
  MailTokenStore,
  SessionStore,
  SignInNetworkStore,
  Transactions,
} from "@mailroom/engine"
import { Effect, Exit, Option } from "effect"
import type { Database } from "./support/databases.js"
import { anAccount, newId, NOON, storedAccount } from "./support/records.js"

const aKey = (accountId: AccountId, over: Partial<ApiKeyRecord> = {}): ApiKeyRecord => {
  const id = KeyId.make(newId())
  return {
    id,
    accountId,
    name: "agent",
    prefix: "mr_01234567",
    hash: `hash of ${id}`,
    mailboxIds: null,
    permissions: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: NOON,
    ...over,
  }
}

export const accountsContract = (name: string, database: Database) =>
  describe(`${name}: accounts`, () => {
    layer(database)((it) => {
      it.effect("returns an account as it was inserted, by id and by email", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const account = anAccount({
            name: "Ada ✉",
            lapsed: true,
            intentPlan: "Growth",
            intentPeriod: "annual",
            emailVerifiedAt: NOON,
            welcomedAt: NOON + 1,
            onboardedAt: NOON + 2,
            sentDay: { window: "2026-03-01", count: 3 },
            bouncedDay: { window: "2026-02-28", count: 1 },
            overLimitMonth: "2026-03",
            storageUsedBytes: 5_000_000_000,
          })
          yield* store.insert(account)
          expect(yield* store.byId(account.id)).toEqual(Option.some(account))
          expect(yield* store.byEmail(account.email)).toEqual(Option.some(account))
          expect(yield* store.byId(AccountId.make(newId()))).toEqual(Option.none())
        }),
      )

      it.effect("pages through all accounts by id", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const added = [yield* storedAccount, yield* storedAccount, yield* storedAccount]
          const all = yield* store.page("", 1000)
          const ids = all.map(({ id }) => id)
          expect(ids).toEqual([...ids].sort())
          expect(ids).toEqual(expect.arrayContaining(added.map(({ id }) => id)))
          const [second, third] = ids.slice(1)
          expect((yield* store.page(ids[0] ?? "", 2)).map(({ id }) => id)).toEqual([second, third])
        }),
      )

      it.effect("refuses an email or a slug that is in use, and names it", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const { email, slug } = yield* storedAccount
          expect(yield* Effect.flip(store.insert(anAccount({ email })))).toEqual(
            new AlreadyTaken({ what: "email", value: email }),
          )
          expect(yield* Effect.flip(store.insert(anAccount({ slug })))).toEqual(
            new AlreadyTaken({ what: "slug", value: slug }),
          )
          expect(yield* store.slugTaken(slug)).toBe(true)
          expect(yield* store.slugTaken(`${slug}-free`)).toBe(false)
          expect(Option.map(yield* store.bySlug(slug), (account) => account.email)).toEqual(
            Option.some(email),
          )
          expect(yield* store.bySlug(`${slug}-free`)).toEqual(Option.none())
        }),
      )

      it.effect("finds an account by its billing reference, which is unique", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const billingReference = `sub_${newId()}`
          const account = anAccount({ billingReference })
          yield* store.insert(account)
          yield* storedAccount
          expect(yield* store.byBillingReference(billingReference)).toEqual(Option.some(account))
          expect(yield* store.byBillingReference("sub_unknown")).toEqual(Option.none())
          const second = yield* Effect.exit(store.insert(anAccount({ billingReference })))
          expect(Exit.isFailure(second)).toBe(true)
        }),
      )

      it.effect("continues a transaction after a refused insert inside it", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const { run } = yield* Transactions
          const { slug } = yield* storedAccount
          const other = anAccount()
          yield* run(Effect.zipRight(Effect.flip(store.insert(anAccount({ slug }))), store.insert(other)))
          expect(yield* store.byId(other.id)).toEqual(Option.some(other))
        }),
      )

      it.effect("saves every field of an account", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const before = yield* storedAccount
          const after = {
            ...anAccount({ plan: "Scale", trialSends: 4, receivedMonth: { window: "2026-03", count: 9 } }),
            id: before.id,
          }
          yield* store.save(after)
          expect(yield* store.byId(before.id)).toEqual(Option.some(after))
        }),
      )

      it.effect("locks the accounts that exist", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const { run } = yield* Transactions
          const [one, two] = [yield* storedAccount, yield* storedAccount]
          const locked = yield* run(store.lock([two.id, AccountId.make(newId()), one.id, two.id]))
          expect(locked).toEqual([one, two])
          expect(yield* store.lock([])).toEqual([])
        }),
      )

      it.effect("counts exactly when transactions that lock an account run in parallel", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const { run } = yield* Transactions
          const { id } = yield* storedAccount
          const countUp = run(
            Effect.gen(function* () {
              for (const account of yield* store.lock([id])) {
                yield* Effect.yieldNow()
                yield* store.save({ ...account, trialSends: account.trialSends + 1 })
              }
            }),
          )
          yield* Effect.all(
            Array.from({ length: 40 }, () => countUp),
            { concurrency: "unbounded" },
          )
          expect(Option.getOrThrow(yield* store.byId(id)).trialSends).toBe(40)
        }),
      )

      it.effect("finds the accounts, keys and sessions that are still valid among many", () =>
        Effect.gen(function* () {
          const [accounts, keys, sessions] = yield* Effect.all([AccountStore, ApiKeyStore, SessionStore])
          const [open, suspended] = [anAccount(), anAccount({ suspendedAt: NOON })]
          for (const account of [open, suspended]) yield* accounts.insert(account)
          const ids = [open.id, suspended.id, AccountId.make(newId()), open.id]
          expect(yield* accounts.openAmong(ids)).toEqual([open.id])
          expect([...(yield* accounts.openAmong(ids, true))].sort()).toEqual([open.id, suspended.id].sort())

          const [active, revoked] = [aKey(open.id), aKey(suspended.id, { revokedAt: NOON })]
          for (const key of [active, revoked]) yield* keys.insert(key)
          expect(yield* keys.activeAmong([active.id, revoked.id, KeyId.make(newId())])).toEqual([active.id])

          const [valid, expired] = [
            { hash: newId(), accountId: open.id, expiresAt: NOON + 1 },
            { hash: newId(), accountId: open.id, expiresAt: NOON },
          ]
          for (const session of [valid, expired]) yield* sessions.insert(session)
          expect(yield* sessions.validAmong([valid.hash, expired.hash, newId()], NOON)).toEqual([valid.hash])

          expect(yield* accounts.openAmong([])).toEqual([])
          expect(yield* keys.activeAmong([])).toEqual([])
          expect(yield* sessions.validAmong([], NOON)).toEqual([])
        }),
      )

      it.effect("keeps sessions until they are removed", () =>
        Effect.gen(function* () {
          const sessions = yield* SessionStore
          const session = { hash: newId(), accountId: (yield* storedAccount).id, expiresAt: NOON }
          yield* sessions.insert(session)
          expect(yield* sessions.byHash(session.hash)).toEqual(Option.some(session))
          yield* sessions.remove(session.hash)
          expect(yield* sessions.byHash(session.hash)).toEqual(Option.none())
        }),
      )

      it.effect("knows the networks of an account until they have been unused for long enough", () =>
        Effect.gen(function* () {
          const networks = yield* SignInNetworkStore
          const accounts = yield* AccountStore
          const [owner, other] = [anAccount(), anAccount()]
          for (const account of [owner, other]) yield* accounts.insert(account)
          yield* networks.remember(owner.id, "home", NOON)
          yield* networks.remember(owner.id, "office", NOON)
          yield* networks.remember(owner.id, "office", NOON + 1)
          const known = Effect.forEach(["home", "office", "elsewhere"], (network) =>
            networks.isKnown(owner.email, network),
          )
          expect(yield* known).toEqual([true, true, false])
          expect(yield* networks.isKnown(other.email, "home")).toBe(false)
          expect(yield* networks.isKnown("nobody@x.org", "home")).toBe(false)
          expect(yield* networks.removeUnseen(NOON, 10)).toBe(1)
          expect(yield* known).toEqual([false, true, false])
        }),
      )

      it.effect("ends all sessions of an account, and no other's", () =>
        Effect.gen(function* () {
          const sessions = yield* SessionStore
          const [owner, other] = [yield* storedAccount, yield* storedAccount]
          const opened = [owner, owner, other].map(({ id }) => ({
            hash: newId(),
            accountId: id,
            expiresAt: NOON,
          }))
          for (const session of opened) yield* sessions.insert(session)
          yield* sessions.removeAll(owner.id)
          const left = yield* Effect.forEach(opened, ({ hash }) =>
            Effect.map(sessions.byHash(hash), Option.isSome),
          )
          expect(left).toEqual([false, false, true])
        }),
      )

      it.effect("removes sessions and tokens that have expired, a few at a time", () =>
        Effect.gen(function* () {
          const sessions = yield* SessionStore
          const tokens = yield* MailTokenStore
          const { id: accountId } = yield* storedAccount
          // Earlier than every instant of other tests.
          const early = NOON - 30 * DAY
          const made = [early, early - 1, early - 2, early + 1].map((expiresAt) => ({
            hash: newId(),
            accountId,
            expiresAt,
          }))
          for (const one of made) {
            yield* sessions.insert(one)
            yield* tokens.insert({ ...one, purpose: "reset-password" })
          }
          for (const store of [sessions, tokens]) {
            const removed = yield* Effect.replicateEffect(store.removeExpired(early, 2), 3)
            expect(removed).toEqual([2, 1, 0])
          }
          const kept = yield* Effect.forEach(made, ({ hash }) =>
            Effect.zip(sessions.byHash(hash), tokens.byHash(hash, "reset-password")),
          )
          expect(kept.map((both) => both.map(Option.isSome))).toEqual([
            [false, false],
            [false, false],
            [false, false],
            [true, true],
          ])
        }),
      )

      it.effect("redeems a mail token once, and removes the others with its purpose", () =>
        Effect.gen(function* () {
          const tokens = yield* MailTokenStore
          const [owner, other] = [yield* storedAccount, yield* storedAccount]
          const make = (accountId: AccountId, purpose: "reset-password" | "verify-email") => ({
            hash: newId(),
            accountId,
            purpose,
            expiresAt: NOON,
          })
          const [wanted, sibling] = [make(owner.id, "reset-password"), make(owner.id, "reset-password")]
          const [verifying, theirs] = [make(owner.id, "verify-email"), make(other.id, "reset-password")]
          for (const token of [wanted, sibling, verifying, theirs]) yield* tokens.insert(token)
          expect(yield* tokens.redeem(owner.id, theirs.hash, "verify-email")).toBe(false)
          yield* tokens.insert(verifying)
          const tries = yield* Effect.all(
            Array.from({ length: 5 }, () => tokens.redeem(owner.id, wanted.hash, "reset-password")),
            { concurrency: "unbounded" },
          )
          expect(tries.filter((won) => won)).toHaveLength(1)
          const left = yield* Effect.forEach([wanted, sibling, verifying, theirs], ({ hash, purpose }) =>
            Effect.map(tokens.byHash(hash, purpose), Option.isSome),
          )
          expect(left).toEqual([false, false, true, true])
        }),
      )

      it.effect("finds the token of a mail by its hash", () =>
        Effect.gen(function* () {
          const tokens = yield* MailTokenStore
          const token = {
            hash: newId(),
            accountId: (yield* storedAccount).id,
            purpose: "verify-email",
            expiresAt: NOON,
          } as const
          yield* tokens.insert(token)
          expect(yield* tokens.byHash(token.hash, "verify-email")).toEqual(Option.some(token))
          expect(yield* tokens.byHash(newId(), "verify-email")).toEqual(Option.none())
        }),
      )

      it.effect("finds a key by its hash, and by its id within its account", () =>
        Effect.gen(function* () {
          const keys = yield* ApiKeyStore
          const key = aKey((yield* storedAccount).id, { mailboxIds: [MailboxId.make(newId())] })
          yield* keys.insert(key)
          expect(Option.map(yield* keys.byHash(key.hash), (found) => found.key)).toEqual(Option.some(key))
          expect(yield* keys.byId(key.accountId, key.id)).toEqual(Option.some(key))
          expect(yield* keys.byId((yield* storedAccount).id, key.id)).toEqual(Option.none())
        }),
      )

      it.effect("lists active keys before revoked ones, each newest first, and counts the active ones", () =>
        Effect.gen(function* () {
          const keys = yield* ApiKeyStore
          const account = yield* storedAccount
          const old = aKey(account.id, { createdAt: NOON - 1 })
          const one = aKey(account.id)
          const two = aKey(account.id)
          for (const key of [one, two, old]) yield* keys.insert(key)
          yield* keys.revoke(one.id, NOON)
          yield* keys.insert(aKey((yield* storedAccount).id))
          expect((yield* keys.list(account.id)).map(({ id }) => id)).toEqual([two.id, old.id, one.id])
          expect(yield* keys.countActive(account.id)).toBe(2)
        }),
      )

      it.effect("lists at most 1,000 keys, and leaves out revoked ones first", () =>
        Effect.gen(function* () {
          const keys = yield* ApiKeyStore
          const account = yield* storedAccount
          const active = aKey(account.id, { createdAt: NOON - 1 })
          yield* keys.insert(active)
          const { run } = yield* Transactions
          const revoked = Array.from({ length: 1000 }, () => aKey(account.id, { revokedAt: NOON }))
          yield* run(Effect.forEach(revoked, keys.insert, { discard: true }))
          const listed = yield* keys.list(account.id)
          expect(listed).toHaveLength(1000)
          expect(listed[0]).toEqual(active)
        }),
      )

      it.effect("loses keys that were revoked before a time, a few at once", () =>
        Effect.gen(function* () {
          const keys = yield* ApiKeyStore
          const account = yield* storedAccount
          const early = NOON - 500 * DAY
          const active = aKey(account.id)
          yield* keys.insert(active)
          for (const revokedAt of [early, early + 1, early + 2])
            yield* keys.insert(aKey(account.id, { revokedAt }))
          expect(yield* keys.removeRevoked(early + 2, 1)).toBe(1)
          expect(yield* keys.removeRevoked(early + 2, 10)).toBe(1)
          expect(yield* keys.list(account.id)).toMatchObject([active, { revokedAt: early + 2 }])
        }),
      )

      it.effect("counts the full-access keys that may manage and are not revoked", () =>
        Effect.gen(function* () {
          const keys = yield* ApiKeyStore
          const { id } = yield* storedAccount
          const [full, revoked, scoped] = [aKey(id), aKey(id), aKey(id, { mailboxIds: [] })]
          const [manager, reader] = [
            aKey(id, { permissions: ["read", "manage"] }),
            aKey(id, { permissions: ["read"] }),
          ]
          for (const key of [full, revoked, scoped, manager, reader]) yield* keys.insert(key)
          yield* keys.revoke(revoked.id, NOON)
          expect(yield* keys.countActiveFull(id)).toBe(2)
        }),
      )

      it.effect("keeps the first time of revocation and the last time of use of a key", () =>
        Effect.gen(function* () {
          const keys = yield* ApiKeyStore
          const key = aKey((yield* storedAccount).id)
          yield* keys.insert(key)
          yield* keys.revoke(key.id, NOON)
          yield* keys.revoke(key.id, NOON + 1)
          yield* keys.touch(key.id, NOON)
          yield* keys.touch(key.id, NOON + 2)
          expect(Option.map(yield* keys.byHash(key.hash), (found) => found.key)).toEqual(
            Option.some({ ...key, revokedAt: NOON, lastUsedAt: NOON + 2 }),
          )
        }),
      )
    })
  })
