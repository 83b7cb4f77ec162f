import { MINUTE } from "@mailroom/domain"
import { CaptureRelay } from "@mailroom/mail"
import { type CapturedMail, DevelopmentOutbox, Entropy, OutboundMail } from "@mailroom/engine"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"

it.effect("keeps the mail in the development outbox, under an id that only time and entropy decide", () =>
  Effect.gen(function* () {
    const kept: Array<CapturedMail> = []
    const outbox = Layer.succeed(DevelopmentOutbox, {
      add: (mail) => Effect.sync(() => void kept.push(mail)),
      list: () => Effect.succeed(kept),
    })
    const entropy = Layer.succeed(Entropy, { bytes: (n) => Effect.succeed(new Uint8Array(n).fill(0xff)) })
    yield* TestClock.setTime(1_795_000_000_000)
    const raw = Buffer.from("Subject: x\r\n\r\n")
    yield* Effect.flatMap(OutboundMail, (relay) =>
      relay.send({ from: "agent@mailroom.test", to: ["ada@example.org"], envelopeId: null }, raw, MINUTE),
    ).pipe(Effect.provide(CaptureRelay.layer.pipe(Layer.provide([outbox, entropy]))))
    expect(kept).toEqual([
      {
        id: "01a1ee56-5e00-7fff-bfff-ffffffffffff",
        from: "agent@mailroom.test",
        to: ["ada@example.org"],
        raw,
        at: 1_795_000_000_000,
      },
    ])
  }),
)
