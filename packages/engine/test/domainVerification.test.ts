/** Verification of custom domains, on request and in the background (docs/decisions/0015). */
import { describe, expect } from "@effect/vitest"
import { DAY, DomainId, HOUR, MINUTE } from "@mailroom/domain"
import { AccountRemoval, Dns, DnsFailure, DomainStore, DomainWorker, Engine } from "@mailroom/engine"
import { Clock, Context, Deferred, Effect, Either, Fiber, Layer, Ref, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { takingTurns } from "./support/concurrency.js"
import {
  after,
  claim,
  pointAway,
  publish,
  putDns,
  removeDomain,
  shown,
  statusOf,
  storedDomain,
  verifiedDomain,
  verify,
} from "./support/domains.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { refused } from "./support/refused.js"

const claimed = (owner: Owner) =>
  Effect.map(claim(owner, "acme.dev"), ({ domain, dnsRecords }) => ({ id: domain.id, dnsRecords }))

/** A domain that FAILED because its records were never published. */
const failedDomain = (owner: Owner) =>
  Effect.gen(function* () {
    const { id, dnsRecords } = yield* claimed(owner)
    yield* after(72 * HOUR)
    expect(yield* statusOf(owner, id)).toBe("FAILED")
    return { id, dnsRecords }
  })

/** Runs the background check alone: a clock on which all workers run takes seconds to pass minutes. */
const background = Effect.flatMap(DomainWorker, ({ run }) => Effect.forkScoped(run))

describe("verify", () => {
  rule(
    "makes the domain VERIFIED when its records are published",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, dnsRecords } = yield* claimed(owner)
      yield* publish(dnsRecords)
      yield* TestClock.adjust(MINUTE)
      const found = yield* verify(owner, id)
      expect(found.domain).toMatchObject({
        status: "VERIFIED",
        mxVerified: true,
        spfVerified: true,
        dkimVerified: true,
        dmarcVerified: true,
        createdAt: "2026-03-10T12:00:00.000Z",
        updatedAt: "2026-03-10T12:01:00.000Z",
      })
      expect(found.dnsRecords).toMatchObject({ mx: { state: "VALID" }, dkim: [{ state: "VALID" }] })
      expect(yield* shown(owner, id)).toEqual(found)
    }),
  )

  rule(
    "does not need DMARC",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, dnsRecords } = yield* claimed(owner)
      yield* publish(dnsRecords)
      yield* putDns("_dmarc.acme.dev", {})
      expect((yield* verify(owner, id)).domain).toMatchObject({ status: "VERIFIED", dmarcVerified: false })
    }),
  )

  rule(
    "shows the state of each record, and waits for the missing ones",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* claimed(owner)
      yield* putDns("acme.dev", {
        mx: [{ exchange: "mx.mailroom.localhost", priority: 10 }],
        txt: ["v=spf1 include:elsewhere.dev -all"],
      })
      const { domain, dnsRecords } = yield* verify(owner, id)
      expect(domain).toMatchObject({ status: "PENDING_VERIFICATION", mxVerified: true, spfVerified: false })
      const { mx, spf, dkim, dmarc } = dnsRecords
      expect([mx, spf, ...dkim, dmarc].map(({ state }) => state)).toEqual([
        "VALID",
        "INVALID",
        "MISSING",
        "MISSING",
      ])
    }),
  )

  rule(
    "ignores the records of another account",
    Effect.gen(function* () {
      const [owner, other] = [yield* paying("acme"), yield* paying("other")]
      const { dnsRecords } = yield* claimed(owner)
      const rival = yield* claimed(other)
      yield* publish(dnsRecords)
      expect((yield* verify(other, rival.id)).domain).toMatchObject({
        status: "PENDING_VERIFICATION",
        mxVerified: true,
        dkimVerified: false,
      })
    }),
  )

  for (const name of ["acme.dev", "_dmarc.acme.dev"])
    rule(
      `changes nothing that is shown while the servers of ${name} do not answer, and says so`,
      Effect.gen(function* () {
        const owner = yield* paying()
        const { id, dnsRecords } = yield* claimed(owner)
        yield* publish(dnsRecords)
        yield* putDns(name, "unavailable")
        const before = yield* shown(owner, id)
        expect(yield* refused(verify(owner, id))).toMatchObject({
          _tag: "DnsUnavailable",
          domain: "acme.dev",
        })
        expect(yield* shown(owner, id)).toEqual(before)
      }),
    )

  rule(
    "makes a FAILED domain VERIFIED after any time",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, dnsRecords } = yield* failedDomain(owner)
      yield* after(90 * DAY)
      yield* publish(dnsRecords)
      expect((yield* verify(owner, id)).domain.status).toBe("VERIFIED")
    }),
  )
})

describe("two accounts that both have their keys in DNS", () => {
  const both = Effect.gen(function* () {
    const [one, two] = [yield* paying("one"), yield* paying("two")]
    const claims = [yield* claimed(one), yield* claimed(two)] as const
    for (const { dnsRecords } of claims) yield* publish(dnsRecords)
    return { one, two, first: claims[0].id, second: claims[1].id }
  })

  rule(
    "have it VERIFIED for the first one",
    Effect.gen(function* () {
      const { one, two, first, second } = yield* both
      yield* verify(one, first)
      const taken = { _tag: "AlreadyTaken", what: "domain", value: "acme.dev" }
      expect(yield* refused(verify(two, second))).toMatchObject(taken)
      expect((yield* shown(two, second)).domain).toMatchObject({
        status: "PENDING_VERIFICATION",
        dkimVerified: true,
      })
    }),
  )

  ruleWith(takingTurns)(
    "have it VERIFIED for one of them under concurrent requests",
    Effect.gen(function* () {
      const { one, two, first, second } = yield* both
      const outcomes = yield* Effect.all(
        [Effect.either(verify(one, first)), Effect.either(verify(two, second))],
        { concurrency: "unbounded" },
      )
      expect(outcomes.filter(Either.isRight)).toHaveLength(1)
      const statuses = [yield* statusOf(one, first), yield* statusOf(two, second)].sort()
      expect(statuses).toEqual(["PENDING_VERIFICATION", "VERIFIED"])
    }),
  )

  rule(
    "have it VERIFIED for the other when the first removes it",
    Effect.gen(function* () {
      const { one, two, first, second } = yield* both
      yield* after(5 * MINUTE)
      const winner =
        (yield* statusOf(one, first)) === "VERIFIED" ? { owner: one, id: first } : { owner: two, id: second }
      const loser = winner.owner === one ? { owner: two, id: second } : { owner: one, id: first }
      yield* removeDomain(winner.owner, winner.id)
      yield* after(5 * MINUTE)
      expect(yield* statusOf(loser.owner, loser.id)).toBe("VERIFIED")
    }),
  )
})

describe("the background check", () => {
  rule(
    "verifies a domain within 5 minutes of its creation",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, dnsRecords } = yield* claimed(owner)
      yield* publish(dnsRecords)
      yield* after(5 * MINUTE)
      expect(yield* statusOf(owner, id)).toBe("VERIFIED")
    }),
  )

  rule(
    "runs every 5 minutes, and not in between",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, dnsRecords } = yield* claimed(owner)
      yield* after(5 * MINUTE)
      yield* publish(dnsRecords)
      yield* after(5 * MINUTE - 1)
      expect(yield* statusOf(owner, id)).toBe("PENDING_VERIFICATION")
      yield* after(1)
      expect(yield* statusOf(owner, id)).toBe("VERIFIED")
    }).pipe(Effect.withRandomFixed([0])),
  )

  rule(
    "runs in the background worker",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, dnsRecords } = yield* claimed(owner)
      yield* publish(dnsRecords)
      yield* Layer.build(Engine.workers)
      yield* TestClock.adjust(5 * MINUTE + 10_000)
      expect(yield* statusOf(owner, id)).toBe("VERIFIED")
    }),
  )

  rule(
    "fails a domain that is not verified within 72 hours, and continues daily for 30 days",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, dnsRecords } = yield* claimed(owner)
      yield* after(72 * HOUR - 1)
      expect(yield* statusOf(owner, id)).toBe("PENDING_VERIFICATION")
      yield* after(5 * MINUTE)
      expect(yield* statusOf(owner, id)).toBe("FAILED")
      yield* publish(dnsRecords)
      yield* after(DAY - 5 * MINUTE)
      expect(yield* statusOf(owner, id)).toBe("FAILED")
      yield* after(5 * MINUTE)
      expect(yield* statusOf(owner, id)).toBe("VERIFIED")
    }).pipe(Effect.withRandomFixed([0])),
  )

  rule(
    "does not check a FAILED domain after those 30 days",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, dnsRecords } = yield* failedDomain(owner)
      for (let day = 0; day < 31; day++) yield* after(DAY)
      yield* publish(dnsRecords)
      yield* after(30 * DAY)
      expect(yield* statusOf(owner, id)).toBe("FAILED")
    }),
  )

  rule(
    "keeps a domain VERIFIED while its records are wrong for less than 72 hours",
    Effect.gen(function* () {
      const owner = yield* paying()
      const id = yield* verifiedDomain(owner, "acme.dev")
      const { dnsRecords } = yield* shown(owner, id)
      yield* pointAway("acme.dev")
      yield* after(5 * MINUTE)
      expect((yield* shown(owner, id)).domain).toMatchObject({ status: "VERIFIED", mxVerified: false })
      yield* after(71 * HOUR)
      yield* publish(dnsRecords)
      yield* after(5 * MINUTE)
      yield* pointAway("acme.dev")
      yield* after(71 * HOUR)
      expect(yield* statusOf(owner, id)).toBe("VERIFIED")
    }),
  )

  rule(
    "fails a VERIFIED domain whose records were wrong for 72 hours",
    Effect.gen(function* () {
      const owner = yield* paying()
      const id = yield* verifiedDomain(owner, "acme.dev")
      yield* pointAway("acme.dev")
      yield* after(5 * MINUTE)
      yield* after(72 * HOUR)
      expect(yield* statusOf(owner, id)).toBe("FAILED")
    }),
  )

  rule(
    "changes no status while name servers do not answer, for any time",
    Effect.gen(function* () {
      const owner = yield* paying()
      const id = yield* verifiedDomain(owner, "acme.dev")
      yield* putDns("acme.dev", "unavailable")
      const before = yield* shown(owner, id)
      for (let day = 0; day < 5; day++) yield* after(DAY)
      expect(yield* shown(owner, id)).toEqual(before)
    }),
  )

  rule(
    "is made by the process that leases the domain, and by another one if that process dies",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, dnsRecords } = yield* claimed(owner)
      yield* publish(dnsRecords)
      yield* TestClock.adjust(5 * MINUTE)
      const store = yield* DomainStore
      const now = yield* Clock.currentTimeMillis
      expect(yield* store.claim(10, now, now + 2 * MINUTE, [])).toMatchObject([{ id }])
      yield* Engine.settle
      expect(yield* statusOf(owner, id)).toBe("PENDING_VERIFICATION")
      yield* after(2 * MINUTE)
      expect(yield* statusOf(owner, id)).toBe("VERIFIED")
    }),
  )
})

class Silence extends Context.Tag("test/Silence")<
  Silence,
  { readonly asked: Deferred.Deferred<void>; readonly ends: Deferred.Deferred<void> }
>() {}

/** Name servers that answer for one domain when the test allows it. */
const slowDomain = Layer.effectContext(
  Effect.gen(function* () {
    const dns = yield* Dns
    const asked = yield* Deferred.make<void>()
    const ends = yield* Deferred.make<void>()
    const mx: typeof dns.mx = (host) =>
      host === "slow.dev"
        ? Effect.zipRight(
            Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(ends)),
            dns.mx(host),
          )
        : dns.mx(host)
    return Context.make(Dns, Dns.of({ ...dns, mx })).pipe(Context.add(Silence, { asked, ends }))
  }),
)

describe("a domain whose name servers are slow", () => {
  ruleWith(slowDomain)(
    "delays no other domain",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const slow = yield* claim(owner, "slow.dev")
      const { id, dnsRecords } = yield* claimed(owner)
      yield* publish(dnsRecords)
      yield* background
      yield* TestClock.adjust(5 * MINUTE + 10_000)
      expect(yield* statusOf(owner, id)).toBe("VERIFIED")
      expect((yield* storedDomain(owner, slow.domain.id)).nextCheckAt).toBeLessThanOrEqual(NOON + 5 * MINUTE)
    }),
  )

  ruleWith(slowDomain)(
    "stays deleted when its owner deletes it during the check",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { asked, ends } = yield* Silence
      const { domain } = yield* claim(owner, "slow.dev")
      const verifying = yield* Effect.fork(refused(verify(owner, domain.id)))
      yield* Deferred.await(asked)
      yield* removeDomain(owner, domain.id)
      yield* Deferred.succeed(ends, undefined)
      expect(yield* Fiber.join(verifying)).toMatchObject({ _tag: "NotFound", resource: "domain" })
      expect(yield* refused(shown(owner, domain.id))).toMatchObject({ _tag: "NotFound" })
    }),
  )
})

/** Name servers that never answer for names that begin with `silent`. */
const silentDomains = Layer.effect(
  Dns,
  Effect.map(Dns, (dns) => ({
    ...dns,
    mx: (host: string) => (host.startsWith("silent") ? Effect.never : dns.mx(host)),
  })),
)

describe("an account with many domains whose name servers are silent", () => {
  /** More than a process checks at a time. */
  const SILENT = 80
  const flooding = Effect.gen(function* () {
    const owner = yield* paying("flood", "Scale")
    const store = yield* DomainStore
    const { domain } = yield* claim(owner, "silent.dev")
    const first = yield* storedDomain(owner, domain.id)
    // All have the key of the first, because generating a key is slow.
    const others = Array.from({ length: SILENT - 1 }, (_, n) => ({
      ...first,
      id: DomainId.make(randomUUID()),
      domain: `silent${n}.dev`,
    }))
    for (const other of others) yield* store.insert(other)
    return { owner, ids: [first, ...others].map(({ id }) => id) }
  })

  ruleWith(silentDomains)(
    "delays no check of another account",
    Effect.gen(function* () {
      yield* flooding
      yield* TestClock.adjust(MINUTE)
      const owner = yield* paying()
      const { id, dnsRecords } = yield* claimed(owner)
      yield* publish(dnsRecords)
      yield* background
      yield* TestClock.adjust(5 * MINUTE + 10_000)
      expect(yield* statusOf(owner, id)).toBe("VERIFIED")
    }),
  )

  ruleWith(silentDomains)(
    "delays no request of another account to verify",
    Effect.gen(function* () {
      const flood = yield* flooding
      const owner = yield* paying()
      const { id, dnsRecords } = yield* claimed(owner)
      yield* publish(dnsRecords)
      for (const silent of flood.ids) yield* Effect.fork(verify(flood.owner, silent))
      yield* background
      yield* TestClock.adjust(4 * MINUTE)
      expect((yield* verify(owner, id)).domain.status).toBe("VERIFIED")
    }),
  )
})

describe("a check that outlives its account", () => {
  ruleWith(slowDomain)(
    "changes nothing",
    Effect.gen(function* () {
      const owner = yield* paying()
      const principal = yield* as(owner)
      const { asked, ends } = yield* Silence
      const { domain } = yield* claim(owner, "slow.dev")
      const verifying = yield* Effect.fork(refused(verify(owner, domain.id)))
      yield* Deferred.await(asked)
      yield* Effect.flatMap(AccountRemoval, ({ remove }) => remove(principal))
      yield* Deferred.succeed(ends, undefined)
      expect(yield* Fiber.join(verifying)).toMatchObject({ _tag: "NotFound", resource: "domain" })
    }),
  )
})

class Load extends Context.Tag("test/Load")<Load, { readonly most: Ref.Ref<number> }>() {}

/** Name servers that count their concurrent lookups, and answer none. */
const busyDns = Layer.effectContext(
  Effect.gen(function* () {
    const dns = yield* Dns
    const open = yield* Ref.make(0)
    const most = yield* Ref.make(0)
    const mx = (host: string) =>
      Effect.acquireUseRelease(
        Effect.tap(
          Ref.updateAndGet(open, (count) => count + 1),
          (count) => Ref.update(most, (before) => Math.max(before, count)),
        ),
        () => Effect.zipRight(Effect.yieldNow(), new DnsFailure({ host, reason: "unavailable" })),
        () => Ref.update(open, (count) => count - 1),
      )
    return Context.make(Dns, Dns.of({ ...dns, mx })).pipe(Context.add(Load, { most }))
  }),
)

describe("many requests to verify at once", () => {
  ruleWith(busyDns)(
    "are checked 12 at a time for one account",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* claimed(owner)
      const asked = Array.from({ length: 100 }, () => refused(verify(owner, id)))
      const outcomes = yield* Effect.all(asked, { concurrency: "unbounded" })
      expect(new Set(outcomes.map(({ _tag }) => _tag))).toEqual(new Set(["DnsUnavailable"]))
      const { most } = yield* Load
      expect(yield* Ref.get(most)).toBe(12)
    }),
  )
})

describe("many domains that are due at once", () => {
  ruleWith(busyDns)(
    "are checked 64 at a time, and spread over the next 5 minutes",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Scale")
      const ids = []
      for (let n = 0; n < 100; n++) ids.push((yield* claim(owner, `acme${n}.dev`)).domain.id)
      yield* after(5 * MINUTE)
      const { most } = yield* Load
      expect(yield* Ref.get(most)).toBe(64)
      const domains = yield* Effect.forEach(ids, (id) => storedDomain(owner, id))
      const times = domains.map(({ nextCheckAt }) => (nextCheckAt ?? 0) - NOON - 5 * MINUTE)
      expect(Math.min(...times)).toBeGreaterThan(4.5 * MINUTE)
      expect(Math.max(...times)).toBeLessThanOrEqual(5 * MINUTE)
      expect(new Set(times).size).toBeGreaterThan(50)
    }),
  )
})
