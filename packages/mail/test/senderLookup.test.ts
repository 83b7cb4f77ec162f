/** How sender authentication asks DNS, and how long it waits. */
import { Dns, DnsFailure, type Envelope, SenderAuthentication } from "@mailroom/engine"
import { SenderAuthenticationInline } from "@mailroom/mail"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Ref, TestClock } from "effect"
import { makeLookup } from "../src/authenticating/lookup.js"
import { envelope, evaluated, mailFrom, signedByOthers } from "./support/senders.js"

type Answer = Effect.Effect<ReadonlyArray<string>, DnsFailure>

const notFound = (host: string): Answer => new DnsFailure({ host, reason: "not found" })
const silent: Answer = Effect.never

/** DNS that counts who asks for what; `answers` are those of TXT questions. */
const asked = (answers: (host: string) => Answer) =>
  Effect.gen(function* () {
    const questions = yield* Ref.make<ReadonlyArray<string>>([])
    const counting = (type: string, answer: (host: string) => Answer) => (host: string) =>
      Effect.zipRight(
        Ref.update(questions, (all) => [...all, `${type} ${host}`]),
        answer(host),
      )
    const dns = Layer.succeed(Dns, {
      addresses: () => Effect.dieMessage("the operating system was asked"),
      a: counting("A", notFound),
      aaaa: counting("AAAA", notFound),
      mx: (host) => Effect.fail(new DnsFailure({ host, reason: "not found" })),
      txt: counting("TXT", answers),
    })
    const layer = yield* Layer.build(Layer.provide(SenderAuthenticationInline.layer, dns))
    const lookup = yield* Effect.provide(makeLookup, dns)
    return {
      evaluate: (...given: Parameters<typeof evaluated>) => Effect.provide(evaluated(...given), layer),
      known: (authors: ReadonlyArray<string>, over: Partial<Envelope> = {}) =>
        Effect.map(SenderAuthentication, (senders) => senders.known(authors, { ...envelope, ...over })).pipe(
          Effect.provide(layer),
        ),
      lookup,
      questions: Ref.getAndSet(questions, []),
    }
  })

const mail = mailFrom("ada@acme.dev")
const spfOnly = (host: string): Answer =>
  host === "acme.dev" ? Effect.succeed(["v=spf1 ip4:192.0.2.1 -all"]) : notFound(host)

const both = ["TXT acme.dev", "TXT _dmarc.acme.dev"]

describe("a question about a sender", () => {
  it.scoped("is asked once in five minutes, also when there was nothing", () =>
    Effect.gen(function* () {
      const { evaluate, questions } = yield* asked(spfOnly)
      yield* evaluate(mail)
      expect([...(yield* questions)].sort()).toEqual([...both].sort())
      yield* TestClock.adjust("299 seconds")
      // Of another sender of the domain nothing was concluded yet.
      yield* evaluate(mail, { from: "bob@acme.dev" })
      expect(yield* questions).toEqual([])
      yield* TestClock.adjust("2 seconds")
      yield* evaluate(mail)
      expect(yield* questions).toHaveLength(2)
    }),
  )

  it.scoped("is not asked for a minute after an unsigned mail of the same sender was judged", () =>
    Effect.gen(function* () {
      const { evaluate, questions } = yield* asked(spfOnly)
      yield* evaluate(mail)
      yield* TestClock.adjust("299 seconds")
      yield* evaluate(mail)
      yield* questions
      yield* TestClock.adjust("59 seconds")
      yield* evaluate(mail)
      expect(yield* questions).toEqual([])
      yield* TestClock.adjust("2 seconds")
      yield* evaluate(mail)
      expect(yield* questions).toHaveLength(2)
    }),
  )

  it.scoped("is not even put while the conclusion about an unsigned mail is known, and says the same", () =>
    Effect.gen(function* () {
      const { evaluate, known } = yield* asked(spfOnly)
      const author = "ada@acme.dev"
      expect(yield* known([author])).toBe(null)
      const found = yield* evaluate(mail)
      expect(yield* known([author])).toEqual(found)
      expect(yield* known([author], { remoteAddress: "192.0.2.9" })).toBe(null)
      expect(yield* known([author, "bob@acme.dev"])).toBe(null)
      yield* TestClock.adjust("61 seconds")
      expect(yield* known([author])).toBe(null)
    }),
  )

  it.scoped("is asked again when the answer is too long to be kept", () =>
    Effect.gen(function* () {
      const { lookup, questions } = yield* asked(() => Effect.succeed(["x".repeat(60_000)]))
      yield* lookup.ask("TXT", "acme.dev")
      expect(yield* lookup.ask("TXT", "acme.dev")).toEqual(["x".repeat(60_000)])
      expect(yield* questions).toEqual(["TXT acme.dev", "TXT acme.dev"])
    }),
  )

  it.scoped("is asked again after 30 seconds when nobody answered", () =>
    Effect.gen(function* () {
      const { evaluate, questions } = yield* asked((host) => new DnsFailure({ host, reason: "unavailable" }))
      expect((yield* evaluate(mail)).spf).toBe("temperror")
      expect(yield* questions).toHaveLength(2)
      yield* TestClock.adjust("29 seconds")
      yield* evaluate(mail)
      expect(yield* questions).toEqual([])
      yield* TestClock.adjust("2 seconds")
      yield* evaluate(mail)
      expect(yield* questions).toHaveLength(2)
    }),
  )

  it.scoped("is one for all who ask it at once, and outlives who asked first", () =>
    Effect.gen(function* () {
      const { lookup, questions } = yield* asked((host) => Effect.delay(spfOnly(host), "1 second"))
      const ask = lookup.ask("TXT", "acme.dev")
      const first = yield* Effect.fork(ask)
      const others = yield* Effect.fork(Effect.all([ask, ask], { concurrency: "unbounded" }))
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.join(others)).toEqual([
        ["v=spf1 ip4:192.0.2.1 -all"],
        ["v=spf1 ip4:192.0.2.1 -all"],
      ])
      expect(yield* questions).toHaveLength(1)
    }),
  )

  it.scoped("is not asked about names that are nobody's (RFC 6761), or none", () =>
    Effect.gen(function* () {
      const { evaluate, questions } = yield* asked(spfOnly)
      for (const domain of [
        "acme.test",
        "a.invalid",
        "b.example",
        "c.localhost",
        `${"x".repeat(64)}.dev`,
        "a..dev",
      ])
        expect(
          yield* evaluate(mailFrom(`ada@${domain}`), { from: `ada@${domain}`, helo: domain }),
        ).toMatchObject({
          spf: "none",
          dmarc: "none",
        })
      expect(yield* questions).toEqual([])
    }),
  )
})

describe("a mail whose sender's name servers are silent", () => {
  const after = (millis: number, evaluating: Fiber.RuntimeFiber<unknown>) =>
    Effect.zipRight(
      TestClock.adjust(Duration.millis(millis)),
      Effect.sync(() => evaluating.unsafePoll()),
    )

  it.scoped("is temperror after two seconds, not later", () =>
    Effect.gen(function* () {
      const { evaluate } = yield* asked(() => silent)
      const evaluating = yield* Effect.fork(evaluate(yield* signedByOthers(mail)))
      expect(yield* after(1999, evaluating)).toBeNull()
      expect(yield* after(1, evaluating)).not.toBeNull()
      expect(yield* Fiber.join(evaluating)).toEqual({
        spf: "temperror",
        dkim: "temperror",
        dmarc: "temperror",
        verifiedDomain: null,
      })
    }),
  )

  it.scoped("has a question open for four seconds at most: then nobody answered it", () =>
    Effect.gen(function* () {
      const { lookup, questions } = yield* asked(() => silent)
      const asking = yield* Effect.fork(lookup.ask("TXT", "acme.dev"))
      yield* TestClock.adjust("4 seconds")
      expect(yield* Fiber.join(asking)).toBe("unavailable")
      expect(yield* lookup.ask("TXT", "acme.dev")).toBe("unavailable")
      expect(yield* questions).toHaveLength(1)
    }),
  )

  it.scoped("has no more than 256 questions open, with all the others", () =>
    Effect.gen(function* () {
      const { lookup, questions } = yield* asked(() => silent)
      const many = Array.from({ length: 300 }, (_, n) => lookup.ask("TXT", `d${n}.dev`))
      yield* Effect.fork(Effect.all(many, { concurrency: "unbounded" }))
      yield* Effect.repeatN(Effect.yieldNow(), 50)
      expect(yield* questions).toHaveLength(256)
    }),
  )
})
