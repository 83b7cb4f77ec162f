/** DNS as sender authentication asks it: each question once, and few at a time, whoever writes the mail. */
import { Dns, type DnsFailure } from "@mailroom/engine"
import { Duration, Effect, Fiber } from "effect"
import { isHostName } from "./hostName.js"
import { makeKept } from "./kept.js"

/** MX records are the names of their exchanges, best first. */
export type RecordType = "A" | "AAAA" | "MX" | "TXT"

/** Nothing found is an empty list. */
export type Answer = ReadonlyArray<string> | "unavailable"

export interface Lookup {
  /** What is known already, if it is. */
  readonly known: (type: RecordType, name: string) => Answer | undefined
  readonly ask: (type: RecordType, name: string) => Effect.Effect<Answer>
  /** Asks, and waits for no answer. */
  readonly begin: (type: RecordType, name: string) => Effect.Effect<void>
}

/** How long an answer holds, also that there is nothing; and that no answer came. Milliseconds. */
const HOLDS = 5 * 60_000
const UNAVAILABLE_HOLDS = 30_000

/** A question lives longer than the mail that asked it first waits: the next one may find the answer. */
const DEADLINE = Duration.seconds(4)

const ANSWERS_MAX = 10_000
/** Characters of an answer that is kept; no key and no policy is as long. */
const ANSWER_MAX_LENGTH = 8 * 1024
const QUESTIONS_AT_ONCE = 256

/** Names that mean nothing in DNS (RFC 6761 §6): they are nobody's, so they are not asked for. */
const specialUse: ReadonlySet<string> = new Set(["test", "invalid", "example", "localhost"])

const isAskable = (host: string): boolean =>
  host.length <= 253 && isHostName(host) && !specialUse.has(host.slice(host.lastIndexOf(".") + 1))

/** One for all mails of this process, until its scope closes. */
export const makeLookup = Effect.gen(function* () {
  const dns = yield* Dns
  const scope = yield* Effect.scope
  const permits = yield* Effect.makeSemaphore(QUESTIONS_AT_ONCE)
  const answers = yield* makeKept<Answer>(ANSWERS_MAX)
  const asking = new Map<string, Fiber.Fiber<Answer>>()

  const questions: Readonly<
    Record<RecordType, (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>>
  > = {
    A: dns.a,
    AAAA: dns.aaaa,
    MX: (host) => Effect.map(dns.mx(host), (records) => records.map(({ exchange }) => exchange)),
    TXT: dns.txt,
  }

  const keep = (key: string, answer: Answer): void => {
    if (answer === "unavailable") answers.keep(key, answer, UNAVAILABLE_HOLDS)
    else if (answer.join("").length <= ANSWER_MAX_LENGTH) answers.keep(key, answer, HOLDS)
  }

  const question = (type: RecordType, host: string, key: string): Effect.Effect<Answer> =>
    permits
      .withPermits(1)(questions[type](host))
      .pipe(
        Effect.catchAll(({ reason }) => Effect.succeed<Answer>(reason === "not found" ? [] : "unavailable")),
        Effect.timeoutTo({
          duration: DEADLINE,
          onSuccess: (answer): Answer => answer,
          onTimeout: (): Answer => "unavailable",
        }),
        Effect.tap((answer) => Effect.sync(() => keep(key, answer))),
        Effect.ensuring(Effect.sync(() => asking.delete(key))),
      )

  const known: Lookup["known"] = (type, name) => {
    const host = name.toLowerCase().replace(/\.$/, "")
    if (!isAskable(host)) return []
    return answers.find(`${type} ${host}`)
  }

  /** The question is nobody's own: who stops waiting for it takes no answer from the others. */
  const running = (type: RecordType, name: string): Effect.Effect<Fiber.Fiber<Answer>> =>
    Effect.suspend(() => {
      const host = name.toLowerCase().replace(/\.$/, "")
      const key = `${type} ${host}`
      const begun = asking.get(key)
      if (begun !== undefined) return Effect.succeed(begun)
      return Effect.tap(Effect.forkIn(question(type, host, key), scope), (fiber) =>
        Effect.sync(() => {
          if (fiber.unsafePoll() === null) asking.set(key, fiber)
        }),
      )
    })

  const lookup: Lookup = {
    known,
    ask: (type, name) =>
      Effect.suspend(() => {
        const answer = known(type, name)
        return answer === undefined ? Effect.flatMap(running(type, name), Fiber.join) : Effect.succeed(answer)
      }),
    begin: (type, name) => Effect.asVoid(running(type, name)),
  }
  return lookup
})
