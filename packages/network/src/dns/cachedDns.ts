/** `Dns` over a source of records: it caches answers, shares concurrent queries, and bounds open ones (`openQueries.ts`). */
import { type DnsAnswer, type Dns, DnsFailure, type DnsQuestion } from "@mailroom/engine"
import { Duration, Effect, Fiber, Option, type Scope } from "effect"
import { makeAnswerCache } from "./answerCache.js"
import { addressIn } from "./localNames.js"
import { makeOpenQueries } from "./openQueries.js"
import type { RecordSource } from "./RecordSource.js"

/** Deadline of a query whose answer is cached. */
const DEADLINE = Duration.seconds(5)
/** Deadline of `mx` and `txt`, which bypass the cache: somebody who is verifying a domain waits for them. */
const CHECK_DEADLINE = Duration.seconds(10)

/**
 * Time from the start of a query until the resolver is probed: just before the second try, at 2 s. A probe at the deadline
 * would be too late: a resolver that failed and came back meanwhile would answer it, and its failure would be blamed on
 * the name.
 */
const PROBE_AFTER = Duration.millis(1900)

/** Time for which queries share the result of a probe. */
const PROBE_TTL = Duration.millis(500)

/** Time to wait for IPv6 addresses once there are IPv4 addresses (RFC 8305 §3, with the families exchanged). */
const OTHER_FAMILY_DELAY = Duration.millis(50)

/** Characters of a name (RFC 1035 §2.3.4). */
const NAME_MAX = 253

interface Found {
  readonly answer: ReadonlyArray<string>
  /** seconds; null when unknown */
  readonly ttl: number | null
}

const nameOf = (name: string): string => name.toLowerCase().replace(/\.$/, "")

const keyOf = ({ type, name }: DnsQuestion): string => `${type} ${nameOf(name)}`

const least = (ttls: ReadonlyArray<number>): number | null => (ttls.length === 0 ? null : Math.min(...ttls))

const find = (source: RecordSource, { type, name }: DnsQuestion): Effect.Effect<Found, DnsFailure> => {
  const withoutTtl = (records: ReadonlyArray<string>): Found => ({ answer: records, ttl: null })
  switch (type) {
    case "A":
    case "AAAA":
      return Effect.map(type === "A" ? source.ipv4(name) : source.ipv6(name), (records) => ({
        answer: records.map(({ address }) => address),
        ttl: least(records.map(({ ttl }) => ttl)),
      }))
    case "MX":
      return Effect.map(source.mx(name), (records) => withoutTtl(records.map(({ exchange }) => exchange)))
    case "TXT":
      return Effect.map(source.txt(name), withoutTtl)
  }
}

/** Makes the `Dns`. Open queries end with the scope. */
export const makeDns = (source: RecordSource): Effect.Effect<Dns["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const cache = yield* makeAnswerCache
    const openQueries = yield* makeOpenQueries
    const isAnswering = yield* Effect.cachedWithTTL(source.isAnswering, PROBE_TTL)
    /** Open queries whose answers will be cached, by key, so that concurrent callers share them. */
    const running = new Map<string, Effect.Effect<DnsAnswer, DnsFailure>>()

    const unavailable = (host: string) => new DnsFailure({ host, reason: "unavailable" })

    /** Blames a timeout on the name only if the resolver answers another query at the same time. */
    const answeredInTime = (asked: DnsQuestion): Effect.Effect<Found, DnsFailure> =>
      Effect.gen(function* () {
        const probing = yield* Effect.forkScoped(Effect.delay(isAnswering, PROBE_AFTER))
        const name = nameOf(asked.name)
        const found = yield* Effect.timeoutOption(find(source, { type: asked.type, name }), DEADLINE)
        if (Option.isSome(found)) return found.value
        const reason = (yield* Fiber.join(probing)) ? "unavailable" : "not asked"
        return yield* new DnsFailure({ host: asked.name, reason })
      }).pipe(Effect.scoped)

    const lookUp = (asked: DnsQuestion, key: string): Effect.Effect<DnsAnswer, DnsFailure> =>
      answeredInTime(asked).pipe(
        Effect.tap(({ answer, ttl }) => Effect.sync(() => cache.put(key, answer, ttl))),
        Effect.map(({ answer }): DnsAnswer => answer),
        Effect.catchIf(
          ({ reason }) => reason === "unavailable",
          () =>
            Effect.sync((): DnsAnswer => {
              cache.put(key, "unavailable", null)
              return "unavailable"
            }),
        ),
        Effect.ensuring(Effect.sync(() => running.delete(key))),
      )

    const known = (asked: DnsQuestion): DnsAnswer | undefined =>
      asked.name.length > NAME_MAX ? [] : cache.find(keyOf(asked))

    /** Fails only with `not asked`. */
    const answerTo = (asked: DnsQuestion, account: string): Effect.Effect<DnsAnswer, DnsFailure> =>
      Effect.suspend(() => {
        const key = keyOf(asked)
        const answer = known(asked)
        if (answer !== undefined) return Effect.succeed(answer)
        const shared = running.get(key)
        if (shared !== undefined) return shared
        return Effect.flatMap(openQueries.open(asked.name, account, lookUp(asked, key)), (opened) => {
          if (opened.isOpen()) running.set(key, opened.answer)
          return opened.answer
        })
      })

    const addresses = Effect.fn("Dns.addresses")(function* (host: string, account: string) {
      const literal = addressIn(host)
      if (literal !== null) return [literal]
      const own = yield* source.localAddresses(host)
      if (own !== null) return own
      const ipv6 = yield* Effect.fork(answerTo({ type: "AAAA", name: host }, account))
      const first = yield* answerTo({ type: "A", name: host }, account)
      const hasFirst = first !== "unavailable" && first.length > 0
      const second = yield* hasFirst
        ? Effect.map(Effect.timeoutOption(Effect.either(Fiber.join(ipv6)), OTHER_FAMILY_DELAY), (found) =>
            Option.getOrElse(Option.flatMap(found, Option.getRight), (): DnsAnswer => []),
          )
        : Fiber.join(ipv6)
      const found = [first, second].flatMap((answer) => (answer === "unavailable" ? [] : answer))
      if (found.length > 0) return found
      const silent = first === "unavailable" || second === "unavailable"
      return yield* new DnsFailure({ host, reason: silent ? "unavailable" : "not found" })
    })

    /** A query that bypasses the cache, within the bounds of open queries. */
    const queryNow = <A>(
      host: string,
      ask: Effect.Effect<ReadonlyArray<A>, DnsFailure>,
    ): Effect.Effect<ReadonlyArray<A>, DnsFailure> =>
      openQueries
        .open(
          host,
          null,
          Effect.timeoutFail(ask, { duration: CHECK_DEADLINE, onTimeout: () => unavailable(host) }),
        )
        .pipe(
          Effect.flatMap(({ answer }) => answer),
          Effect.filterOrFail(
            (found) => found.length > 0,
            () => new DnsFailure({ host, reason: "not found" }),
          ),
        )

    return {
      addresses,
      mx: (host) => queryNow(host, source.mx(host)),
      txt: (host) => queryNow(host, source.txt(host)),
      known,
      ask: (asked, account) =>
        Effect.catchAll(answerTo(asked, account), () => Effect.succeed<DnsAnswer>("unavailable")),
    }
  })
