/** `Dns` over a source of records: with a cache, shared questions, and bounds (`openQuestions.ts`). */
import { type DnsAnswer, type Dns, DnsFailure, type DnsQuestion } from "@mailroom/engine"
import { Duration, Effect, Fiber, Option, type Scope } from "effect"
import { makeAnswers } from "./answers.js"
import { ownAddress } from "./literals.js"
import { makeOpenQuestions } from "./openQuestions.js"
import type { RecordSource } from "./RecordSource.js"

/** How long a question is open whose answer is cached. */
const DEADLINE = Duration.seconds(5)
/** The same for `mx` and `txt`, which somebody waits for who checks a domain. */
const CHECK_DEADLINE = Duration.seconds(10)

/**
 * How long a question is open before the resolver is probed: just until before the second try, at 2 s. Probed at the
 * deadline, a resolver that came back after that try would make its own silence look like the name's.
 */
const PROBE_AFTER = Duration.millis(1900)

/** For how long the result of a probe serves the questions that are probed next. */
const PROBE_KEPT_FOR = Duration.millis(500)

/** How long IPv6 addresses are waited for once there are IPv4 addresses (RFC 8305 §3, the other way round). */
const OTHER_FAMILY_DELAY = Duration.millis(50)

/** Characters of a name (RFC 1035 §2.3.4). */
const NAME_MAX = 253

interface Found {
  readonly answer: ReadonlyArray<string>
  /** seconds; null where it is not known */
  readonly ttl: number | null
}

const nameOf = (name: string): string => name.toLowerCase().replace(/\.$/, "")

const keyOf = ({ type, name }: DnsQuestion): string => `${type} ${nameOf(name)}`

const least = (ttls: ReadonlyArray<number>): number | null => (ttls.length === 0 ? null : Math.min(...ttls))

const find = (source: RecordSource, { type, name }: DnsQuestion): Effect.Effect<Found, DnsFailure> => {
  const untimed = (records: ReadonlyArray<string>): Found => ({ answer: records, ttl: null })
  switch (type) {
    case "A":
    case "AAAA":
      return Effect.map(type === "A" ? source.ipv4(name) : source.ipv6(name), (records) => ({
        answer: records.map(({ address }) => address),
        ttl: least(records.map(({ ttl }) => ttl)),
      }))
    case "MX":
      return Effect.map(source.mx(name), (records) => untimed(records.map(({ exchange }) => exchange)))
    case "TXT":
      return Effect.map(source.txt(name), untimed)
  }
}

/** Ends with the scope. */
export const makeDns = (source: RecordSource): Effect.Effect<Dns["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const answers = yield* makeAnswers
    const questions = yield* makeOpenQuestions
    const isAnswering = yield* Effect.cachedWithTTL(source.isAnswering, PROBE_KEPT_FOR)
    /** Questions of the cache that are open, by their key. */
    const asking = new Map<string, Effect.Effect<DnsAnswer, DnsFailure>>()

    const unavailable = (host: string) => new DnsFailure({ host, reason: "unavailable" })

    /** Silence is the name's fault only where other questions are answered at the same time. */
    const answeredInTime = (asked: DnsQuestion): Effect.Effect<Found, DnsFailure> =>
      Effect.gen(function* () {
        const probing = yield* Effect.forkScoped(Effect.delay(isAnswering, PROBE_AFTER))
        const name = nameOf(asked.name)
        const found = yield* Effect.timeoutOption(find(source, { type: asked.type, name }), DEADLINE)
        if (Option.isSome(found)) return found.value
        const reason = (yield* Fiber.join(probing)) ? "unavailable" : "not asked"
        return yield* new DnsFailure({ host: asked.name, reason })
      }).pipe(Effect.scoped)

    const question = (asked: DnsQuestion, key: string): Effect.Effect<DnsAnswer, DnsFailure> =>
      answeredInTime(asked).pipe(
        Effect.tap(({ answer, ttl }) => Effect.sync(() => answers.keep(key, answer, ttl))),
        Effect.map(({ answer }): DnsAnswer => answer),
        Effect.catchIf(
          ({ reason }) => reason === "unavailable",
          () =>
            Effect.sync((): DnsAnswer => {
              answers.keep(key, "unavailable", null)
              return "unavailable"
            }),
        ),
        Effect.ensuring(Effect.sync(() => asking.delete(key))),
      )

    const known = (asked: DnsQuestion): DnsAnswer | undefined =>
      asked.name.length > NAME_MAX ? [] : answers.find(keyOf(asked))

    /** Fails with `not asked` alone. */
    const answerTo = (asked: DnsQuestion, asker: string): Effect.Effect<DnsAnswer, DnsFailure> =>
      Effect.suspend(() => {
        const key = keyOf(asked)
        const answer = known(asked)
        if (answer !== undefined) return Effect.succeed(answer)
        const begun = asking.get(key)
        if (begun !== undefined) return begun
        return Effect.flatMap(questions.open(asked.name, asker, question(asked, key)), (opened) => {
          if (opened.isOpen()) asking.set(key, opened.answer)
          return opened.answer
        })
      })

    const addresses = Effect.fn("Dns.addresses")(function* (host: string, asker: string) {
      const literal = ownAddress(host)
      if (literal !== null) return [literal]
      const own = yield* source.ownAddresses(host)
      if (own !== null) return own
      const ipv6 = yield* Effect.fork(answerTo({ type: "AAAA", name: host }, asker))
      const first = yield* answerTo({ type: "A", name: host }, asker)
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

    /** Past the cache, in its bounds. */
    const now = <A>(
      host: string,
      ask: Effect.Effect<ReadonlyArray<A>, DnsFailure>,
    ): Effect.Effect<ReadonlyArray<A>, DnsFailure> =>
      questions
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
      mx: (host) => now(host, source.mx(host)),
      txt: (host) => now(host, source.txt(host)),
      known,
      ask: (asked, asker) =>
        Effect.catchAll(answerTo(asked, asker), () => Effect.succeed<DnsAnswer>("unavailable")),
    }
  })
