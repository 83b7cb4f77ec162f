/** Password reset by mail, and limits on guessing (`spec: decisions.password-reset`; docs/decisions/0014). */
import { describe, expect } from "@effect/vitest"
import { HOUR, MINUTE } from "@mailroom/domain"
import {
  AccountRemoval,
  Authentication,
  Engine,
  PasswordReset,
  Passwords,
  Transactions,
} from "@mailroom/engine"
import { Context, Deferred, Effect, Either, Fiber, Layer, TestClock } from "effect"
import { takingTurns } from "./support/concurrency.js"
import { suspendAccount } from "./support/changes.js"
import { onDomain } from "./support/domains.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { lastMailTo, mailsTo } from "./support/outbox.js"
import { as, aSignup, type Owner, pay, unverified, verificationToken, verified } from "./support/owners.js"
import { listed, subjectsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"

const OLD = aSignup("acme").password
const NEW = "a new and better password"

const ask = (email: string) =>
  Effect.zipRight(
    Effect.flatMap(PasswordReset, ({ request }) => request(email, "192.0.2.7")),
    Engine.settle,
  )
const reset = (token: string, password = NEW) =>
  Effect.flatMap(PasswordReset, (passwords) => passwords.reset(token, password, "192.0.2.7"))
const signIn = (owner: Owner, password = OLD, address = "192.0.2.7") =>
  Effect.flatMap(Authentication, (authentication) => authentication.signIn(owner.email, password, address))
const bySession = (session: string) =>
  Effect.flatMap(Authentication, (authentication) => authentication.bySession(session))

const resetMails = (email: string) =>
  Effect.map(mailsTo(email), (mails) => mails.filter(({ mail }) => mail.subject === "Set a new password"))

/** The token of the newest reset mail. */
const resetToken = ({ email }: Owner) =>
  Effect.map(
    lastMailTo(email),
    ({ mail }) => /reset-password\?token=([0-9a-f]+)/.exec(mail.text ?? "")?.[1] ?? "",
  )

class Commits extends Context.Tag("test/Commits")<Commits, { readonly count: Effect.Effect<number> }>() {}

const countedCommits = Layer.effectContext(
  Effect.map(Transactions, ({ run }) => {
    let count = 0
    const counted: Transactions["Type"]["run"] = (effect) =>
      Effect.suspend(() => {
        count++
        return run(effect)
      })
    return Context.make(Transactions, { run: counted }).pipe(
      Context.add(Commits, { count: Effect.sync(() => count) }),
    )
  }),
)

/** Verifying a password takes as long as the test wants. */
class Looking extends Context.Tag("test/Looking")<
  Looking,
  { readonly begun: Deferred.Deferred<void>; readonly mayEnd: Deferred.Deferred<void> }
>() {}

const slowPasswords = Layer.effectContext(
  Effect.gen(function* () {
    const passwords = yield* Passwords
    const begun = yield* Deferred.make<void>()
    const mayEnd = yield* Deferred.make<void>()
    const verify: Passwords["Type"]["verify"] = (hash, password) =>
      Effect.zipLeft(
        passwords.verify(hash, password),
        Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(mayEnd)),
      )
    return Context.make(Passwords, { ...passwords, verify }).pipe(Context.add(Looking, { begun, mayEnd }))
  }),
)

/** An owner with a reset link in the mail. */
const forgetful = Effect.tap(verified(), ({ email }) => ask(email))

describe("a request for a reset link", () => {
  rule(
    "sends a mail with the link alone on its line",
    Effect.gen(function* () {
      const owner = yield* forgetful
      const { envelope, mail } = yield* lastMailTo(owner.email)
      expect(envelope.to).toEqual([owner.email])
      const linked = mail.text?.split("\n").filter((line) => line.includes("http"))
      expect(linked).toEqual([`http://mailroom.test/reset-password?token=${yield* resetToken(owner)}`])
      expect(yield* resetToken(owner)).toMatch(/^[0-9a-f]{64}$/)
    }),
  )

  rule(
    "ignores the case of the address, its verification and a suspension",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* suspendAccount(owner)
      yield* ask(owner.email.toUpperCase())
      yield* reset(yield* resetToken(owner))
      yield* signIn(owner, NEW)
    }),
  )

  rule(
    "sends nothing to an unknown address",
    Effect.gen(function* () {
      yield* verified()
      yield* ask("nobody@acme.dev")
      expect(yield* mailsTo("nobody@acme.dev")).toEqual([])
    }),
  )

  for (const email of ["hello@acme.dev", "hello+owner@acme.dev"])
    rule(
      `sends nothing to a mailbox of the account, whose keys would read the link: ${email}`,
      Effect.gen(function* () {
        const owner = yield* verified("acme", { email })
        yield* pay(owner)
        yield* ask(email)
        expect(yield* resetMails(email)).toHaveLength(1)
        const inside = yield* onDomain(owner, "acme.dev")
        yield* ask(email)
        yield* TestClock.adjust("1 minute")
        yield* Engine.settle
        expect(subjectsOf(yield* listed(inside))).toEqual([])
        expect(yield* resetMails(email)).toHaveLength(1)
      }),
    )

  ruleWith(countedCommits)(
    "makes one commit for a known and for an unknown address",
    Effect.gen(function* () {
      const { email } = yield* verified()
      const { request } = yield* PasswordReset
      const commits = yield* Commits
      for (const address of [email, "nobody@acme.dev"]) {
        const before = yield* commits.count
        yield* request(address, "192.0.2.7")
        expect(yield* commits.count).toBe(before + 1)
      }
    }),
  )

  rule(
    "sends at most five mails an hour for an account, with the same response",
    Effect.gen(function* () {
      const owner = yield* verified("acme")
      const other = yield* verified("other")
      for (let asked = 0; asked < 7; asked++) yield* ask(owner.email)
      expect(yield* resetMails(owner.email)).toHaveLength(5)
      yield* ask(other.email)
      expect(yield* resetMails(other.email)).toHaveLength(1)
      yield* TestClock.setTime(NOON + HOUR)
      yield* ask(owner.email)
      expect(yield* resetMails(owner.email)).toHaveLength(6)
    }),
  )
})

describe("a reset link", () => {
  rule(
    "sets the password; the old one is wrong from then on",
    Effect.gen(function* () {
      const owner = yield* forgetful
      yield* reset(yield* resetToken(owner))
      yield* signIn(owner, NEW)
      expect(yield* refused(signIn(owner))).toMatchObject({ reason: "wrong email or password" })
    }),
  )

  rule(
    "works once and invalidates the other links",
    Effect.gen(function* () {
      const owner = yield* forgetful
      const first = yield* resetToken(owner)
      yield* ask(owner.email)
      const second = yield* resetToken(owner)
      yield* reset(second)
      for (const token of [second, first])
        expect(yield* refused(reset(token, OLD))).toMatchObject({
          _tag: "InvalidToken",
          what: "link to a new password",
        })
      yield* signIn(owner, NEW)
    }),
  )

  ruleWith(takingTurns)(
    "sets one of two passwords that are sent concurrently",
    Effect.gen(function* () {
      const owner = yield* forgetful
      const token = yield* resetToken(owner)
      const passwords = ["the first password", "the second password"]
      const tried = yield* Effect.forEach(passwords, (password) => Effect.either(reset(token, password)), {
        concurrency: "unbounded",
      })
      const set = passwords.filter((_, index) => tried[index] !== undefined && Either.isRight(tried[index]))
      expect(set).toHaveLength(1)
      yield* signIn(owner, set[0])
    }),
  )

  rule(
    "works for exactly an hour",
    Effect.gen(function* () {
      const owner = yield* forgetful
      const token = yield* resetToken(owner)
      yield* TestClock.setTime(NOON + HOUR)
      expect(yield* refused(reset(token))).toMatchObject({ _tag: "InvalidToken" })
      yield* TestClock.setTime(NOON + HOUR - 1)
      yield* reset(token)
    }),
  )

  rule(
    "ends all sessions of its account only; keys stay valid",
    Effect.gen(function* () {
      const owner = yield* verified("acme")
      const other = yield* verified("other")
      const sessions = yield* Effect.all([signIn(owner), signIn(owner), signIn(other)])
      yield* ask(owner.email)
      yield* reset(yield* resetToken(owner))
      const [first, second, theirs] = sessions
      for (const { session } of [first, second])
        expect(yield* refused(bySession(session))).toMatchObject({ reason: "invalid session" })
      yield* bySession(theirs.session)
      expect((yield* as(owner)).account.slug).toBe("acme")
    }),
  )

  ruleWith(slowPasswords)(
    "leaves no session to a concurrent sign-in with the old password",
    Effect.gen(function* () {
      const owner = yield* forgetful
      const { begun, mayEnd } = yield* Looking
      const late = yield* Effect.fork(refused(signIn(owner)))
      yield* Deferred.await(begun)
      yield* reset(yield* resetToken(owner))
      yield* Deferred.succeed(mayEnd, undefined)
      expect(yield* Fiber.join(late)).toMatchObject({ reason: "wrong email or password" })
    }),
  )

  rule(
    "does not verify the email, and a verification link sets no password",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const verifying = yield* verificationToken(owner.email)
      expect(yield* refused(reset(verifying))).toMatchObject({ _tag: "InvalidToken" })
      yield* ask(owner.email)
      yield* reset(yield* resetToken(owner))
      expect((yield* as(owner)).account.emailVerifiedAt).toBeNull()
    }),
  )

  rule(
    "of a deleted account is unknown",
    Effect.gen(function* () {
      const owner = yield* forgetful
      const token = yield* resetToken(owner)
      const removal = yield* AccountRemoval
      yield* removal.remove(yield* as(owner))
      expect(yield* refused(reset(token))).toMatchObject({ _tag: "InvalidToken" })
      yield* Engine.settle
      for (const unknown of [token, "", "0".repeat(64)])
        expect(yield* refused(reset(unknown))).toMatchObject({ _tag: "InvalidToken" })
    }),
  )
})

describe("guessing a password", () => {
  const guess = (owner: Owner, address?: string) => Effect.flip(signIn(owner, "wrong", address))
  const tagsOf = (refusals: ReadonlyArray<{ readonly _tag: string }>) => refusals.map(({ _tag }) => _tag)
  const wrong = (count: number) => Array.from({ length: count }, () => "Unauthenticated")

  rule(
    "is possible ten times in 15 minutes; then the right one is refused too",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* TestClock.adjust("5 minutes")
      expect(tagsOf(yield* Effect.replicateEffect(guess(owner), 10))).toEqual(wrong(10))
      const limited = { _tag: "RateLimited", what: "sign-in", retryAfter: 600 }
      expect(yield* refused(signIn(owner, "wrong"))).toMatchObject(limited)
      expect(yield* refused(signIn(owner))).toMatchObject(limited)
      yield* TestClock.setTime(NOON + 15 * MINUTE - 1)
      expect(yield* refused(signIn(owner))).toMatchObject({ _tag: "RateLimited", retryAfter: 1 })
      yield* TestClock.setTime(NOON + 15 * MINUTE)
      yield* signIn(owner)
    }),
  )

  rule(
    "is limited among concurrent attempts",
    Effect.gen(function* () {
      const owner = yield* verified()
      const refusals = yield* Effect.all(
        Array.from({ length: 30 }, () => guess(owner)),
        { concurrency: "unbounded" },
      )
      expect(tagsOf(refusals).filter((tag) => tag === "Unauthenticated")).toHaveLength(10)
    }),
  )

  rule(
    "counts by email and address together",
    Effect.gen(function* () {
      const owner = yield* verified("acme")
      const other = yield* verified("other")
      yield* Effect.replicateEffect(guess(owner), 11)
      yield* signIn(owner, OLD, "198.51.100.1")
      yield* signIn(other)
    }),
  )

  rule(
    "counts for an unknown email too",
    Effect.gen(function* () {
      const nobody = { ...(yield* verified()), email: "nobody@acme.dev" }
      expect(tagsOf(yield* Effect.replicateEffect(guess(nobody), 11))).toEqual([...wrong(10), "RateLimited"])
    }),
  )

  rule(
    "is counted from zero after the right one",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* Effect.replicateEffect(guess(owner), 9)
      yield* signIn(owner)
      expect(tagsOf(yield* Effect.replicateEffect(guess(owner), 10))).toEqual(wrong(10))
    }),
  )

  rule(
    "ends no open session",
    Effect.gen(function* () {
      const owner = yield* verified()
      const { session } = yield* signIn(owner)
      yield* Effect.replicateEffect(guess(owner), 20)
      expect((yield* bySession(session)).account.slug).toBe("acme")
    }),
  )
})
