/** How long DNS answers are cached, and which open queries are cancelled. */
import { DnsFailure } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Ref, TestClock } from "effect"
import { makeDns } from "../src/dns/cachedDns.js"
import type { RecordSource } from "../src/dns/RecordSource.js"

const notCalled = () => Effect.dieMessage("not asked for in this test")

const records: RecordSource = {
  ipv4: () => Effect.succeed([]),
  ipv6: () => Effect.succeed([]),
  mx: notCalled,
  txt: notCalled,
  localAddresses: () => Effect.succeed(null),
  isAnswering: Effect.succeed(true),
}

type Texts = (name: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>

/** A cache over TXT records, and the queries since the last call. */
const overTexts = (texts: Texts, over: Partial<RecordSource> = {}) =>
  Effect.gen(function* () {
    const asked = yield* Ref.make<ReadonlyArray<string>>([])
    const txt: Texts = (name) =>
      Effect.zipRight(
        Ref.update(asked, (all) => [...all, name]),
        texts(name),
      )
    const dns = yield* makeDns({ ...records, txt, ...over })
    return {
      ask: (name: string, account = "somebody") => dns.ask({ type: "TXT", name }, account),
      asked: Ref.getAndSet(asked, []),
      dns,
    }
  })

/** Runs all fibers that can run. */
const settled = Effect.repeatN(Effect.yieldNow(), 50)

describe("an answer is cached", () => {
  for (const [what, ttl, seconds] of [
    ["as long as its record says", 60, 60],
    ["for 5 seconds at least", 0, 5],
    ["for 5 minutes at most", 86_400, 300],
  ] as const)
    it.scoped(what, () =>
      Effect.gen(function* () {
        const asked = yield* Ref.make(0)
        const ipv4 = () =>
          Effect.as(
            Ref.update(asked, (n) => n + 1),
            [{ address: "192.0.2.1", ttl }],
          )
        const { dns } = yield* overTexts(notCalled, { ipv4 })
        const ask = dns.ask({ type: "A", name: "acme.dev" }, "somebody")
        yield* ask
        yield* TestClock.adjust(Duration.millis(seconds * 1000 - 1))
        yield* ask
        expect(yield* Ref.get(asked)).toBe(1)
        yield* TestClock.adjust("1 millis")
        expect(yield* ask).toEqual(["192.0.2.1"])
        expect(yield* Ref.get(asked)).toBe(2)
      }),
    )

  for (const [what, found] of [
    ["that there is nothing", Effect.succeed([])],
    ["that nobody answers", new DnsFailure({ host: "acme.dev", reason: "unavailable" })],
  ] as const)
    it.scoped(`for 30 seconds when it says ${what}`, () =>
      Effect.gen(function* () {
        const { ask, asked } = yield* overTexts(() => found)
        yield* ask("acme.dev")
        yield* TestClock.adjust("29999 millis")
        yield* ask("acme.dev")
        expect(yield* asked).toHaveLength(1)
        yield* TestClock.adjust("1 millis")
        yield* ask("acme.dev")
        expect(yield* asked).toHaveLength(1)
      }),
    )

  it.scoped("not at all when it is longer than 8 kB, or when no resolver was asked", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* overTexts((name) =>
        name === "long.dev"
          ? Effect.succeed(["x".repeat(9000)])
          : new DnsFailure({ host: name, reason: "not asked" }),
      )
      for (const name of ["long.dev", "long.dev", "away.dev", "away.dev"]) yield* ask(name)
      expect(yield* asked).toEqual(["long.dev", "long.dev", "away.dev", "away.dev"])
    }),
  )

  it.scoped("until 10,000 newer answers are", () =>
    Effect.gen(function* () {
      const { ask, dns } = yield* overTexts(() => Effect.succeed(["v=spf1 -all"]))
      for (let n = 0; n <= 10_000; n++) yield* ask(`d${n}.dev`)
      const known = (n: number) => dns.known({ type: "TXT", name: `d${n}.dev` })
      expect(known(0)).toBeUndefined()
      expect(known(1)).toEqual(["v=spf1 -all"])
    }),
  )
})

describe("a query", () => {
  it.scoped("is sent once for concurrent callers, and outlives the first of them", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* overTexts(() => Effect.delay(Effect.succeed(["found"]), "1 second"))
      const first = yield* Effect.fork(ask("acme.dev"))
      const others = yield* Effect.fork(Effect.all([ask("acme.dev"), ask("ACME.dev")]))
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.join(others)).toEqual([["found"], ["found"]])
      expect(yield* asked).toHaveLength(1)
    }),
  )

  it.scoped("fails as unavailable after 5 seconds without answer when the resolver answers others", () =>
    Effect.gen(function* () {
      const { ask, dns } = yield* overTexts(() => Effect.never, { ipv4: () => Effect.never })
      const asking = yield* Effect.fork(ask("acme.dev"))
      const looking = yield* Effect.fork(Effect.flip(dns.addresses("acme.dev", "somebody")))
      yield* TestClock.adjust("4999 millis")
      expect(asking.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(asking)).toBe("unavailable")
      expect((yield* Fiber.join(looking)).reason).toBe("unavailable")
    }),
  )

  it.scoped("fails as not asked when the resolver does not answer either", () =>
    Effect.gen(function* () {
      const silent = { ipv4: () => Effect.never, isAnswering: Effect.succeed(false) }
      const { dns } = yield* overTexts(notCalled, silent)
      const looking = yield* Effect.fork(Effect.flip(dns.addresses("acme.dev", "somebody")))
      yield* TestClock.adjust("5 seconds")
      expect((yield* Fiber.join(looking)).reason).toBe("not asked")
    }),
  )

  it.scoped("fails as not asked when the resolver came back only after the second try", () =>
    Effect.gen(function* () {
      const isBack = Effect.map(Clock.currentTimeMillis, (now) => now > 2_000)
      const { dns } = yield* overTexts(notCalled, { ipv4: () => Effect.never, isAnswering: isBack })
      const looking = yield* Effect.fork(Effect.flip(dns.addresses("acme.dev", "somebody")))
      yield* TestClock.adjust("5 seconds")
      expect((yield* Fiber.join(looking)).reason).toBe("not asked")
    }),
  )

  it.scoped(
    "fails as not asked although the resolver answered the probe of another query half a second before",
    () =>
      Effect.gen(function* () {
        const isSilentSoon = Effect.map(Clock.currentTimeMillis, (now) => now < 2_000)
        const { ask, dns } = yield* overTexts(() => Effect.never, {
          ipv4: () => Effect.never,
          isAnswering: isSilentSoon,
        })
        const before = yield* Effect.fork(ask("before.dev"))
        yield* TestClock.adjust("500 millis")
        const looking = yield* Effect.fork(Effect.flip(dns.addresses("acme.dev", "somebody")))
        yield* TestClock.adjust("5 seconds")
        expect(yield* Fiber.join(before)).toBe("unavailable")
        expect((yield* Fiber.join(looking)).reason).toBe("not asked")
      }),
  )

  for (const [what, bound, nameOf, accountOf] of [
    ["about one domain", 32, (n: number) => `n${n}.silent.dev`, (n: number) => `account ${n}`],
    ["of one account", 64, (n: number) => `n.silent${n}.dev`, () => "mallory"],
    ["in all", 512, (n: number) => `n.silent${n}.dev`, (n: number) => `account ${n}`],
  ] as const)
    it.scoped(`beyond ${bound} ${what} is sent; the oldest of those is cancelled`, () =>
      Effect.gen(function* () {
        const { ask, asked } = yield* overTexts(() => Effect.never)
        const numbers = Array.from({ length: bound + 1 }, (_, n) => n)
        const asking = yield* Effect.forEach(numbers, (n) =>
          Effect.zipLeft(Effect.fork(ask(nameOf(n), accountOf(n))), Effect.yieldNow()),
        )
        yield* settled
        expect(yield* asked).toHaveLength(bound + 1)
        const ended = asking.map((fiber) => fiber.unsafePoll() !== null)
        expect(ended).toEqual(numbers.map((n) => n === 0))
      }),
    )

  for (const suffix of ["co.uk", "com.br", "github.io"])
    it.scoped(`below ${suffix} is not cancelled for those of strangers about other domains there`, () =>
      Effect.gen(function* () {
        const { ask } = yield* overTexts(() => Effect.never)
        const honest = yield* Effect.fork(ask(`_dmarc.honest.${suffix}`))
        yield* Effect.yieldNow()
        yield* Effect.forEach(Array.from({ length: 40 }), (_, n) =>
          Effect.fork(ask(`n.silent${n}.${suffix}`, `account ${n}`)),
        )
        yield* settled
        expect(honest.unsafePoll()).toBeNull()
      }),
    )

  for (const [what, count, nameOf] of [
    ["about the same domain", 40, (n: number) => `n${n}.shared.dev`],
    ["in all", 520, (n: number) => `n.silent${n}.dev`],
  ] as const)
    it.scoped(`is not cancelled for those of clients that hold more ${what}: theirs are`, () =>
      Effect.gen(function* () {
        const { ask } = yield* overTexts(() => Effect.never)
        const honest = yield* Effect.fork(ask("_dmarc.shared.dev", "honest"))
        yield* Effect.yieldNow()
        const asking = yield* Effect.forEach(Array.from({ length: count }), (_, n) =>
          Effect.fork(ask(nameOf(n), `flood ${n % 10}`)),
        )
        yield* settled
        expect(honest.unsafePoll()).toBeNull()
        expect(asking[0]?.unsafePoll()).not.toBeNull()
      }),
    )

  it.scoped("of another account is answered while one queries silent names without pause", () =>
    Effect.gen(function* () {
      const { ask } = yield* overTexts((name) =>
        name.endsWith("honest.dev") ? Effect.delay(Effect.succeed(["found"]), "20 millis") : Effect.never,
      )
      const flood = Effect.forEach(
        Array.from({ length: 200 }, (_, n) => n),
        (n) => Effect.fork(ask(`n${n}.silent${n % 3}.dev`, "mallory")),
      )
      yield* flood
      yield* settled
      const honest = yield* Effect.fork(
        Effect.forEach(Array.from({ length: 12 }), (_, n) => ask(`n${n}.honest.dev`), {
          concurrency: "unbounded",
        }),
      )
      yield* settled
      yield* flood
      yield* settled
      yield* TestClock.adjust("20 millis")
      expect(new Set((yield* Fiber.join(honest)).flat())).toEqual(new Set(["found"]))
    }),
  )
})

describe("the addresses of a name", () => {
  it.scoped("are returned after 50 ms more when only those of IPv6 are missing", () =>
    Effect.gen(function* () {
      const ipv4 = () => Effect.succeed([{ address: "192.0.2.1", ttl: 60 }])
      const { dns } = yield* overTexts(notCalled, { ipv4, ipv6: () => Effect.never })
      const looking = yield* Effect.fork(dns.addresses("acme.dev", "somebody"))
      yield* TestClock.adjust("49 millis")
      expect(looking.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(looking)).toEqual(["192.0.2.1"])
    }),
  )
})
