/** The DNS lookups of sender authentication, and how long it waits for them. */
import { Dns, type DnsAnswer, type Envelope, SenderAuthentication } from "@mailroom/engine"
import { SenderAuthenticationInline } from "@mailroom/mail"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Ref, Runtime, TestClock } from "effect"
import { makeMailLookups } from "../src/authenticating/resolver.js"
import { envelope, evaluated, mailFrom, signedByOthers } from "./support/senders.js"

type Texts = (name: string) => Effect.Effect<DnsAnswer>

const none: DnsAnswer = []

/** DNS that caches every answer and records each lookup with its client. `texts` are the TXT records. */
const asked = (texts: Texts) =>
  Effect.gen(function* () {
    const questions = yield* Ref.make<ReadonlyArray<string>>([])
    const askers = new Set<string>()
    const answers = new Map<string, DnsAnswer>()
    const dns = Dns.of({
      addresses: () => Effect.dieMessage("addresses to connect to were asked for"),
      mx: () => Effect.dieMessage("the cache was passed by"),
      txt: () => Effect.dieMessage("the cache was passed by"),
      known: ({ type, name }) => answers.get(`${type} ${name}`),
      ask: ({ type, name }, asker) =>
        Effect.gen(function* () {
          askers.add(asker)
          yield* Ref.update(questions, (all) => [...all, `${type} ${name}`])
          const answer = type === "TXT" ? yield* texts(name) : none
          answers.set(`${type} ${name}`, answer)
          return answer
        }),
    })
    const layer = yield* Layer.build(Layer.provide(SenderAuthenticationInline.layer, Layer.succeed(Dns, dns)))
    return {
      evaluate: (...given: Parameters<typeof evaluated>) => Effect.provide(evaluated(...given), layer),
      known: (authors: ReadonlyArray<string>, over: Partial<Envelope> = {}) =>
        Effect.map(SenderAuthentication, (senders) =>
          senders.known({ raw: mail, authors, isSigned: false }, { ...envelope, ...over }),
        ).pipe(Effect.provide(layer)),
      dns,
      askers,
      forget: Effect.sync(() => answers.clear()),
      questions: Ref.getAndSet(questions, []),
    }
  })

const mail = mailFrom("ada@acme.dev")
const spfOnly: Texts = (name) => Effect.succeed(name === "acme.dev" ? ["v=spf1 ip4:192.0.2.1 -all"] : none)

const both = ["TXT acme.dev", "TXT _dmarc.acme.dev"]

describe("a lookup for a sender", () => {
  it.scoped("counts for the address that delivered the mail", () =>
    Effect.gen(function* () {
      const { evaluate, questions, askers } = yield* asked(spfOnly)
      yield* evaluate(mail)
      expect([...(yield* questions)].sort()).toEqual([...both].sort())
      expect([...askers]).toEqual([envelope.remoteAddress])
    }),
  )

  it.scoped("counts for the /64 of an IPv6 address, so that no client has many shares", () =>
    Effect.gen(function* () {
      const { evaluate, askers } = yield* asked(spfOnly)
      yield* evaluate(mail, { remoteAddress: "2001:db8::1" })
      yield* evaluate(mail, { remoteAddress: "2001:db8::ffff:2", from: "bob@other.dev" })
      expect([...askers]).toEqual(["2001:db8:0:0::/64"])
    }),
  )

  it.scoped("is not made when its answer is cached", () =>
    Effect.gen(function* () {
      const { evaluate, questions } = yield* asked(spfOnly)
      yield* evaluate(mail)
      yield* questions
      // No verdict on another sender of the domain is cached.
      yield* evaluate(mail, { from: "bob@acme.dev" })
      expect(yield* questions).toEqual([])
    }),
  )

  it.scoped("is not made for a minute after the verdict on an unsigned mail of the same sender", () =>
    Effect.gen(function* () {
      const { evaluate, questions, forget } = yield* asked(spfOnly)
      yield* evaluate(mail)
      yield* forget
      yield* questions
      yield* TestClock.adjust("59 seconds")
      yield* evaluate(mail)
      expect(yield* questions).toEqual([])
      yield* TestClock.adjust("2 seconds")
      yield* evaluate(mail)
      expect(yield* questions).toHaveLength(2)
    }),
  )

  it.scoped("is not made while `known` has the verdict on an unsigned mail, which is the same", () =>
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

  it.scoped("is not made for special-use names (RFC 6761) and for invalid ones", () =>
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

describe("the lookups for one mail", () => {
  const lookupsOver = (texts: Texts) =>
    Effect.gen(function* () {
      const { dns, questions } = yield* asked(texts)
      const run = Runtime.runPromise(yield* Effect.runtime())
      return { mail: makeMailLookups(dns, run, "192.0.2.1"), questions }
    })

  it.scoped("are 50 at most; further ones are unavailable", () =>
    Effect.gen(function* () {
      const { mail, questions } = yield* lookupsOver(spfOnly)
      const names = Array.from({ length: 51 }, (_, n) => `d${n}.dev`)
      const found = yield* Effect.promise(() => Promise.all(names.map((name) => mail.lookup("TXT", name))))
      expect(found.filter((answer) => answer === "unavailable")).toHaveLength(1)
      expect(yield* questions).toHaveLength(50)
      // A cached answer costs nothing.
      expect(yield* Effect.promise(() => mail.lookup("TXT", "d0.dev"))).toEqual([])
    }),
  )

  it.scoped("are unavailable once they are cancelled, open ones too", () =>
    Effect.gen(function* () {
      const { mail } = yield* lookupsOver(() => Effect.never)
      const open = mail.lookup("TXT", "acme.dev")
      mail.cancel()
      expect(yield* Effect.promise(() => open)).toBe("unavailable")
      expect(yield* Effect.promise(() => mail.lookup("TXT", "other.dev"))).toBe("unavailable")
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
      const { evaluate } = yield* asked(() => Effect.never)
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
})
