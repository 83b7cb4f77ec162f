/** API authentication by keys and sessions (docs/specification/authentication.md). */
import { describe, expect } from "@effect/vitest"
import { DAY, MINUTE } from "@mailroom/domain"
import { Accounts, ApiKeys, ApiKeyStore, Authentication } from "@mailroom/engine"
import { Context, Deferred, Effect, Either, Fiber, Layer, TestClock } from "effect"
import { takingTurns } from "./support/concurrency.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { refused } from "./support/refused.js"
import { as, aSignup, signUp, unverified } from "./support/owners.js"

const byKey = (key: string) => Effect.flatMap(Authentication, (authentication) => authentication.byKey(key))
const bySession = (session: string) =>
  Effect.flatMap(Authentication, (authentication) => authentication.bySession(session))
const signIn = (email: string, password = aSignup("acme").password) =>
  Effect.flatMap(Authentication, (authentication) => authentication.signIn(email, password, "192.0.2.7"))

describe("a key", () => {
  rule(
    "gives full access to its account",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const principal = yield* byKey(owner.key)
      expect(principal).toMatchObject({
        account: { slug: "acme" },
        state: "unverified",
        scope: null,
        credential: { kind: "key" },
      })
    }),
  )

  rule(
    "gives access to its mailboxes alone when it is scoped",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const keys = yield* ApiKeys
      const wanted = { name: "one mailbox", mailboxIds: [owner.mailboxId] }
      const { key } = yield* keys.create(yield* as(owner), wanted)
      expect((yield* byKey(key)).scope).toEqual([owner.mailboxId])
    }),
  )

  rule(
    "is invalid when it is unknown, truncated, in another case, or a stored hash",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const keys = yield* ApiKeys
      const { record } = yield* keys.create(yield* as(owner), { name: "second", mailboxIds: null })
      const wrong = [
        "",
        `mr_${"0".repeat(64)}`,
        owner.key.slice(0, -1),
        owner.key.toUpperCase(),
        owner.key.slice(3),
        record.hash,
        `mr_${record.hash}`,
      ]
      for (const key of wrong)
        expect(yield* refused(byKey(key))).toMatchObject({
          _tag: "Unauthenticated",
          reason: "invalid key",
        })
    }),
  )

  rule(
    "that is revoked is invalid at once",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const keys = yield* ApiKeys
      const { key, record } = yield* keys.create(yield* as(owner), { name: "second", mailboxIds: null })
      yield* byKey(key)
      yield* keys.revoke(yield* as(owner), record.id)
      expect(yield* refused(byKey(key))).toMatchObject({ reason: "invalid key" })
    }),
  )

  rule(
    "stores when it was last used, to the minute",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const keys = yield* ApiKeys
      const { key, record } = yield* keys.create(yield* as(owner), { name: "second", mailboxIds: null })
      const lastUsedAt = Effect.gen(function* () {
        const all = yield* keys.list(yield* as(owner))
        return all.find(({ id }) => id === record.id)?.lastUsedAt
      })
      expect(yield* lastUsedAt).toBeNull()
      yield* byKey(key)
      expect(yield* lastUsedAt).toBe("2026-03-10T12:00:00.000Z")
      yield* TestClock.setTime(NOON + MINUTE)
      yield* byKey(key)
      expect(yield* lastUsedAt).toBe("2026-03-10T12:00:00.000Z")
      yield* TestClock.setTime(NOON + MINUTE + 1)
      yield* byKey(key)
      expect(yield* lastUsedAt).toBe("2026-03-10T12:01:00.001Z")
    }),
  )
})

/** Counts writes of `lastUsedAt`. The first one takes until `mayEnd`. */
class Touches extends Context.Tag("test/Touches")<
  Touches,
  {
    readonly count: () => number
    readonly begun: Deferred.Deferred<void>
    readonly mayEnd: Deferred.Deferred<void>
  }
>() {}

const slowTouches = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let count = 0
    const touch: ApiKeyStore["Type"]["touch"] = (id, at) =>
      Effect.suspend(() => {
        count += 1
        return Deferred.succeed(begun, undefined)
      }).pipe(Effect.zipRight(Deferred.await(mayEnd)), Effect.zipRight(store.touch(id, at)))
    return Context.make(ApiKeyStore, { ...store, touch }).pipe(
      Context.add(Touches, { count: () => count, begun, mayEnd }),
    )
  }),
)

describe("requests of one key at the same time", () => {
  ruleWith(slowTouches)(
    "write `lastUsedAt` once and do not wait for that write",
    Effect.gen(function* () {
      const { key } = yield* signUp("acme")
      const { begun, count, mayEnd } = yield* Touches
      const first = yield* Effect.fork(byKey(key))
      yield* Deferred.await(begun)
      yield* byKey(key)
      yield* byKey(key)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(first)
      expect(count()).toBe(1)
      yield* TestClock.adjust(MINUTE + 1)
      yield* byKey(key)
      expect(count()).toBe(2)
    }),
  )
})

describe("a session", () => {
  rule(
    "is created with email and password and has full access",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { session } = yield* signIn(owner.email.toUpperCase())
      expect(session).toMatch(/^[0-9a-f]{64}$/)
      const principal = yield* bySession(session)
      expect(principal).toMatchObject({
        account: { slug: "acme" },
        scope: null,
        credential: { kind: "session" },
      })
      expect(JSON.stringify(principal)).not.toContain(session)
    }),
  )

  rule(
    "is refused with the same error for a wrong password and an unknown email",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const refusal = { _tag: "Unauthenticated", reason: "wrong email or password" }
      expect(yield* refused(signIn(owner.email, "correct horse battery stapl"))).toMatchObject(refusal)
      expect(yield* refused(signIn("nobody@acme.dev"))).toMatchObject(refusal)
    }),
  )

  rule(
    "lasts seven days",
    Effect.gen(function* () {
      const { session } = yield* signIn((yield* unverified()).email)
      yield* TestClock.setTime(NOON + 7 * DAY - 1)
      yield* bySession(session)
      yield* TestClock.setTime(NOON + 7 * DAY)
      expect(yield* refused(bySession(session))).toMatchObject({ reason: "invalid session" })
    }),
  )

  rule(
    "ends with the sign-out, and no other session with it",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const [first, second] = yield* Effect.all([signIn(owner.email), signIn(owner.email)])
      const authentication = yield* Authentication
      yield* authentication.signOut(first.session)
      expect(yield* refused(bySession(first.session))).toMatchObject({ reason: "invalid session" })
      expect((yield* bySession(second.session)).account.slug).toBe("acme")
    }),
  )

  rule(
    "is no key, and a key is no session",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { session } = yield* signIn(owner.email)
      expect(yield* refused(byKey(session))).toMatchObject({ _tag: "Unauthenticated" })
      expect(yield* refused(bySession(owner.key))).toMatchObject({ _tag: "Unauthenticated" })
    }),
  )
})

describe("an application that embeds the engine", () => {
  const adopt = (email: string, slug: string) =>
    Effect.flatMap(Accounts, (accounts) => accounts.adopt({ email, slug, name: null }))

  rule(
    "gets a new verified account, and the same one the next time",
    Effect.gen(function* () {
      const first = yield* adopt("ada@acme.dev", "acme")
      expect(first).toMatchObject({ state: "trial", scope: null, credential: { kind: "embedded" } })
      expect((yield* adopt("Ada@Acme.dev", "acme")).account.id).toBe(first.account.id)
    }),
  )

  ruleWith(takingTurns)(
    "gets one account when two of its processes start at the same time",
    Effect.gen(function* () {
      const both = yield* Effect.all([adopt("ada@acme.dev", "acme"), adopt("ada@acme.dev", "acme")], {
        concurrency: 2,
      })
      expect(both[0].account).toEqual(both[1].account)
    }),
  )

  ruleWith(takingTurns)(
    "gets no account whose slug another one took at the same time",
    Effect.gen(function* () {
      const both = yield* Effect.all(
        [adopt("ada@acme.dev", "acme"), adopt("bob@acme.dev", "acme")].map((one) => Effect.either(one)),
        { concurrency: 2 },
      )
      expect(both.filter(Either.isLeft)).toMatchObject([{ left: { _tag: "AlreadyTaken", what: "slug" } }])
    }),
  )

  rule(
    "cannot use the email or slug of another account",
    Effect.gen(function* () {
      yield* adopt("ada@acme.dev", "acme")
      expect(yield* refused(adopt("ada@acme.dev", "other"))).toMatchObject({ what: "email" })
      expect(yield* refused(adopt("bob@acme.dev", "acme"))).toMatchObject({ what: "slug" })
    }),
  )
})
