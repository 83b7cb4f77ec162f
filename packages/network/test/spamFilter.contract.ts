/** Contract of the port `SpamFilter`. */
import { describe, expect, layer } from "@effect/vitest"
import { type Envelope, SpamFilter } from "@mailroom/engine"
import { GTUBE } from "@mailroom/network"
import { Effect, Exit, type Layer } from "effect"

const envelope: Envelope = {
  from: "ada@sender.example",
  to: ["agent@mailroom.example"],
  remoteAddress: "192.0.2.1",
  helo: "mail.sender.example",
  tls: true,
  receivedAt: Date.UTC(2026, 2, 10, 12),
}

export const mailSaying = (text: string): Uint8Array =>
  Buffer.from(
    [
      "From: ada@sender.example",
      "To: agent@mailroom.example",
      "Subject: Hello",
      "Date: Tue, 10 Mar 2026 12:00:00 +0000",
      "Message-ID: <1@sender.example>",
      "",
      text,
      "",
    ].join("\r\n"),
  )

export const judged = (text: string, over: Partial<Envelope> = {}) =>
  Effect.flatMap(SpamFilter, ({ judge }) =>
    judge === null
      ? Effect.dieMessage("there is no filter")
      : judge(mailSaying(text), { ...envelope, ...over }),
  )

export const spamFilterContract = <E>(name: string, filter: Layer.Layer<SpamFilter, E>) =>
  describe(`${name} as SpamFilter`, () => {
    layer(filter)((it) => {
      it.effect("proposes to reject what every filter takes for spam, and names the rule", () =>
        Effect.gen(function* () {
          expect(yield* judged(GTUBE)).toEqual({ score: 15, action: "reject", symbols: ["GTUBE"] })
        }),
      )

      it.effect("proposes nothing for an ordinary mail", () =>
        Effect.gen(function* () {
          expect(yield* judged("At noon?")).toEqual({ score: 0, action: "no action", symbols: [] })
        }),
      )

      it.effect(
        "takes any envelope: none of the sender, many recipients, other scripts, control characters",
        () =>
          Effect.gen(function* () {
            const to = Array.from({ length: 100 }, (_, index) => `agent${index}@mailroom.example`)
            const envelopes: ReadonlyArray<Partial<Envelope>> = [
              { from: "" },
              { to },
              { from: "грета@пример.example", helo: "пример" },
              { helo: "x\r\nSettings-ID: none", from: "a\0b@x.example" },
              { remoteAddress: "", helo: "mailroom.example" },
              { remoteAddress: "2001:db8::1" },
            ]
            const judgements = yield* Effect.forEach(envelopes, (over) => Effect.exit(judged("Hello", over)))
            expect(judgements.map(Exit.isSuccess)).toEqual(envelopes.map(() => true))
          }),
      )
    })
  })
