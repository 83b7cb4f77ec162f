/** Removal of expired rows (docs/decisions/0014). */
import { describe, expect } from "@effect/vitest"
import { AccountId, DAY, HOUR } from "@mailroom/domain"
import {
  AccountRemoval,
  Authentication,
  Billing,
  Engine,
  IdempotencyStore,
  Retention,
  SessionStore,
} from "@mailroom/engine"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema, TestClock } from "effect"
import { NOON, ruleWith } from "./support/mailroom.js"
import { as, aSignup, tokenIn, unverified } from "./support/owners.js"
import { refused } from "./support/refused.js"
import { readableStores } from "./support/tables.js"

const decodeCount = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ count: Schema.Int })))

const TABLES = [
  "sessions",
  "mail_tokens",
  "checkouts",
  "reserved_names",
  "sign_in_networks",
  "rate_limits",
] as const

/** The number of rows in each table. */
const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counts = yield* Effect.forEach(TABLES, (table) =>
    Effect.flatMap(sql`SELECT count(*) AS count FROM ${sql(table)}`, decodeCount),
  )
  return Object.fromEntries(TABLES.map((table, index) => [table, counts[index]?.[0].count]))
}).pipe(Effect.orDie)

/** Adds a row to each table. */
const proofs = Effect.gen(function* () {
  const gone = yield* unverified("gone")
  yield* Effect.flatMap(as(gone), (principal) =>
    Effect.flatMap(AccountRemoval, (removal) => removal.remove(principal)),
  )
  const owner = yield* unverified("acme")
  const authentication = yield* Authentication
  yield* authentication.signIn(owner.email, aSignup("acme").password, "192.0.2.7")
  const billing = yield* Billing
  const { url } = yield* billing.upgrade(yield* as(owner), { plan: "Growth", period: "monthly" })
  yield* Engine.settle
  return { owner, checkout: tokenIn(url) }
})

describe("sweeping", () => {
  ruleWith(readableStores)(
    "removes sessions and links when they expire, checkouts 30 days later, reserved names when they are free, rate limits after a day, networks after 90",
    Effect.gen(function* () {
      yield* proofs
      const { sweep } = yield* Retention
      const all = { sessions: 1, mail_tokens: 1, checkouts: 1, reserved_names: 2, sign_in_networks: 2 }
      expect(yield* rows).toMatchObject(all)
      expect((yield* rows)["rate_limits"]).toBeGreaterThan(0)
      yield* TestClock.setTime(NOON + 7 * DAY - 1)
      yield* sweep
      expect(yield* rows).toEqual({ ...all, rate_limits: 0 })
      yield* TestClock.setTime(NOON + 7 * DAY)
      yield* sweep
      expect(yield* rows).toMatchObject({ ...all, sessions: 0, mail_tokens: 0 })
      yield* TestClock.setTime(NOON + 30 * DAY)
      yield* sweep
      expect(yield* rows).toMatchObject({ ...all, sessions: 0, mail_tokens: 0, reserved_names: 0 })
      yield* TestClock.setTime(NOON + 31 * DAY)
      yield* sweep
      expect(yield* rows).toMatchObject({ sessions: 0, mail_tokens: 0, checkouts: 0, reserved_names: 0 })
      yield* TestClock.setTime(NOON + 90 * DAY - 1)
      yield* sweep
      expect((yield* rows)["sign_in_networks"]).toBe(2)
      yield* TestClock.setTime(NOON + 90 * DAY)
      yield* sweep
      expect((yield* rows)["sign_in_networks"]).toBe(0)
    }),
  )

  ruleWith(readableStores)(
    "removes idempotency keys that have expired, also when no key is used any more",
    Effect.gen(function* () {
      const slot = { accountId: AccountId.make("0199aaaa-0000-7000-8000-000000000001"), id: "key" }
      const store = yield* IdempotencyStore
      const terms = { fingerprint: "body", now: NOON, expiresAt: NOON + DAY }
      yield* store.claim({ ...slot, leaseUntil: NOON + HOUR }, terms)
      const { sweep } = yield* Retention
      yield* TestClock.setTime(NOON + DAY - 1)
      yield* sweep
      expect(Option.isSome(yield* store.find(slot))).toBe(true)
      yield* TestClock.setTime(NOON + DAY)
      yield* sweep
      expect(Option.isSome(yield* store.find(slot))).toBe(false)
    }),
  )

  ruleWith(readableStores)(
    "keeps the page of an expired checkout for 30 days",
    Effect.gen(function* () {
      const { checkout } = yield* proofs
      const billing = yield* Billing
      const { sweep } = yield* Retention
      yield* TestClock.setTime(NOON + 31 * DAY - 1)
      yield* sweep
      expect(yield* refused(billing.offer(checkout))).toMatchObject({ _tag: "CheckoutClosed" })
      yield* TestClock.setTime(NOON + 31 * DAY)
      yield* sweep
      expect(yield* refused(billing.offer(checkout))).toMatchObject({ _tag: "NotFound" })
    }),
  )

  ruleWith(readableStores)(
    "removes any number of expired rows",
    Effect.gen(function* () {
      const { owner } = yield* proofs
      const { account } = yield* as(owner)
      const sessions = yield* SessionStore
      for (let made = 0; made < 1200; made++)
        yield* sessions.insert({ hash: `${made}`, accountId: account.id, expiresAt: NOON })
      yield* Effect.flatMap(Retention, ({ sweep }) => sweep)
      expect((yield* rows)["sessions"]).toBe(1)
    }),
  )

  ruleWith(readableStores)(
    "is done by the workers as soon as they start",
    Effect.gen(function* () {
      yield* proofs
      yield* TestClock.setTime(NOON + 7 * DAY)
      yield* Layer.build(Engine.workers)
      yield* TestClock.adjust(0)
      expect(yield* rows).toMatchObject({ sessions: 0, mail_tokens: 0 })
    }),
  )

  ruleWith(readableStores)(
    "is part of all work that is due, once an hour",
    Effect.gen(function* () {
      const { owner } = yield* proofs
      const { account } = yield* as(owner)
      const sessions = yield* SessionStore
      yield* sessions.insert({ hash: "gone", accountId: account.id, expiresAt: NOON })
      yield* TestClock.adjust(HOUR - 1)
      yield* Engine.settle
      expect(yield* rows).toMatchObject({ sessions: 2 })
      yield* TestClock.adjust(1)
      yield* Engine.settle
      expect(yield* rows).toMatchObject({ sessions: 1 })
    }),
  )

  ruleWith(readableStores)(
    "is done every hour",
    Effect.gen(function* () {
      const { owner } = yield* proofs
      const sessions = yield* SessionStore
      const { account } = yield* as(owner)
      const { run } = yield* Retention
      yield* Effect.forkScoped(run)
      yield* TestClock.setTime(NOON + 7 * DAY)
      expect(yield* rows).toMatchObject({ sessions: 0 })
      yield* sessions.insert({ hash: "late", accountId: account.id, expiresAt: NOON })
      yield* TestClock.adjust(HOUR - 1)
      expect(yield* rows).toMatchObject({ sessions: 1 })
      yield* TestClock.adjust(1)
      expect(yield* rows).toMatchObject({ sessions: 0 })
    }),
  )
})
