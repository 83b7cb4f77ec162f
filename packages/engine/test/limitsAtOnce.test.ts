/** Concurrent requests never exceed a limit (docs/specification/limits.md). Sends have tests of their own. */
import { describe, expect } from "@effect/vitest"
import { MINUTE, Plan, plans, SECOND } from "@mailroom/domain"
import { Accounts, Administration, DeliveryWorker, Engine, EventStreams, Mailboxes } from "@mailroom/engine"
import { Effect, Either, Option, TestClock } from "effect"
import { accepted, aMail } from "./support/arrivals.js"
import { changeAccount } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { as, aSignup, type Owner, paying, unverified, verified } from "./support/owners.js"
import { accountOf, mailboxOf, page } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { inline, send, upload } from "./support/sends.js"

const atOnce = <A, E, R>(count: number, one: (index: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => Effect.either(one(index)),
    { concurrency: "unbounded" },
  )

const wonOf = (outcomes: ReadonlyArray<Either.Either<unknown, unknown>>) =>
  outcomes.filter(Either.isRight).length

const refusalsOf = <E>(outcomes: ReadonlyArray<Either.Either<unknown, E & { readonly _tag: string }>>) =>
  outcomes.flatMap((outcome) => (Either.isLeft(outcome) ? [outcome.left._tag] : []))

const create = (owner: Owner, localPart: string) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    return yield* mailboxes.create(yield* as(owner), { localPart, displayName: null, domainId: null })
  })

describe("the inbound limit", () => {
  /** Delivers ten mails to each of two mailboxes concurrently. */
  const flood = Effect.fn(function* (owner: Owner) {
    const second = yield* create(owner, "second")
    yield* Engine.settle
    for (const address of [owner.address, second.fullAddress])
      yield* atOnce(10, (index) => accepted(address, aMail({ subject: `${address} ${index}` })))
    const { drain } = yield* DeliveryWorker
    yield* Effect.all([drain, drain, drain, Engine.settle], { concurrency: "unbounded" })
    const pages = yield* Effect.all([page(owner), page(owner, { mailboxId: second.id })])
    return pages.reduce((sum, shown) => sum + shown.page.items.length, 0)
  })

  for (const plan of Plan.literals) {
    const cap = plans[plan].inboundPerMonth
    if (cap !== null)
      ruleWith(takingTurns)(
        `of ${plan} shows exactly what is left of it, over all mailboxes`,
        Effect.gen(function* () {
          const owner = yield* unverified()
          yield* changeAccount(owner, { plan, receivedMonth: { window: "2026-03", count: cap - 7 } })
          expect(yield* flood(owner)).toBe(7)
          expect(yield* accountOf(owner)).toMatchObject({
            monthlyInboundCount: cap + 13,
            overLimitMessageCount: 13,
          })
        }),
      )
  }

  ruleWith(takingTurns)(
    "of the trial leaves exactly ten visible",
    Effect.gen(function* () {
      const owner = yield* verified()
      expect(yield* flood(owner)).toBe(10)
      expect(yield* accountOf(owner)).toMatchObject({
        overLimitMessageCount: 10,
        trial: { receivesUsed: 20, receivesRemaining: 0, exhausted: false },
      })
    }),
  )
})

describe("the storage", () => {
  for (const plan of Plan.literals) {
    const limit = plans[plan].storageBytes
    ruleWith(takingTurns)(
      `of ${plan} is filled to the byte by uploads and sends at once, and no further`,
      Effect.gen(function* () {
        const owner = yield* verified()
        yield* changeAccount(owner, { plan, storageUsedBytes: limit - 50 })
        const file = Buffer.alloc(10)
        const [uploads, sends] = yield* Effect.all(
          [
            atOnce(7, (index) => upload(owner, `${index}`, file)),
            atOnce(7, (index) => send(owner, { to: [owner.email], attachments: [inline(`${index}`, file)] })),
          ],
          { concurrency: "unbounded" },
        )
        expect(wonOf(uploads) + wonOf(sends)).toBe(5)
        const refusals = [...refusalsOf(uploads), ...refusalsOf(sends)]
        expect(new Set(refusals)).toEqual(new Set(["StorageFull"]))
        expect(yield* accountOf(owner)).toMatchObject({ storageUsedBytes: limit, storageLimitBytes: limit })
      }),
    )
  }
})

describe("the mailboxes of a plan", () => {
  for (const plan of ["Developer", "Growth"] as const)
    ruleWith(takingTurns)(
      `${plan}: the last places go once, however many are asked for at once`,
      Effect.gen(function* () {
        const owner = yield* paying("acme", plan)
        const { mailboxes: limit } = plans[plan]
        yield* Effect.forEach(Array.from({ length: limit - 3 }), (_, index) => create(owner, `m${index}`))
        expect(wonOf(yield* atOnce(6, (index) => create(owner, `last${index}`)))).toBe(2)
        expect((yield* accountOf(owner)).mailboxCount).toBe(limit)
      }),
    )

  rule(
    "follow the plan at the time of creation, not at the start of the request",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const localPart of ["two", "three"]) yield* create(owner, localPart)
      const mailboxes = yield* Mailboxes
      const administration = yield* Administration
      const before = yield* as(owner)
      const paused = { displayName: undefined, status: "paused" } as const
      yield* mailboxes.update(before, owner.mailboxId, paused)
      yield* create(owner, "four")
      yield* administration.setPlan(before.account.id, "Free")
      const full = { _tag: "MailboxLimitReached", plan: "Free", limit: 3 }
      const wanted = { localPart: "five", displayName: null, domainId: null }
      expect(yield* refused(mailboxes.create(before, wanted))).toEqual(full)
      const start = mailboxes.update(before, owner.mailboxId, { ...paused, status: "ACTIVE" })
      expect(yield* refused(start)).toEqual(full)
      expect((yield* mailboxOf(owner)).status).toBe("paused")
    }),
  )
})

describe("the streams of an account", () => {
  rule(
    "are five, also when more open concurrently",
    Effect.gen(function* () {
      const owner = yield* paying()
      const streams = yield* EventStreams
      const { account } = yield* as(owner)
      const outcomes = yield* atOnce(12, () =>
        streams.open(account.id, { mailboxes: null, kinds: null }, Option.none()),
      )
      expect(wonOf(outcomes)).toBe(5)
    }),
  )
})

describe("the requests of one address", () => {
  const signupFrom = (client: string, slug: string) =>
    Effect.flatMap(Accounts, (accounts) => accounts.signup(aSignup(slug), client))
  const check = (client: string) =>
    Effect.flatMap(Accounts, (accounts) => accounts.checkSlug("free-one", client))

  ruleWith(takingTurns)(
    "are five signups an hour, also concurrently; each answer has another remaining number",
    Effect.gen(function* () {
      const outcomes = yield* atOnce(12, (index) => signupFrom("a", `slug-${index}`))
      const left = outcomes.flatMap((one) => (Either.isRight(one) ? [one.right.remaining] : []))
      expect(left.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4])
    }),
  )

  ruleWith(takingTurns)(
    "are 30 slug checks a minute, also concurrently",
    Effect.gen(function* () {
      expect(wonOf(yield* atOnce(45, () => check("a")))).toBe(30)
    }),
  )

  for (const [after, seconds] of [
    [0, 60],
    [1, 60],
    [59 * SECOND - 1, 2],
    [59 * SECOND, 1],
    [MINUTE - 1, 1],
  ] as const)
    rule(
      `are free again in ${seconds} s, ${after} ms into the minute`,
      Effect.gen(function* () {
        yield* TestClock.setTime(NOON + after)
        yield* atOnce(30, () => check("a"))
        expect(yield* refused(check("a"))).toMatchObject({ retryAfter: seconds })
        yield* TestClock.setTime(NOON + MINUTE - 1)
        expect(yield* refused(check("a"))).toMatchObject({ retryAfter: 1 })
        yield* TestClock.setTime(NOON + MINUTE)
        expect(yield* check("a")).toEqual({ available: true })
      }),
    )

  rule(
    "do not increase when the clock goes back within a minute",
    Effect.gen(function* () {
      yield* atOnce(30, () => check("a"))
      yield* TestClock.setTime(NOON - 1)
      expect(wonOf(yield* atOnce(40, () => check("a")))).toBe(30)
      yield* TestClock.setTime(NOON)
      yield* refused(check("a"))
    }),
  )
})
