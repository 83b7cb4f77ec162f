import { FakeSpool } from "./support/spool.js"
import { client, receiver } from "./support/receiver.js"
import { describe, expect, it } from "@effect/vitest"
import { logLinesOf } from "@mailroom/test-services"
import { Effect, Metric } from "effect"

describe("recipients", () => {
  for (const [recipient, reply] of [
    ["agent@mailroom.test", /^250 2\.1\.5 /],
    ["AGENT@MAILROOM.TEST", /^250 2\.1\.5 /],
    ["nobody@mailroom.test", /^550 5\.1\.1 /],
    ["suspended@mailroom.test", /^550 5\.2\.1 /],
    ["new@mailroom.test", /^450 4\.2\.1 /],
  ] as const)
    it.scoped(`RCPT TO:<${recipient}>`, () =>
      Effect.gen(function* () {
        const dialogue = yield* client
        yield* dialogue.say("MAIL FROM:<a@b.example>")
        expect(yield* dialogue.say(`RCPT TO:<${recipient}>`)).toMatch(reply)
      }).pipe(Effect.provide(receiver())),
    )

  it.scoped("a refusal is logged in one line with its reply, and counted by its codes", () =>
    Effect.gen(function* () {
      const refused = Metric.value(
        Metric.counter("mailroom_mails_refused_total", {
          description: "recipients and mails refused over SMTP, by reply",
          incremental: true,
        }).pipe(Metric.tagged("reply", "450 4.2.1")),
      )
      const before = yield* refused
      const lines = yield* logLinesOf(
        Effect.gen(function* () {
          const dialogue = yield* client
          yield* dialogue.say("MAIL FROM:<a@b.example>")
          yield* dialogue.say("RCPT TO:<agent@mailroom.test>")
          yield* dialogue.say("RCPT TO:<new@mailroom.test>")
        }).pipe(Effect.provide(receiver())),
      )
      expect(lines).toMatchObject([
        {
          level: "INFO",
          said: [
            "mail refused",
            {
              reply: "450 4.2.1 This mailbox is still being set up, try again later",
              from: "a@b.example",
              to: ["new@mailroom.test"],
              client: "127.0.0.1",
            },
          ],
        },
      ])
      expect((yield* refused).count).toBe(before.count + 1)
    }),
  )

  it.scoped("at most 100 per mail; the mail goes to these", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* dialogue.say("MAIL FROM:<a@b.example>")
      for (let n = 1; n <= 100; n++)
        expect(yield* dialogue.say(`RCPT TO:<agent${n}@mailroom.test>`)).toMatch(/^250/)
      expect(yield* dialogue.say("RCPT TO:<other@mailroom.test>")).toMatch(/^452 4\.5\.3 /)
      yield* dialogue.say("DATA")
      yield* dialogue.write("Subject: x\r\n\r\n.\r\n")
      expect(yield* dialogue.reply).toMatch(/^250/)
      const [mail] = yield* (yield* FakeSpool).accepted
      expect(mail?.envelope.to).toHaveLength(100)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("DATA is refused without an accepted recipient", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* dialogue.say("MAIL FROM:<a@b.example>")
      yield* dialogue.say("RCPT TO:<nobody@mailroom.test>")
      expect(yield* dialogue.say("DATA")).toMatch(/^503/)
    }).pipe(Effect.provide(receiver())),
  )
})

describe("nothing is relayed", () => {
  const forms: ReadonlyArray<readonly [from: string, to: string]> = [
    ["<spam@else.example>", "<victim@else.example>"],
    ["<>", "<victim@else.example>"],
    ["<agent@mailroom.test>", "<victim@else.example>"],
    ["<spam@mailroom.test>", "<victim@else.example>"],
    ["<spam@[127.0.0.1]>", "<victim@else.example>"],
    ["<spam@localhost>", "<victim@else.example>"],
    ["<spam@else.example>", "<victim%else.example@mailroom.test>"],
    ["<spam@else.example>", "<victim%else.example@[127.0.0.1]>"],
    ["<spam@else.example>", '<"victim@else.example">'],
    ["<spam@else.example>", '<"victim%else.example">'],
    ["<spam@else.example>", '<"victim@else.example"@mailroom.test>'],
    ["<spam@else.example>", "<victim@else.example@mailroom.test>"],
    ["<spam@else.example>", "<@mailroom.test:victim@else.example>"],
    ["<spam@else.example>", "<@mailroom.test,@other.example:victim@else.example>"],
    ["<spam@else.example>", "<else.example!victim>"],
    ["<spam@else.example>", "<else.example!victim@mailroom.test>"],
    ["<spam@else.example>", "<mailroom.test!victim@else.example>"],
    ["<spam@else.example>", "victim@else.example"],
    ["<spam@else.example>", "<victim>"],
    ["<spam@else.example>", "<agent@mailroom.test.else.example>"],
    ["<spam@else.example>", "<agent@mailroom.test> <victim@else.example>"],
  ]

  for (const [from, to] of forms)
    it.scoped(`MAIL FROM:${from} RCPT TO:${to}`, () =>
      Effect.gen(function* () {
        const fake = yield* FakeSpool
        const dialogue = yield* client
        yield* dialogue.say(`MAIL FROM:${from}`)
        const reply = yield* dialogue.say(`RCPT TO:${to}`)
        if (reply.startsWith("250")) {
          // If accepted, then only for our own mailbox.
          yield* dialogue.say("DATA")
          yield* dialogue.write("Subject: x\r\n\r\n.\r\n")
          yield* dialogue.reply
        } else expect(reply).toMatch(/^5\d\d /)
        const recipients = (yield* fake.accepted).flatMap(({ envelope }) => envelope.to)
        expect(recipients.filter((recipient) => recipient !== "agent@mailroom.test")).toEqual([])
      }).pipe(Effect.provide(receiver())),
    )
})
