/** DNS as sender authentication asks it: each question once, and few at a time, whoever writes the mail. */
import { Dns, type DnsFailure } from "@mailroom/engine"
import { Cache, Duration, Effect, Exit, Fiber, Option } from "effect"

/** MX records are the names of their exchanges, best first. */
export type RecordType = "A" | "AAAA" | "MX" | "TXT"

/** Nothing found is an empty list. */
export type Lookup = (type: RecordType, name: string) => Effect.Effect<ReadonlyArray<string>, "unavailable">

/** How long an answer holds, also that there is nothing; and that no answer came. */
const HOLDS = Duration.minutes(5)
const UNAVAILABLE_HOLDS = Duration.seconds(30)

/** A question lives longer than the mail that asked it first waits: the next one may find the answer. */
const DEADLINE = Duration.seconds(4)

const CAPACITY_PER_TYPE = 2500
const QUESTIONS_AT_ONCE = 256

/** Names that mean nothing in DNS (RFC 6761 §6): they are nobody's, so they are not asked for. */
const specialUse: ReadonlySet<string> = new Set(["test", "invalid", "example", "localhost"])

/** Visible characters in labels of 1 to 63 (RFC 1035 §2.3.4), none that a resolver would read as an escape. */
const name = /^(?=.{1,253}$)[!-\-/-[\]-~]{1,63}(?:\.[!-\-/-[\]-~]{1,63})*$/

const isAskable = (host: string): boolean =>
  name.test(host) && !specialUse.has(host.slice(host.lastIndexOf(".") + 1))

type Answer = ReadonlyArray<string> | "unavailable"

/** One cache for all mails of this process, until its scope closes. */
export const makeLookup = Effect.gen(function* () {
  const dns = yield* Dns
  const scope = yield* Effect.scope
  const permits = yield* Effect.makeSemaphore(QUESTIONS_AT_ONCE)

  const cached = (question: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>) =>
    Cache.makeWith({
      capacity: CAPACITY_PER_TYPE,
      lookup: (host: string): Effect.Effect<Answer> =>
        permits
          .withPermits(1)(question(host))
          .pipe(
            Effect.catchAll(({ reason }): Effect.Effect<Answer> =>
              Effect.succeed(reason === "not found" ? [] : "unavailable"),
            ),
            Effect.timeoutTo({
              duration: DEADLINE,
              onSuccess: (answer): Answer => answer,
              onTimeout: (): Answer => "unavailable",
            }),
          ),
      timeToLive: Exit.match({
        onFailure: () => Duration.zero,
        onSuccess: (answer) => (answer === "unavailable" ? UNAVAILABLE_HOLDS : HOLDS),
      }),
    })

  const caches = {
    A: yield* cached(dns.a),
    AAAA: yield* cached(dns.aaaa),
    MX: yield* cached((host) =>
      Effect.map(dns.mx(host), (records) => records.map(({ exchange }) => exchange)),
    ),
    TXT: yield* cached(dns.txt),
  }

  // The question is nobody's own: who stops waiting for it takes no answer from the others.
  const ask = (cache: Cache.Cache<string, Answer>, host: string): Effect.Effect<Answer> =>
    Effect.flatMap(
      cache.getOptionComplete(host),
      Option.match({
        onSome: (answer) => Effect.succeed(answer),
        onNone: () => Effect.flatMap(Effect.forkIn(cache.get(host), scope), Fiber.join),
      }),
    )

  const lookup: Lookup = (type, given) => {
    const host = given.toLowerCase().replace(/\.$/, "")
    if (!isAskable(host)) return Effect.succeed([])
    return Effect.flatMap(ask(caches[type], host), (answer) =>
      answer === "unavailable" ? Effect.fail(answer) : Effect.succeed(answer),
    )
  }
  return lookup
})
