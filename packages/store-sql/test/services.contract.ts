/** Contract of the smaller stores: jobs, checkouts, suppressions, rate limits, stream slots, the development outbox. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import {
  type AccountId,
  DAY,
  HOUR,
  MailboxId,
  type MailboxSuppressionRecord,
  SuppressionId,
  type SuppressionRecord,
} from "@mailroom/domain"
import {
  BillingModeStore,
  CheckoutStore,
  DevelopmentOutbox,
  type JobSpec,
  JobStore,
  MailboxSuppressionStore,
  RateLimitStore,
  StreamSlots,
  SuppressionStore,
  WriteCheckStore,
} from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { newId, NOON, storedAccount, storedMailbox } from "./support/records.js"

const LATER = NOON + HOUR

const capture = (id: string, to: ReadonlyArray<string>, at: number) => ({
  id,
  from: "agent@mailroom.localhost",
  to,
  raw: Buffer.from(`Subject: ${id}\r\n\r\n`),
  at,
})

export const servicesContract = (name: string, database: Database) =>
  describe(`${name}: jobs, checkouts and limits`, () => {
    layer(database)((it) => {
      it.effect("leases due jobs oldest first, until they are done or due again", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const spec: JobSpec = { kind: "provision-mailbox", mailboxId: MailboxId.make(newId()) }
          const purge: JobSpec = { kind: "remove-blobs", keys: ["a/b", 'c"'] }
          const [one, two, three] = [newId(), newId(), newId()]
          yield* store.add([
            { id: two, spec: purge, dueAt: NOON + 1 },
            { id: one, spec, dueAt: NOON },
            { id: three, spec, dueAt: LATER },
          ])
          expect(yield* store.claim(10, NOON + 1, NOON + 10)).toEqual([
            { id: one, spec, attempts: 1, dueAt: NOON, since: NOON },
            { id: two, spec: purge, attempts: 1, dueAt: NOON + 1, since: NOON + 1 },
          ])
          expect(yield* store.claim(10, NOON + 9, LATER)).toEqual([])
          yield* store.done(one)
          yield* store.retry(two, NOON + 20)
          expect(yield* store.claim(10, NOON + 19, LATER)).toEqual([])
          expect(yield* store.claim(10, NOON + 20, NOON + 30)).toEqual([
            { id: two, spec: purge, attempts: 2, dueAt: NOON + 20, since: NOON + 1 },
          ])
          expect((yield* store.claim(1, NOON + 30, LATER)).map(({ attempts }) => attempts)).toEqual([3])
          yield* store.done(two)
          expect((yield* store.claim(10, LATER, LATER + 1)).map(({ id }) => id)).toEqual([three])
        }),
      )

      it.effect("leaves a job of a later version to that version, and claims the others", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const sql = yield* SqlClient.SqlClient
          const [unknown, known] = [newId(), newId()]
          const spec: JobSpec = { kind: "remove-blobs", keys: ["a/b"] }
          yield* store.add([
            { id: unknown, spec, dueAt: NOON },
            { id: known, spec, dueAt: NOON + 1 },
          ])
          yield* sql`UPDATE jobs SET spec = '{"kind":"of-a-later-version","days":3}' WHERE id = ${unknown}`
          const claimed = yield* store.claim(10, NOON + 1, NOON + 10)
          expect(claimed.map(({ id }) => id)).toEqual([known])
          yield* store.done(known)
          expect(yield* store.claim(10, NOON + 10, NOON + 20)).toEqual([])
          yield* sql`UPDATE jobs SET spec = ${JSON.stringify(spec)} WHERE id = ${unknown}`
          expect((yield* store.claim(10, NOON + 20, NOON + 30)).map(({ id }) => id)).toEqual([unknown])
          yield* store.done(unknown)
        }),
      )

      it.effect("overwrites the row of the write check", () =>
        Effect.gen(function* () {
          const { write } = yield* WriteCheckStore
          yield* write(NOON)
          yield* write(LATER)
          const sql = yield* SqlClient.SqlClient
          const rows = yield* sql`SELECT written_at AS "writtenAt" FROM write_checks WHERE name = 'readiness'`
          expect(rows).toEqual([{ writtenAt: LATER }])
        }),
      )

      it.effect("tells that the billing mode changed, the first time too", () =>
        Effect.gen(function* () {
          const { change } = yield* BillingModeStore
          expect(yield* change("simulated")).toBe(true)
          expect(yield* change("simulated")).toBe(false)
          expect(yield* Effect.all([change("none"), change("none")])).toEqual([true, false])
        }),
      )

      it.effect("frees the leases of an abandoned claim without counting an attempt, and no others", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const spec: JobSpec = { kind: "remove-blobs", keys: [] }
          const [one, two] = [newId(), newId()]
          yield* store.add([{ id: one, spec, dueAt: NOON }])
          yield* store.claim(10, NOON, LATER)
          yield* store.add([{ id: two, spec, dueAt: NOON }])
          yield* store.claim(10, NOON, LATER + 1)
          yield* store.abandonClaim(LATER)
          expect(yield* store.claim(10, NOON, LATER + 2)).toMatchObject([{ id: one, attempts: 1 }])
          yield* store.abandonClaim(0)
          expect(yield* store.claim(10, NOON, LATER)).toEqual([])
          yield* Effect.forEach([one, two], store.done)
        }),
      )

      it.effect("leases the only job of one account before the many that another added earlier", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const [flooding, quiet] = [(yield* storedAccount).id, (yield* storedAccount).id]
          const many = Array.from({ length: 20 }, () => newId())
          const purge = (accountId: AccountId): JobSpec => ({
            kind: "purge-mailbox",
            accountId,
            mailboxId: MailboxId.make(newId()),
          })
          for (const id of many) yield* store.add([{ id, spec: purge(flooding), dueAt: NOON - 10 }])
          const own = newId()
          yield* store.add([{ id: own, spec: purge(quiet), dueAt: NOON }])
          const mail = newId()
          yield* store.add([{ id: mail, spec: { kind: "send-welcome", accountId: flooding }, dueAt: NOON }])
          const ids = (claimed: ReadonlyArray<{ readonly id: string }>) => claimed.map(({ id }) => id)
          expect(ids(yield* store.claim(4, NOON, LATER))).toEqual([many[0], own, mail, many[1]])
          expect(ids(yield* store.claim(100, NOON, LATER))).toEqual(many.slice(2))
          yield* Effect.forEach([...many, own, mail], store.done)
        }),
      )

      it.effect("gives an account no more stream slots than its maximum, also concurrently", () =>
        Effect.gen(function* () {
          const store = yield* StreamSlots
          const { id } = yield* storedAccount
          const takeThree = store.take(id, 3, [1, 2, 3])
          const taken = yield* Effect.all(
            Array.from({ length: 8 }, () => takeThree),
            { concurrency: "unbounded" },
          )
          expect(new Set(taken.flatMap(Option.toArray))).toEqual(new Set([1, 2, 3]))
          expect(taken.filter(Option.isSome)).toHaveLength(3)
          yield* store.free(id, 2)
          expect(yield* takeThree).toEqual(Option.some(2))
          expect(yield* takeThree).toEqual(Option.none())
          // The process knows of one: the answers to the others were lost.
          expect(yield* store.take(id, 3, [1])).toEqual(Option.some(2))
          expect(yield* store.take(id, 3, [1, 2])).toEqual(Option.some(3))
          expect(yield* store.take((yield* storedAccount).id, 3, [])).toEqual(Option.some(1))
        }),
      )

      it.effect("completes an open checkout for one of several concurrent calls", () =>
        Effect.gen(function* () {
          const store = yield* CheckoutStore
          const checkout = {
            tokenHash: newId(),
            accountId: (yield* storedAccount).id,
            plan: "Growth",
            period: "annual",
            expiresAt: LATER,
            completedAt: null,
          } as const
          yield* store.insert(checkout)
          expect(yield* store.byTokenHash(checkout.tokenHash)).toEqual(Option.some(checkout))
          const tries = yield* Effect.all(
            Array.from({ length: 10 }, () => store.complete(checkout.tokenHash, NOON)),
            { concurrency: "unbounded" },
          )
          expect(tries.filter((won) => won)).toHaveLength(1)
          expect(yield* store.byTokenHash(checkout.tokenHash)).toEqual(
            Option.some({ ...checkout, completedAt: NOON }),
          )
          expect(yield* store.byTokenHash(newId())).toEqual(Option.none())
        }),
      )

      it.effect("finds the open checkout of an account for a plan and period", () =>
        Effect.gen(function* () {
          const store = yield* CheckoutStore
          const wanted = { accountId: (yield* storedAccount).id, plan: "Growth", period: "annual" } as const
          const checkout = { ...wanted, tokenHash: newId(), expiresAt: LATER, completedAt: null }
          yield* store.insert({ ...checkout, tokenHash: newId(), period: "monthly", expiresAt: LATER + 2 })
          yield* store.insert({ ...checkout, tokenHash: newId(), completedAt: NOON, expiresAt: LATER + 2 })
          yield* store.insert({ ...checkout, tokenHash: newId(), expiresAt: LATER - 1 })
          yield* store.insert(checkout)
          expect(yield* store.openFor(wanted, NOON)).toEqual(Option.some(checkout))
          expect(yield* store.openFor(wanted, LATER)).toEqual(Option.none())
          const other = { ...wanted, accountId: (yield* storedAccount).id }
          expect(yield* store.openFor(other, NOON)).toEqual(Option.none())
        }),
      )

      it.effect("completes a paid checkout after it has expired, and no unknown one", () =>
        Effect.gen(function* () {
          const store = yield* CheckoutStore
          const tokenHash = newId()
          yield* store.insert({
            tokenHash,
            accountId: (yield* storedAccount).id,
            plan: "Scale",
            period: "monthly",
            expiresAt: NOON,
            completedAt: null,
          })
          expect(yield* store.complete(tokenHash, LATER)).toBe(true)
          expect(yield* store.complete(newId(), NOON)).toBe(false)
        }),
      )

      it.effect("removes expired checkouts, completed or not, a few at a time", () =>
        Effect.gen(function* () {
          const store = yield* CheckoutStore
          const { id: accountId } = yield* storedAccount
          const early = NOON - 30 * DAY
          const checkout = (expiresAt: number, completedAt: number | null) => ({
            tokenHash: newId(),
            accountId,
            plan: "Growth" as const,
            period: "monthly" as const,
            expiresAt,
            completedAt,
          })
          const over = [checkout(early, null), checkout(early - 1, early - 2), checkout(early, null)]
          const open = checkout(early + 1, null)
          for (const one of [...over, open]) yield* store.insert(one)
          expect(yield* store.removeExpired(early, 2)).toBe(2)
          expect(yield* store.removeExpired(early, 2)).toBe(1)
          expect(yield* store.removeExpired(early, 2)).toBe(0)
          for (const { tokenHash } of over) expect(yield* store.byTokenHash(tokenHash)).toEqual(Option.none())
          expect(yield* store.byTokenHash(open.tokenHash)).toEqual(Option.some(open))
        }),
      )

      it.effect("finds the addresses that an account suppresses, and keeps the first reason", () =>
        Effect.gen(function* () {
          const store = yield* SuppressionStore
          const [one, two] = [(yield* storedAccount).id, (yield* storedAccount).id]
          const suppress = (accountId: typeof one, email: string, reason: "BOUNCE" | "MANUAL") =>
            store.insert({ id: SuppressionId.make(newId()), accountId, email, reason, createdAt: NOON })
          yield* suppress(one, "a@x.org", "BOUNCE")
          yield* suppress(one, "a@x.org", "MANUAL")
          yield* suppress(two, "b@x.org", "BOUNCE")
          expect(yield* store.among(one, ["b@x.org", "a@x.org", "c@x.org"])).toEqual(["a@x.org"])
          const sql = yield* SqlClient.SqlClient
          expect(yield* sql`/* test */ SELECT reason FROM suppressions WHERE account_id = ${one}`).toEqual([
            { reason: "BOUNCE" },
          ])
        }),
      )

      it.effect("finds an address on an account's list, and removes it for that account only", () =>
        Effect.gen(function* () {
          const store = yield* SuppressionStore
          const [one, two] = [(yield* storedAccount).id, (yield* storedAccount).id]
          const suppression: SuppressionRecord = {
            id: SuppressionId.make(newId()),
            accountId: one,
            email: "a@x.org",
            reason: "COMPLAINT",
            createdAt: NOON,
          }
          yield* store.insert(suppression)
          expect(yield* store.byEmail(one, "a@x.org")).toEqual(Option.some(suppression))
          expect(yield* store.byEmail(two, "a@x.org")).toEqual(Option.none())
          expect(yield* store.remove(two, suppression.id)).toEqual(Option.none())
          expect(yield* store.byEmail(one, "a@x.org")).toEqual(Option.some(suppression))
          expect(yield* store.remove(one, suppression.id)).toEqual(Option.some(suppression))
          expect(yield* store.remove(one, suppression.id)).toEqual(Option.none())
          expect(yield* store.byEmail(one, "a@x.org")).toEqual(Option.none())
        }),
      )

      it.effect("suppresses an address for a mailbox once, and finds whom a link is about", () =>
        Effect.gen(function* () {
          const store = yield* MailboxSuppressionStore
          const mailbox = yield* storedMailbox
          const { accountId, fullAddress, id: mailboxId } = mailbox
          const facts = { accountId, fullAddress }
          const suppression = (email: string, createdAt = NOON): MailboxSuppressionRecord => ({
            id: SuppressionId.make(newId()),
            accountId,
            mailboxId,
            email,
            reason: "MANUAL",
            createdAt,
          })
          expect(yield* store.facts(mailboxId, "a@x.org")).toEqual(
            Option.some({ ...facts, isSuppressed: false }),
          )
          expect(yield* store.facts(MailboxId.make(newId()), "a@x.org")).toEqual(Option.none())
          const first = suppression("a@x.org")
          for (const one of [first, suppression("a@x.org"), suppression("b@x.org", NOON + 1)])
            yield* store.insert(one)
          expect(yield* store.facts(mailboxId, "a@x.org")).toEqual(
            Option.some({ ...facts, isSuppressed: true }),
          )
          expect(yield* store.byEmail(mailboxId, "a@x.org")).toEqual(Option.some(first))
          expect(yield* store.byEmail(MailboxId.make(newId()), "a@x.org")).toEqual(Option.none())
          expect(yield* store.page(accountId, "a@x.org", null, 10)).toEqual([first])
          expect(yield* store.page(accountId, "a@x.org", first, 10)).toEqual([])
          const newest = yield* store.page(accountId, null, null, 10)
          expect(newest.map(({ email }) => email)).toEqual(["b@x.org", "a@x.org"])
          expect(yield* store.page(accountId, null, newest[0] ?? null, 10)).toEqual([first])

          const other = (yield* storedAccount).id
          expect(yield* store.page(other, null, null, 10)).toEqual([])
          expect(yield* store.remove(other, first.id)).toEqual(Option.none())
          expect(yield* store.remove(accountId, first.id)).toEqual(Option.some(first))
          expect(yield* store.facts(mailboxId, "a@x.org")).toEqual(
            Option.some({ ...facts, isSuppressed: false }),
          )
          yield* store.insert(first)
          expect(yield* store.purge(mailboxId, 1)).toBe(1)
          expect(yield* store.purge(mailboxId, 10)).toBe(1)
          expect(yield* store.page(accountId, null, null, 10)).toEqual([])
        }),
      )

      it.effect("lists suppressions newest first, page by page, also of one instant", () =>
        Effect.gen(function* () {
          const store = yield* SuppressionStore
          const [accountId, other] = [(yield* storedAccount).id, (yield* storedAccount).id]
          const listed = [0, 1, 1, 1, 2].map((millis, n): SuppressionRecord => ({
            id: SuppressionId.make(newId()),
            accountId,
            email: `${n}@x.org`,
            reason: "MANUAL",
            createdAt: NOON + millis,
          }))
          for (const suppression of listed) yield* store.insert(suppression)
          const newestFirst = [...listed].reverse()
          expect(yield* store.page(accountId, null, 10)).toEqual(newestFirst)
          const [second] = (yield* store.page(accountId, null, 2)).slice(-1)
          expect(yield* store.page(accountId, second ?? null, 2)).toEqual(newestFirst.slice(2, 4))
          expect(yield* store.page(other, null, 10)).toEqual([])
        }),
      )

      it.effect("counts uses per key and window, exactly also concurrently", () =>
        Effect.gen(function* () {
          const store = yield* RateLimitStore
          const counts = yield* Effect.all(
            Array.from({ length: 20 }, () => store.count("signup 192.0.2.1", NOON)),
            { concurrency: "unbounded" },
          )
          expect([...counts].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
          expect(yield* store.count("signup 192.0.2.2", NOON)).toBe(1)
          expect(yield* store.count("signup 192.0.2.1", NOON + HOUR)).toBe(1)
          expect(yield* store.count("signup 192.0.2.1", NOON)).toBe(21)
        }),
      )

      it.effect("removes the counts of a key, and no others", () =>
        Effect.gen(function* () {
          const store = yield* RateLimitStore
          for (const key of ["sign-in a", "sign-in ab"])
            for (const window of [NOON, NOON + HOUR]) yield* store.count(key, window)
          yield* store.reset("sign-in a")
          expect(yield* store.count("sign-in a", NOON)).toBe(1)
          expect(yield* store.count("sign-in a", NOON + HOUR)).toBe(1)
          expect(yield* store.count("sign-in ab", NOON)).toBe(2)
        }),
      )

      it.effect("removes old windows, a few at a time", () =>
        Effect.gen(function* () {
          const store = yield* RateLimitStore
          const sql = yield* SqlClient.SqlClient
          const early = NOON - 30 * DAY
          for (let n = 0; n < 5; n++) yield* store.count(`old ${n}`, early)
          yield* store.count("new", early + DAY)
          const left = sql`/* test */ SELECT counter FROM rate_limits WHERE window_start <= ${early}`
          expect(yield* left).toHaveLength(5)
          expect([
            yield* store.removeBefore(early + DAY, 3),
            yield* store.removeBefore(early + DAY, 3),
          ]).toEqual([3, 2])
          expect(yield* left).toEqual([])
          expect(yield* store.count("new", early + DAY)).toBe(2)
        }),
      )

      it.effect("subtracts counted uses, down to zero", () =>
        Effect.gen(function* () {
          const store = yield* RateLimitStore
          for (let n = 0; n < 2; n++) yield* store.count("sign-in of c", NOON)
          expect(yield* store.used("sign-in of c", NOON)).toBe(2)
          expect(yield* store.used("sign-in of c", NOON + HOUR)).toBe(0)
          yield* store.refund("sign-in of c", NOON)
          expect(yield* store.count("sign-in of c", NOON)).toBe(2)
          for (let n = 0; n < 5; n++) yield* store.refund("sign-in of c", NOON)
          yield* store.refund("sign-in of nobody", NOON)
          expect(yield* store.count("sign-in of c", NOON)).toBe(1)
        }),
      )

      it.effect("lists captured mail newest first, and by recipient", () =>
        Effect.gen(function* () {
          const outbox = yield* DevelopmentOutbox
          const [one, two, three] = [
            capture(newId(), ["Ada@x.org", "bob@x.org"], NOON),
            capture(newId(), ["bob@x.org"], NOON + 1),
            capture(newId(), ["ada@x.org"], NOON + 1),
          ]
          for (const mail of [one, two, three]) yield* outbox.add(mail)
          expect(yield* outbox.list({ to: null, limit: 10 })).toEqual([three, two, one])
          expect(yield* outbox.list({ to: "ada@x.org", limit: 10 })).toEqual([three, one])
          expect(yield* outbox.list({ to: "BOB@x.org", limit: 1 })).toEqual([two])
        }),
      )

      it.effect("keeps the newest 1,000 captured mails", () =>
        Effect.gen(function* () {
          const outbox = yield* DevelopmentOutbox
          const sql = yield* SqlClient.SqlClient
          const older = Array.from({ length: 1000 }, (_, n) => ({
            id: newId(),
            sender: "ada@x.org",
            recipients: "[]",
            captured_at: LATER + n,
            raw: Buffer.from("x"),
          }))
          yield* sql`/* test */ INSERT INTO captured_mails ${sql.insert(older)}`
          for (let n = 1000; n < 1005; n++) yield* outbox.add(capture(newId(), ["many@x.org"], LATER + n))
          const kept = yield* sql`/* test */ SELECT captured_at FROM captured_mails ORDER BY captured_at`
          expect(kept).toHaveLength(1000)
          expect(kept[0]).toEqual({ captured_at: LATER + 5 })
        }),
      )
    })
  })
