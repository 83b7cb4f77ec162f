/** Transient failures are retried within the deadline; a mail that may have been sent is not sent again. */
import { MINUTE } from "@mailroom/domain"
import { SmtpRelay } from "@mailroom/mail"
import { OutboundMail } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, Layer, TestClock } from "effect"
import { CLOSE, DEAF, type Script, scriptedRelay, SILENCE } from "./support/scriptedRelay.js"

const mail = Buffer.from("Subject: x\r\n\r\nhello\r\n")

const send = (raw: Uint8Array = mail, within: number = MINUTE) =>
  Effect.flatMap(OutboundMail, (relay) =>
    relay.send({ from: "agent@mailroom.test", to: ["ada@example.org"], envelopeId: null }, raw, within),
  )

const relayTo = (port: number, settings: Partial<SmtpRelay.SmtpRelayOptions> = {}) =>
  SmtpRelay.layer({ url: `smtp://127.0.0.1:${port}`, firstPause: "1 millis", ...settings })

/** Sends one mail to a relay that follows the script. */
const sendTo = Effect.fnUntraced(function* (
  script: Script,
  settings: Partial<SmtpRelay.SmtpRelayOptions> = {},
  raw?: Uint8Array,
  within?: number,
) {
  const relay = yield* scriptedRelay(script)
  const outcome = yield* Effect.either(Effect.provide(send(raw, within), relayTo(relay.port, settings)))
  return { ...relay, outcome }
})

const failure = <E>(outcome: Either.Either<unknown, E>): E => Either.getOrThrow(Either.flip(outcome))

/** The first connections give this reply to commands that begin with this. */
const atFirst =
  (times: number, begins: string, answer: string): Script =>
  (said, connection) =>
    connection <= times && (begins === "" ? said === "" : said.startsWith(begins)) ? answer : undefined

describe("a transient failure is retried on a new connection", () => {
  for (const [stage, begins, answer] of [
    ["the greeting", "", "421 4.3.2 too busy"],
    ["the connection", "", CLOSE],
    ["EHLO", "EHLO", "421 4.3.2 too busy"],
    ["an EHLO that ends the connection", "EHLO", CLOSE],
    ["MAIL FROM", "MAIL", "451 4.3.0 later"],
    ["a MAIL FROM that ends the connection", "MAIL", CLOSE],
    ["RCPT TO", "RCPT", "450 4.2.1 greylisted"],
    ["DATA", "DATA", "451 4.3.0 later"],
    ["a DATA that ends the connection", "DATA", CLOSE],
    ["the end of the mail", ".", "452 4.3.1 full"],
  ] as const)
    it.scopedLive(stage, () =>
      Effect.gen(function* () {
        const { connections, messages, outcome } = yield* sendTo(atFirst(2, begins, answer))
        expect(outcome).toMatchObject({ _tag: "Right", right: { answer: "250 2.0.0 ok" } })
        expect(connections()).toBe(3)
        expect(messages.at(-1)).toBe(mail.toString())
      }),
    )

  it.scopedLive("until the deadline: then it is unavailable, with the last reply of the relay", () =>
    Effect.gen(function* () {
      const { connections, outcome } = yield* sendTo(
        (said, connection) =>
          said.startsWith("MAIL") ? `451 4.3.0 no ${Math.min(connection, 2)}` : undefined,
        { deadline: "60 millis" },
      )
      expect(failure(outcome)).toMatchObject({ _tag: "RelayUnavailable", reason: "451 4.3.0 no 2" })
      expect(connections()).toBeGreaterThan(2)
    }),
  )

  it.scopedLive("not when the pause would end after the deadline", () =>
    Effect.gen(function* () {
      const settings = { firstPause: "1 hour", deadline: "30 seconds" } as const
      const { connections } = yield* sendTo(atFirst(1, "MAIL", "451 later"), settings)
      expect(connections()).toBe(1)
    }),
  )

  it.scopedLive("until the deadline, also in an uninterruptible region", () =>
    Effect.gen(function* () {
      const silent = yield* scriptedRelay((said) => (said === "" ? SILENCE : undefined))
      const settings = { deadline: "60 millis", greetingTimeout: "1 hour", socketTimeout: "1 hour" } as const
      const sending = Effect.uninterruptible(Effect.either(send()))
      const outcome = yield* Effect.provide(sending, relayTo(silent.port, settings))
      expect(failure(outcome)).toMatchObject({ _tag: "RelayUnavailable" })
    }),
  )

  it.scopedLive("until the deadline: after silence, the reason is the last reply before it", () =>
    Effect.gen(function* () {
      const { outcome } = yield* sendTo(
        (said, connection) => (said === "" ? (connection === 1 ? "421 4.3.2 busy" : SILENCE) : undefined),
        { deadline: "100 millis" },
      )
      expect(failure(outcome)).toMatchObject({ _tag: "RelayUnavailable", reason: "421 4.3.2 busy" })
    }),
  )
})

describe("a permanent failure is not retried", () => {
  for (const [begins, answer] of [
    ["MAIL", "550 5.7.1 not you"],
    ["MAIL", "530 5.7.0 login first"],
    ["RCPT", "550 5.1.1 no such user"],
    ["DATA", "554 5.6.0 no"],
    [".", "554 5.6.0 not this"],
    ["", "554 5.7.1 go away"],
  ] as const)
    it.scopedLive(`${answer} to ${begins || "the connection"}`, () =>
      Effect.gen(function* () {
        const { connections, outcome } = yield* sendTo(atFirst(1, begins, answer))
        expect(outcome._tag).toBe("Left")
        expect(connections()).toBe(1)
      }),
    )
})

describe("a mail that waits for a connection", () => {
  it.scopedLive("is sent although the connection of another mail fails permanently", () =>
    Effect.gen(function* () {
      const connected = yield* Deferred.make<void>()
      const { port } = yield* scriptedRelay((said, connection) => {
        if (connection > 1 || said !== "") return undefined
        Deferred.unsafeDone(connected, Effect.void)
        return "554 5.7.1 go away"
      })
      const both = Effect.gen(function* () {
        const first = yield* Effect.fork(Effect.either(send()))
        yield* Deferred.await(connected)
        return [yield* Effect.either(send()), yield* Fiber.join(first)]
      })
      const [second, first] = yield* Effect.provide(both, relayTo(port, { deadline: "5 seconds" }))
      expect([first?._tag, second?._tag]).toEqual(["Left", "Right"])
    }),
  )
})

describe("after the end of the data was sent", () => {
  for (const [what, answer] of [
    ["the connection ends instead", CLOSE],
    ["nothing comes", SILENCE],
    ["half an answer comes", "250-2.0.0 ok"],
    ["something comes that is none", "354 go on"],
  ] as const)
    it.scopedLive(`and ${what}: uncertain, and never tried again`, () =>
      Effect.gen(function* () {
        const script: Script = (said) => (said === "." ? answer : undefined)
        const { connections, messages, outcome } = yield* sendTo(script, {}, mail, 100)
        expect(failure(outcome)).toMatchObject({ _tag: "RelayUncertain" })
        expect([connections(), messages.length]).toEqual([1, 1])
      }),
    )

  it.scoped("the relay may take minutes for its reply", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const { port, say } = yield* scriptedRelay((said) => {
        if (said !== ".") return undefined
        Deferred.unsafeDone(ended, Effect.void)
        return SILENCE
      })
      yield* Effect.gen(function* () {
        const sending = yield* Effect.fork(send(mail, 9 * MINUTE))
        yield* Deferred.await(ended)
        yield* TestClock.adjust("8 minutes")
        yield* say("250 2.0.0 ok")
        expect(yield* Fiber.join(sending)).toEqual({ answer: "250 2.0.0 ok" })
      }).pipe(Effect.provide(relayTo(port)))
    }),
  )

  it.scopedLive("the silence that is allowed between commands does not end it", () =>
    Effect.gen(function* () {
      const script: Script = (said) => (said === "." ? SILENCE : undefined)
      const { outcome } = yield* sendTo(script, { socketTimeout: "20 millis" }, mail, 200)
      expect(failure(outcome)).toMatchObject({
        _tag: "RelayUncertain",
        reason: expect.stringContaining("it took too long"),
      })
    }),
  )

  it.scopedLive("and refused for now, a later failure of a connection is not uncertain", () =>
    Effect.gen(function* () {
      const script: Script = (said, connection) => {
        if (connection === 1) return said === "." ? "452 4.3.1 full" : undefined
        return said === "MAIL" || said === "" ? CLOSE : undefined
      }
      const { outcome } = yield* sendTo(script, { deadline: "40 millis" })
      expect(failure(outcome)).toMatchObject({ _tag: "RelayUnavailable" })
    }),
  )

  it.scopedLive("but not before: a relay that reads nothing for too long is given up", () =>
    Effect.gen(function* () {
      const large = Buffer.alloc(16 * 1024 * 1024, "0123456789abcdef\r\n")
      const script: Script = (said) => (said === "DATA" ? DEAF : undefined)
      const settings = { deadline: "50 millis", dataTimeout: "100 millis" } as const
      const { messages, outcome } = yield* sendTo(script, settings, large)
      expect(failure(outcome)).toMatchObject({
        _tag: "RelayUnavailable",
        reason: "no connection to the relay (ETIMEDOUT)",
      })
      expect(messages).toEqual([])
    }),
  )

  it.scopedLive("but not before: a relay that stops reading in the middle cannot deliver the mail", () =>
    Effect.gen(function* () {
      const large = Buffer.alloc(16 * 1024 * 1024, "0123456789abcdef\r\n")
      const script: Script = (said) => (said === "DATA" ? DEAF : undefined)
      const { messages, outcome } = yield* sendTo(script, {}, large, 250)
      expect(failure(outcome)).toMatchObject({ _tag: "RelayUnavailable" })
      expect(failure(outcome)).toMatchObject({ _tag: "RelayUnavailable" })
      expect(messages).toEqual([])
    }),
  )
})

describe("connections", () => {
  it.scopedLive("are reused for the next mail", () =>
    Effect.gen(function* () {
      const relay = yield* scriptedRelay()
      yield* Effect.provide(Effect.replicateEffect(send(), 5), relayTo(relay.port))
      expect([relay.connections(), relay.messages.length]).toEqual([1, 5])
    }),
  )

  it.scopedLive("are not reused after a refused mail", () =>
    Effect.gen(function* () {
      const relay = yield* scriptedRelay(atFirst(1, "RCPT", "550 5.1.1 no such user"))
      yield* Effect.provide(Effect.zipRight(Effect.flip(send()), send()), relayTo(relay.port))
      expect([relay.connections(), relay.messages.length]).toEqual([2, 1])
    }),
  )

  it.scopedLive("that the relay closed while idle do not harm the next mail", () =>
    Effect.gen(function* () {
      const relay = yield* scriptedRelay()
      yield* Effect.gen(function* () {
        yield* Effect.all(
          Array.from({ length: 20 }, () => send()),
          { concurrency: "unbounded" },
        )
        expect(relay.connections()).toBe(5)
        yield* relay.hangUp
        yield* Effect.all(
          Array.from({ length: 5 }, () => send()),
          { concurrency: "unbounded" },
        )
      }).pipe(Effect.provide(relayTo(relay.port)))
      expect(relay.messages).toHaveLength(25)
    }),
  )
})

it.scopedLive("a relay out of reach is unavailable in the end, and it says how it was not reached", () =>
  Effect.gen(function* () {
    const gone = yield* Effect.scoped(scriptedRelay())
    const error = yield* Effect.flip(
      Effect.provide(send(), Layer.fresh(relayTo(gone.port, { deadline: "30 millis" }))),
    )
    expect(error).toMatchObject({
      _tag: "RelayUnavailable",
      reason: "no connection to the relay (ECONNREFUSED)",
    })
  }),
)
