import { MINUTE } from "@mailroom/domain"
import { FarSide, outboundMailContract } from "./relay.contract.js"
import { portOf, type Sink, sink } from "./support/sink.js"
import { SmtpRelay } from "@mailroom/mail"
import { OutboundMail } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createServer, type Server } from "node:net"
import type { SMTPServerOptions } from "smtp-server"

class TestSink extends Context.Tag("test/Sink")<TestSink, Sink>() {}

/** A pause longer than any deadline, so that nothing is retried. */
const NEVER = "1 hour"

const relayTo = (options: SMTPServerOptions = {}, settings: Partial<SmtpRelay.SmtpRelayOptions> = {}) =>
  Layer.unwrapEffect(
    Effect.map(TestSink, ({ port }) =>
      SmtpRelay.layer({ url: `smtp://127.0.0.1:${port}`, firstPause: NEVER, ...settings }),
    ),
  ).pipe(Layer.provideMerge(Layer.scoped(TestSink, sink(options))))

const farSide = Layer.effect(
  FarSide,
  Effect.map(TestSink, ({ answers, received, stop }) => ({
    received: Effect.sync(() => [...received]),
    answer: (address, reply) =>
      Effect.sync(() => (reply === null ? void answers.delete(address) : void answers.set(address, reply))),
    losesAnswers: Effect.sync(() => void answers.set("DATA", "LOST")),
    unreachable: stop,
  })),
)

outboundMailContract("SmtpRelay", Layer.provideMerge(farSide, relayTo()))
outboundMailContract(
  "SmtpRelay without PIPELINING",
  Layer.provideMerge(farSide, relayTo({ hidePIPELINING: true })),
)

const mail = Buffer.from("Subject: x\r\n\r\nhello\r\n")
const send = Effect.flatMap(OutboundMail, (relay) =>
  relay.send({ from: "agent@mailroom.test", to: ["ada@example.org"], envelopeId: null }, mail, MINUTE),
)

describe("SmtpRelay", () => {
  for (const [stage, reply, tag] of [
    ["MAIL", "550 5.7.1 not you", "RelayRefused"],
    ["MAIL", "451 4.3.0 later", "RelayUnavailable"],
    ["MAIL", "530 5.7.0 login first", "RelayUnavailable"],
    ["DATA", "554 5.6.0 not this", "RelayRefused"],
    ["DATA", "452 4.3.1 full", "RelayUnavailable"],
  ] as const)
    it.live(`${reply} at ${stage} is ${tag}`, () =>
      Effect.gen(function* () {
        const { answers } = yield* TestSink
        answers.set(stage, reply)
        const error = yield* Effect.flip(send)
        expect(error._tag).toBe(tag)
        expect(JSON.stringify(error)).toContain(reply.slice(4))
        const command = stage === "MAIL" ? "MAIL FROM" : stage
        if (error._tag === "RelayRefused") expect(error.command).toBe(command)
      }).pipe(Effect.provide(relayTo())),
    )

  it.live("a mail above the relay's SIZE is refused", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(send)).toMatchObject({
        _tag: "RelayRefused",
        recipients: ["ada@example.org"],
      })
    }).pipe(Effect.provide(relayTo({ size: 10 }))),
  )

  it.live("a recipient with a line break is refused and never written", () =>
    Effect.gen(function* () {
      const relay = yield* OutboundMail
      const to = ["ada@example.org>\r\nRCPT TO:<evil@example.org"]
      expect(yield* Effect.flip(relay.send({ from: "", to, envelopeId: null }, mail, MINUTE))).toMatchObject({
        _tag: "RelayRefused",
      })
      expect((yield* TestSink).received).toEqual([])
    }).pipe(Effect.provide(relayTo())),
  )

  it.live("a relay that never answers is unavailable after the deadline", () =>
    Effect.gen(function* () {
      const port = yield* Effect.acquireRelease(
        Effect.async<Server>((resume) => {
          const silent = createServer((socket) => socket.on("error", () => {}))
          silent.listen(0, "127.0.0.1", () => resume(Effect.succeed(silent)))
        }),
        (silent) => Effect.sync(() => silent.close()),
      ).pipe(Effect.map(portOf))
      const error = yield* Effect.flip(send).pipe(
        Effect.provide(
          SmtpRelay.layer({
            url: `smtp://127.0.0.1:${port}`,
            deadline: "200 millis",
          }),
        ),
      )
      expect(error).toMatchObject({ _tag: "RelayUnavailable", reason: "no answer from the relay in time" })
    }).pipe(Effect.scoped),
  )

  it.live("a refused login is unavailable, and its reason does not contain the password", () =>
    Effect.gen(function* () {
      const { port } = yield* TestSink
      const error = yield* Effect.flip(
        send.pipe(Effect.provide(SmtpRelay.layer({ url: `smtp://user:hunter2@127.0.0.1:${port}` }))),
      )
      expect(error).toMatchObject({ _tag: "RelayUnavailable", reason: "the relay refuses our login (EAUTH)" })
      expect(JSON.stringify(error)).not.toContain("hunter2")
    }).pipe(
      Effect.provide(
        Layer.scoped(
          TestSink,
          sink({
            allowInsecureAuth: true,
            onAuth: ({ password }, _, callback) => callback(new Error(`${password} is wrong`)),
          }),
        ),
      ),
    ),
  )

  for (const url of ["", "http://x", "smtp:", "smtp://us%er:secret@host", "relay.example"])
    it.effect(
      `${JSON.stringify(url)} is no relay URL, and the error says what is accepted and does not quote it`,
      () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Layer.build(SmtpRelay.layer({ url })).pipe(Effect.scoped))
          expect(error._tag).toBe("RelayUrlInvalid")
          expect(error.message).toMatch(
            /^This is not a relay's address: .*(?:smtp:\/\/user:password@host:port|percent-encoded)/,
          )
          expect(error.message).not.toContain("secret")
        }),
    )
})
