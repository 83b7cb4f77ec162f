/** Contract of `DomainStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { AlreadyTaken, type DomainRecord } from "@mailroom/domain"
import { DomainStore, Transactions } from "@mailroom/engine"
import { Effect, Either, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aDomain, newId, NOON, storedAccount } from "./support/records.js"

const LATER = NOON + 60_000

const storedDomain = (over: Partial<DomainRecord> = {}) =>
  Effect.gen(function* () {
    const domain = aDomain((yield* storedAccount).id, over)
    yield* Effect.flatMap(DomainStore, (store) => store.insert(domain))
    return domain
  })

const idsOf = (domains: ReadonlyArray<DomainRecord>) => domains.map(({ id }) => id)

export const domainsContract = (name: string, database: Database) =>
  describe(`${name}: domains`, () => {
    layer(database)((it) => {
      it.effect("returns a domain to its account as it was inserted", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          const domain = yield* storedDomain({
            status: "FAILED",
            mxState: "VALID",
            spfState: "INVALID",
            dkimState: "VALID",
            dmarcState: "INVALID",
            wrongSince: null,
            nextCheckAt: 2 * LATER,
          })
          expect(yield* store.byId(domain.accountId, domain.id)).toEqual(Option.some(domain))
          expect(yield* store.byId((yield* storedAccount).id, domain.id)).toEqual(Option.none())
        }),
      )

      it.effect("lists and counts the domains of an account, oldest first", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          const { id } = yield* storedAccount
          const domains = [2, 0, 1].map((millis) => aDomain(id, { createdAt: NOON + millis }))
          for (const domain of domains) yield* store.insert(domain)
          yield* storedDomain()
          const [last, oldest, middle] = domains
          expect(yield* store.list(id)).toEqual([oldest, middle, last])
          expect(yield* store.count(id)).toBe(3)
          expect(yield* store.count((yield* storedAccount).id)).toBe(0)
        }),
      )

      it.effect("accepts a name once from each account", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          const { accountId, domain } = yield* storedDomain()
          expect(yield* Effect.flip(store.insert(aDomain(accountId, { domain })))).toEqual(
            new AlreadyTaken({ what: "domain", value: domain }),
          )
          yield* store.insert(aDomain((yield* storedAccount).id, { domain }))
        }),
      )

      it.effect("finds a name taken when the account has it, or any account has verified it", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          const [claimed, verified] = [yield* storedDomain(), yield* storedDomain({ status: "VERIFIED" })]
          const { id } = yield* storedAccount
          expect(yield* store.isTaken(claimed.accountId, claimed.domain)).toBe(true)
          expect(yield* store.isTaken(id, claimed.domain)).toBe(false)
          expect(yield* store.isTaken(id, verified.domain)).toBe(true)
          expect(yield* store.isTaken(id, `${newId()}.dev`)).toBe(false)
          expect(yield* store.verifiedAmong([claimed.domain, verified.domain])).toEqual([verified.domain])
          expect(yield* store.verifiedAmong([])).toEqual([])
          expect(Option.isSome(yield* store.anySealedKey)).toBe(true)
          expect(yield* store.ownerOf(verified.domain)).toEqual(Option.some(verified.accountId))
          expect(yield* store.ownerOf(claimed.domain)).toEqual(Option.none())
        }),
      )

      it.effect("saves and removes", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          const before = yield* storedDomain()
          const after = { ...before, status: "VERIFIED", mxState: "VALID", wrongSince: null } as const
          yield* store.save(after)
          expect(yield* store.byId(before.accountId, before.id)).toEqual(Option.some(after))
          yield* store.remove(before.id)
          expect(yield* store.byId(before.accountId, before.id)).toEqual(Option.none())
        }),
      )

      it.effect("lets one of several concurrent claims on a name become VERIFIED", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          const domain = `${newId()}.dev`
          const claims = yield* Effect.replicateEffect(storedDomain({ domain }), 5)
          const outcomes = yield* Effect.forEach(
            claims,
            (claim) => Effect.either(store.save({ ...claim, status: "VERIFIED" })),
            { concurrency: "unbounded" },
          )
          expect(outcomes.filter(Either.isRight)).toHaveLength(1)
          expect(Either.flip(outcomes.find(Either.isLeft) ?? Either.void)).toEqual(
            Either.right(new AlreadyTaken({ what: "domain", value: domain })),
          )
          const stored = yield* Effect.forEach(claims, ({ accountId }) => store.list(accountId))
          expect(stored.flat().filter(({ status }) => status === "VERIFIED")).toHaveLength(1)
        }),
      )

      it.effect("continues the transaction after a name was taken", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          const transactions = yield* Transactions
          const { domain } = yield* storedDomain({ status: "VERIFIED" })
          const claim = yield* storedDomain({ domain })
          const shown = { ...claim, dkimState: "VALID" } as const
          yield* transactions.run(
            store
              .save({ ...shown, status: "VERIFIED" })
              .pipe(Effect.catchTag("AlreadyTaken", () => store.save(shown))),
          )
          expect(yield* store.byId(claim.accountId, claim.id)).toEqual(Option.some(shown))
        }),
      )

      it.effect("leases domains whose check is due, most overdue first", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          const [late, early, future] = [
            yield* storedDomain({ nextCheckAt: NOON - 1 }),
            yield* storedDomain({ nextCheckAt: NOON - 2 }),
            yield* storedDomain({ nextCheckAt: NOON + 5 }),
          ]
          yield* storedDomain({ nextCheckAt: null })
          expect(yield* store.claim(10, NOON, LATER, [])).toEqual([early, late])
          expect(yield* store.claim(10, NOON, LATER, [])).toEqual([])
          expect(idsOf(yield* store.claim(10, NOON + 5, LATER, []))).toEqual([future.id])
          expect(idsOf(yield* store.claim(1, LATER, LATER + 1, []))).toEqual([early.id])
          expect(idsOf(yield* store.claim(10, LATER, LATER + 1, []))).toEqual([late.id, future.id])
        }),
      )

      it.effect("frees the leases of an abandoned claim, and no others", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          yield* store.claim(1000, LATER, Number.MAX_SAFE_INTEGER, [])
          const one = yield* storedDomain({ nextCheckAt: NOON })
          yield* store.claim(10, NOON, LATER, [])
          yield* storedDomain({ nextCheckAt: NOON })
          yield* store.claim(10, NOON, LATER + 1, [])
          yield* store.abandonClaim(LATER)
          expect(idsOf(yield* store.claim(10, NOON, LATER + 2, []))).toEqual([one.id])
          yield* store.abandonClaim(0)
          expect(yield* store.claim(10, NOON, LATER, [])).toEqual([])
        }),
      )

      it.effect("leases no domain of excepted accounts", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          yield* store.claim(1000, LATER, Number.MAX_SAFE_INTEGER, [])
          const [one, other] = [
            yield* storedDomain({ nextCheckAt: NOON }),
            yield* storedDomain({ nextCheckAt: NOON + 1 }),
          ]
          expect(idsOf(yield* store.claim(1, LATER, LATER + 1, [one.accountId]))).toEqual([other.id])
          expect(idsOf(yield* store.claim(10, LATER, LATER + 1, []))).toEqual([one.id])
        }),
      )

      it.effect("leases a domain again when its next check is due, not before", () =>
        Effect.gen(function* () {
          const store = yield* DomainStore
          yield* store.claim(1000, LATER, Number.MAX_SAFE_INTEGER, [])
          const domain = yield* storedDomain({ nextCheckAt: NOON })
          expect(idsOf(yield* store.claim(10, NOON, NOON + 10, []))).toEqual([domain.id])
          yield* store.save({ ...domain, nextCheckAt: NOON + 30 })
          expect(yield* store.claim(10, NOON + 29, LATER, [])).toEqual([])
          expect(idsOf(yield* store.claim(10, NOON + 30, LATER, []))).toEqual([domain.id])
        }),
      )
    })
  })
