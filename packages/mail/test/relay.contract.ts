/** The contract of each `OutboundMail` that can refuse mail. */
import { MINUTE, RelayRefused, RelayUnavailable } from "@mailroom/domain"
import { OutboundMail } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"

export interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly raw: string
}

/** The relay behind the port, for the test to control. */
export class FarSide extends Context.Tag("test/FarSide")<
  FarSide,
  {
    readonly received: Effect.Effect<ReadonlyArray<Received>>
    readonly answer: (address: string, reply: string | null) => Effect.Effect<void>
    readonly unreachable: Effect.Effect<void>
    /** The relay takes a mail, and the connection ends before its reply. */
    readonly losesAnswers: Effect.Effect<void>
  }
>() {}

const message = Buffer.from("Subject: x\r\n\r\n.dot\r\n..\r\nGr\xfc\xdfe\r\n", "latin1")
const send = (...to: ReadonlyArray<string>) =>
  Effect.flatMap(OutboundMail, (relay) =>
    relay.send({ from: "agent@mailroom.test", to, envelopeId: null }, message, MINUTE),
  )

export const outboundMailContract = (
  name: string,
  relay: Layer.Layer<OutboundMail | FarSide, unknown>,
): void => {
  const test = <E>(rule: string, body: Effect.Effect<void, E, OutboundMail | FarSide>) =>
    it.live(rule, () => Effect.provide(body, relay))

  describe(`${name} as OutboundMail`, () => {
    test(
      "sends exactly these bytes to exactly this envelope",
      Effect.gen(function* () {
        const { answer } = yield* send("ada@example.org", "bob@example.org")
        expect(answer).toMatch(/^250/)
        expect(yield* (yield* FarSide).received).toMatchObject([
          {
            from: "agent@mailroom.test",
            to: ["ada@example.org", "bob@example.org"],
            raw: message.toString("latin1"),
          },
        ])
      }),
    )

    test(
      "sends with the null reverse-path",
      Effect.gen(function* () {
        const relay = yield* OutboundMail
        yield* relay.send({ from: "", to: ["ada@example.org"], envelopeId: null }, message, MINUTE)
        expect((yield* (yield* FarSide).received).map(({ from }) => from)).toEqual([""])
      }),
    )

    test(
      "sends many at once, each once",
      Effect.gen(function* () {
        const addresses = Array.from({ length: 40 }, (_, n) => `user${n}@example.org`)
        yield* Effect.forEach(addresses, (address) => send(address), { concurrency: "unbounded" })
        const received = yield* (yield* FarSide).received
        expect(received.flatMap(({ to }) => to).toSorted()).toEqual(addresses.toSorted())
      }),
    )

    test(
      "one recipient refused permanently: no one gets the mail, and the error has the recipient and the reply",
      Effect.gen(function* () {
        const far = yield* FarSide
        yield* far.answer("bob@example.org", "550 5.1.1 no such user")
        const error = yield* Effect.flip(send("ada@example.org", "bob@example.org"))
        expect(error).toEqual(
          new RelayRefused({ answer: "550 5.1.1 no such user", recipients: ["bob@example.org"] }),
        )
        expect(yield* far.received).toEqual([])
      }),
    )

    test(
      "one recipient refused for now: no one gets the mail",
      Effect.gen(function* () {
        const far = yield* FarSide
        yield* far.answer("bob@example.org", "450 4.2.1 greylisted")
        const error = yield* Effect.flip(send("ada@example.org", "bob@example.org"))
        expect(error).toEqual(new RelayUnavailable({ reason: "450 4.2.1 greylisted", recipientOnly: true }))
        expect(yield* far.received).toEqual([])
      }),
    )

    test(
      "refused permanently and for now: permanent wins, and the error names only those recipients",
      Effect.gen(function* () {
        const far = yield* FarSide
        yield* far.answer("now@example.org", "450 4.2.1 greylisted")
        yield* far.answer("never@example.org", "550 5.1.1 no such user")
        const error = yield* Effect.flip(send("now@example.org", "never@example.org"))
        expect(error).toMatchObject({ _tag: "RelayRefused", recipients: ["never@example.org"] })
      }),
    )

    test(
      "works again after a refusal",
      Effect.gen(function* () {
        const far = yield* FarSide
        yield* far.answer("ada@example.org", "550 5.1.1 no such user")
        yield* Effect.flip(send("ada@example.org"))
        yield* far.answer("ada@example.org", null)
        yield* send("ada@example.org")
        expect(yield* far.received).toHaveLength(1)
      }),
    )

    test(
      "an unreachable relay is unavailable",
      Effect.gen(function* () {
        yield* send("ada@example.org")
        yield* (yield* FarSide).unreachable
        const error = yield* Effect.flip(send("ada@example.org"))
        expect(error).toMatchObject({ _tag: "RelayUnavailable" })
        expect(error).toMatchObject({ _tag: "RelayUnavailable" })
      }),
    )

    test(
      "a lost reply is uncertain, and the mail is not sent again",
      Effect.gen(function* () {
        const far = yield* FarSide
        yield* far.losesAnswers
        const error = yield* Effect.flip(send("ada@example.org"))
        expect(error).toMatchObject({ _tag: "RelayUncertain" })
        expect(yield* far.received).toHaveLength(1)
      }),
    )
  })
}
