/** Ends streams whose credential is no longer valid (`spec: keys.revoke.200`). */
import { describe, expect } from "@effect/vitest"
import { DAY, MINUTE, type Principal } from "@mailroom/domain"
import {
  AccountRemoval,
  Accounts,
  ApiKeys,
  Authentication,
  CredentialWatch,
  Engine,
  PasswordReset,
} from "@mailroom/engine"
import { Effect, Fiber, Option, TestClock } from "effect"
import { receivedMany } from "./support/arrivals.js"
import { changeAccount, suspendAccount } from "./support/changes.js"
import { NOON, rule } from "./support/mailroom.js"
import { lastMailTo } from "./support/outbox.js"
import { as, aSignup, type Owner, unverified, verified } from "./support/owners.js"

/** Starts to watch a credential. */
const watch = (principal: Principal) =>
  Effect.gen(function* () {
    const watching = yield* Effect.fork(Effect.flatMap(CredentialWatch, ({ lapse }) => lapse(principal)))
    yield* turns
    return {
      lapsed: Effect.map(Effect.zipRight(turns, Fiber.poll(watching)), Option.isSome),
      end: Fiber.join(watching),
    }
  })

/** Lets the fibers that were woken run. */
const turns = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow(), { discard: true })

const session = (owner: Owner) =>
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const { session } = yield* authentication.signIn(owner.email, aSignup("acme").password, "192.0.2.7")
    return { session, principal: yield* authentication.bySession(session) }
  })

const anotherKey = (owner: Owner, scoped: boolean) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const wanted = { name: "another", mailboxIds: scoped ? [owner.mailboxId] : null }
    const { key, record } = yield* keys.create(yield* as(owner), wanted)
    return { principal: yield* as({ key }), id: record.id }
  })

describe("the watch of a key lapses", () => {
  for (const scoped of [false, true])
    rule(
      `once the ${scoped ? "scoped" : "full-access"} key is revoked`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        const { principal, id } = yield* anotherKey(owner, scoped)
        const { lapsed, end } = yield* watch(principal)
        expect(yield* lapsed).toBe(false)
        const keys = yield* ApiKeys
        yield* keys.revoke(yield* as(owner), id)
        yield* end
      }),
    )

  rule(
    "at once, when the key was revoked before the watch began",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { principal, id } = yield* anotherKey(owner, true)
      const keys = yield* ApiKeys
      yield* keys.revoke(yield* as(owner), id)
      yield* (yield* watch(principal)).end
    }),
  )

  rule(
    "when the account is deleted",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const principal = yield* as(owner)
      const { lapsed, end } = yield* watch(principal)
      expect(yield* lapsed).toBe(false)
      yield* Effect.flatMap(AccountRemoval, (removal) => removal.remove(principal))
      yield* end
    }),
  )

  rule(
    "when the account is suspended",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { end, lapsed } = yield* watch(yield* as(owner))
      expect(yield* lapsed).toBe(false)
      yield* suspendAccount(owner)
      yield* end
    }),
  )

  rule(
    "15 seconds later at most, when the announcement is lost",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { end, lapsed } = yield* watch(yield* as(owner))
      yield* changeAccount(owner, { suspendedAt: NOON })
      yield* TestClock.adjust("14 seconds")
      expect(yield* lapsed).toBe(false)
      yield* TestClock.adjust("1 seconds")
      yield* end
    }),
  )
})

describe("the watch of a session lapses", () => {
  rule(
    "when it is signed out, and no other session with it",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const [one, two] = yield* Effect.all([session(owner), session(owner)])
      const [first, second] = yield* Effect.all([watch(one.principal), watch(two.principal)])
      yield* Effect.flatMap(Authentication, (authentication) => authentication.signOut(one.session))
      yield* first.end
      expect(yield* second.lapsed).toBe(false)
    }),
  )

  rule(
    "when the password is reset",
    Effect.gen(function* () {
      const owner = yield* verified()
      const { principal } = yield* session(owner)
      const { end } = yield* watch(principal)
      const passwords = yield* PasswordReset
      yield* passwords.request(owner.email, "192.0.2.7")
      yield* Engine.settle
      const { mail } = yield* lastMailTo(owner.email)
      yield* passwords.reset(
        /token=([0-9a-f]+)/.exec(mail.text ?? "")?.[1] ?? "",
        "another password",
        "192.0.2.7",
      )
      yield* end
    }),
  )

  rule(
    "when it expires",
    Effect.gen(function* () {
      const { principal } = yield* session(yield* unverified())
      yield* TestClock.setTime(NOON + 7 * DAY - MINUTE)
      const { end, lapsed } = yield* watch(principal)
      yield* TestClock.adjust("59 seconds")
      expect(yield* lapsed).toBe(false)
      yield* TestClock.adjust("1 second")
      yield* end
    }),
  )
})

describe("a watch does not lapse", () => {
  rule(
    "on changes of other keys, other accounts, mail and the plan",
    Effect.gen(function* () {
      const owner = yield* unverified("acme")
      const other = yield* unverified("other")
      const { lapsed } = yield* watch(yield* as(owner))
      const { id } = yield* anotherKey(owner, true)
      const keys = yield* ApiKeys
      yield* keys.revoke(yield* as(owner), id)
      yield* suspendAccount(other)
      yield* receivedMany(owner.address, 3)
      yield* changeAccount(owner, { lapsed: true })
      yield* TestClock.adjust("1 minute")
      expect(yield* lapsed).toBe(false)
    }),
  )

  rule(
    "for an application that embeds the engine",
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const principal = yield* accounts.adopt({ email: "ada@acme.dev", slug: "acme", name: null })
      const { lapsed } = yield* watch(principal)
      yield* TestClock.adjust("1 minute")
      expect(yield* lapsed).toBe(false)
    }),
  )
})
