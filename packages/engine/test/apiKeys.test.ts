/** Creating and revoking API keys (docs/specification/keys.md). */
import { describe, expect } from "@effect/vitest"
import { type AccountState, type ApiKeyRecord, KeyId, type MailboxId } from "@mailroom/domain"
import { ApiKeys, ApiKeyStore, Authentication, Retention } from "@mailroom/engine"
import { Effect, Either, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { suspendAccount } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import { refused } from "./support/refused.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, aSignup, type Owner, paying, unverified, verified } from "./support/owners.js"

const create = (owner: Pick<Owner, "key">, mailboxIds: ReadonlyArray<MailboxId> | null = null) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    return yield* keys.create(yield* as(owner), { name: "made", mailboxIds })
  })

const revoke = (by: Pick<Owner, "key">, id: KeyId) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    yield* keys.revoke(yield* as(by), id)
  })

const idOf = ({ key }: Pick<Owner, "key">) =>
  Effect.flatMap(as({ key }), ({ credential }) =>
    credential.kind === "key" ? Effect.succeed(credential.id) : Effect.dieMessage("not a key"),
  )

const bySession = (owner: Owner) =>
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const { session } = yield* authentication.signIn(owner.email, aSignup("acme").password, "192.0.2.7")
    return yield* authentication.bySession(session)
  })

describe("creating a key", () => {
  rule(
    "without mailboxes it has full access, with them it is scoped",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const full = yield* create(owner)
      const scoped = yield* create(owner, [owner.mailboxId])
      expect((yield* as(full)).scope).toBeNull()
      expect((yield* as(scoped)).scope).toEqual([owner.mailboxId])
    }),
  )

  rule(
    "fails for a mailbox of another account, also among own ones",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const other = yield* unverified("other")
      const made = create(owner, [owner.mailboxId, other.mailboxId])
      expect(yield* refused(made)).toMatchObject({ _tag: "NotFound", resource: "mailbox" })
    }),
  )

  rule(
    "the list shows the newest first, without their values",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { key, record } = yield* create(owner, [owner.mailboxId])
      const keys = yield* ApiKeys
      const listed = yield* keys.list(yield* as(owner))
      expect(listed).toMatchObject([
        {
          id: record.id,
          name: "made",
          prefix: key.slice(0, 11),
          scoped: true,
          mailboxIds: [owner.mailboxId],
        },
        { name: "Default key", scoped: false, mailboxIds: null },
      ])
      expect(JSON.stringify(listed)).not.toContain(key.slice(11))
      expect(JSON.stringify(listed)).not.toContain(record.hash)
    }),
  )
})

describe("the keys of an account", () => {
  /** Stores copies of a key, as if they had been created a second later. */
  const addCopies = (count: number, over: Partial<ApiKeyRecord>) => (of: ApiKeyRecord) =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      for (let n = 0; n < count; n++) {
        const id = KeyId.make(randomUUID())
        yield* store.insert({ ...of, ...over, id, hash: id, createdAt: of.createdAt + 1000 })
      }
    })

  const listed = (owner: Owner) => Effect.flatMap(ApiKeys, (keys) => Effect.flatMap(as(owner), keys.list))

  rule(
    "are 500 active ones at most; revoked ones do not count",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { record } = yield* create(owner)
      yield* addCopies(498, {})(record)
      yield* addCopies(10, { revokedAt: 0 })(record)
      expect(yield* refused(create(owner))).toMatchObject({ _tag: "ApiKeyLimitReached", limit: 500 })
      yield* revoke(owner, record.id)
      yield* create(owner)
      expect(yield* refused(create(owner))).toMatchObject({ _tag: "ApiKeyLimitReached" })
    }),
  )

  ruleWith(takingTurns)(
    "are 500 active ones at most, also when several are created at the same time",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { record } = yield* create(owner)
      yield* addCopies(497, {})(record)
      const made = yield* Effect.all(
        Array.from({ length: 5 }, () => Effect.either(create(owner))),
        {
          concurrency: 5,
        },
      )
      expect(made.filter(Either.isRight)).toHaveLength(1)
    }),
  )

  rule(
    "that are active are listed, however many were revoked since",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { record } = yield* create(owner)
      yield* addCopies(1100, { revokedAt: 0 })(record)
      const all = yield* listed(owner)
      expect(all.slice(0, 3)).toMatchObject([
        { name: "made", enabled: true },
        { name: "Default key", enabled: true },
        { name: "made", enabled: false },
      ])
    }),
  )

  rule(
    "that were revoked are listed for 400 days",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { sweep } = yield* Retention
      const { record } = yield* create(owner)
      yield* revoke(owner, record.id)
      yield* TestClock.adjust("400 days")
      yield* sweep
      expect(yield* listed(owner)).toHaveLength(2)
      yield* TestClock.adjust("1 millis")
      yield* sweep
      expect(yield* listed(owner)).toMatchObject([{ name: "Default key" }])
    }),
  )
})

describe("a caller whose key is revoked, or whose session ended, since the request began", () => {
  rule(
    "gets no new key",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const stolen = yield* create(owner)
      const keys = yield* ApiKeys
      const thief = yield* as(stolen)
      yield* revoke(owner, stolen.record.id)
      expect(yield* refused(keys.create(thief, { name: "mine", mailboxIds: null }))).toMatchObject({
        _tag: "Unauthenticated",
        reason: "invalid key",
      })

      const authentication = yield* Authentication
      const { session } = yield* authentication.signIn(owner.email, aSignup("acme").password, "192.0.2.7")
      const signedIn = yield* authentication.bySession(session)
      yield* authentication.signOut(session)
      expect(yield* refused(keys.create(signedIn, { name: "mine", mailboxIds: null }))).toMatchObject({
        _tag: "Unauthenticated",
        reason: "invalid session",
      })
    }),
  )
})

describe("revoking a key", () => {
  rule(
    "a second time changes nothing",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { record } = yield* create(owner)
      yield* revoke(owner, record.id)
      yield* revoke(owner, record.id)
      const keys = yield* ApiKeys
      const [, listed] = yield* keys.list(yield* as(owner))
      expect(listed).toMatchObject({ id: record.id, enabled: false })
    }),
  )

  rule(
    "another account's key is not found",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const other = yield* unverified("other")
      const attempt = revoke(owner, yield* idOf(other))
      expect(yield* refused(attempt)).toMatchObject({ _tag: "NotFound", resource: "key" })
      expect((yield* as(other)).account.slug).toBe("other")
    }),
  )

  rule(
    "a scoped key revokes itself and no other",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const first = yield* create(owner, [owner.mailboxId])
      const second = yield* create(owner, [owner.mailboxId])
      for (const id of [second.record.id, yield* idOf(owner)])
        expect(yield* refused(revoke(first, id))).toMatchObject({ _tag: "ScopeForbidden" })
      yield* revoke(first, first.record.id)
      expect(yield* refused(as(first))).toMatchObject({ reason: "invalid key" })
    }),
  )

  ruleWith(takingTurns)(
    "of two full-access keys that revoke each other, one stays",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const second = yield* create(owner)
      const [keys, first, other] = yield* Effect.all([ApiKeys, as(owner), as(second)])
      const ownId = yield* idOf(owner)
      const both = yield* Effect.all(
        [keys.revoke(first, second.record.id), keys.revoke(other, ownId)].map(Effect.either),
        { concurrency: "unbounded" },
      )
      expect(both.filter(Either.isRight)).toHaveLength(1)
      expect(both.filter(Either.isLeft)).toMatchObject([{ left: { _tag: "LastFullKey" } }])
    }),
  )
})

describe("the only full-access key", () => {
  const spent = Effect.tap(verified(), () => TestClock.adjust("3 days"))
  const suspended = Effect.tap(paying(), suspendAccount)
  const refusedIn: ReadonlyArray<readonly [AccountState, ReturnType<typeof paying>]> = [
    ["unverified", unverified()],
    ["trial", verified()],
    ["active", paying()],
  ]

  for (const [state, made] of refusedIn)
    rule(
      `cannot be revoked by a key while the account is ${state}, however many scoped keys there are`,
      Effect.gen(function* () {
        const owner = yield* made
        yield* create(owner, [owner.mailboxId])
        const revoked = yield* create(owner)
        yield* revoke(owner, revoked.record.id)
        expect((yield* as(owner)).state).toBe(state)
        const attempt = revoke(owner, yield* idOf(owner))
        expect(yield* refused(attempt)).toMatchObject({ _tag: "LastFullKey" })
        expect((yield* as(owner)).account.slug).toBe("acme")
      }),
    )

  for (const [state, made] of [
    ["payment_required", spent],
    ["suspended", suspended],
  ] as const)
    rule(
      `can be revoked while the account is ${state}`,
      Effect.gen(function* () {
        const owner = yield* made
        expect((yield* as(owner)).state).toBe(state)
        yield* revoke(owner, yield* idOf(owner))
        expect(yield* refused(as(owner))).toMatchObject({ reason: "invalid key" })
      }),
    )

  rule(
    "can be revoked by a session, which can make another",
    Effect.gen(function* () {
      const owner = yield* paying()
      const keys = yield* ApiKeys
      const session = yield* bySession(owner)
      yield* keys.revoke(session, yield* idOf(owner))
      const { key } = yield* keys.create(session, { name: "replacement", mailboxIds: null })
      expect((yield* as({ key })).scope).toBeNull()
    }),
  )
})
