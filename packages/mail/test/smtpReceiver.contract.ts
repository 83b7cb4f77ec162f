/** The contract of our SMTP receiver and the reference: sessions, pipelining, addresses, line ends, STARTTLS. */
import type { MailSpool } from "@mailroom/engine"
import { type ListenFailed, SmtpReceiver, type SmtpReceiverOptions } from "@mailroom/mail"
import { eventLoopTurns } from "@mailroom/test-services"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { certificate, privateKey } from "./support/certificate.js"
import { CLOSED, type Dialogue, dial } from "./support/dialogue.js"
import { client, deliver, upToData } from "./support/receiver.js"
import { FakeSpool } from "./support/spool.js"

export type MakeReceiver = (
  options: SmtpReceiverOptions,
) => Layer.Layer<SmtpReceiver, ListenFailed, MailSpool>

const tls = { cert: certificate, key: privateKey }
const header = "Subject: hello\r\n\r\n"
const texts = Effect.flatMap(FakeSpool, ({ accepted }) =>
  Effect.map(accepted, (mails) => mails.map(({ text }) => text)),
)
const greeted = Effect.flatMap(SmtpReceiver, ({ port }) => Effect.tap(dial(port), ({ reply }) => reply))

/** Sends each line and expects the beginning of its reply. */
const converse = (dialogue: Dialogue, lines: ReadonlyArray<readonly [line: string, reply: string]>) =>
  Effect.forEach(lines, ([line, reply]) =>
    Effect.map(dialogue.say(line), (said) =>
      expect(`${line} -> ${said.slice(0, reply.length)}`).toBe(`${line} -> ${reply}`),
    ),
  )

const recipientForms: ReadonlyArray<readonly [path: string, reply: string]> = [
  ["<agent@mailroom.test>", "250 2.1.5"],
  [" <agent@mailroom.test>", "250 2.1.5"],
  ["<Agent+tag@MAILROOM.test>", "250 2.1.5"],
  ["<@relay.example,@other.example:agent@mailroom.test>", "250 2.1.5"],
  ["<nobody@mailroom.test>", "550 5.1.1"],
  ["<postmaster>", "550 5.1.1"],
  ["<agent@[127.0.0.1]>", "550 5.1.1"],
  ["<agent@[IPv6:::1]>", "550 5.1.1"],
  ["<agent@xn--bcher-kva.example>", "550 5.1.1"],
  ["agent@mailroom.test", "501 5.1.3"],
  ["<agent@mailroom.test", "501 5.1.3"],
  ["<<agent@mailroom.test>>", "501 5.1.3"],
  ["<>", "5"],
  ["<agent>", "501 5.1.3"],
  ["<@mailroom.test>", "501 5.1.3"],
  ["<agent@>", "501 5.1.3"],
  ["<agent@a@mailroom.test>", "501 5.1.3"],
  ["<.agent@mailroom.test>", "501 5.1.3"],
  ["<agent.@mailroom.test>", "501 5.1.3"],
  ["<a..b@mailroom.test>", "501 5.1.3"],
  ["<agent@mailroom..test>", "501 5.1.3"],
  ["<agent@-.mailroom.test>", "501 5.1.3"],
  ["<agent@mail_room.test>", "501 5.1.3"],
  ["<agent@[999.0.0.1]>", "501 5.1.3"],
  ["<agent@[IPv6:zz]>", "501 5.1.3"],
  ["<ag\x01ent@mailroom.test>", "501 5.1.3"],
  [`<${"a".repeat(250)}@mailroom.test>`, "501 5.1.3"],
]

const senderForms: ReadonlyArray<readonly [command: string, reply: string]> = [
  ["MAIL FROM:<>", "250 2.1.0"],
  ["mail from:<a@b.example>", "250 2.1.0"],
  ["MAIL FROM: <a@b.example> SIZE=1000 BODY=8BITMIME SMTPUTF8", "250 2.1.0"],
  ["MAIL FROM:<a@b.example> body=7bit", "250 2.1.0"],
  ["MAIL FROM:<a@b.example> X-UNKNOWN=1", "250 2.1.0"],
  ["MAIL FROM:<a@b.example> SIZE=41943041", "552 5.3.4"],
  ["MAIL FROM:<a@b.example> SIZE=99999999999999999999", "552 5.3.4"],
  ["MAIL FROM:<a@b.example> SIZE=many", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> SIZE", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> SIZE=1 SIZE=2", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> BODY=BINARYMIME", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> SMTPUTF8=yes", "501 5.5.4"],
  ["MAIL FROM <a@b.example>", "501 5.1.7"],
  ["MAIL TO:<a@b.example>", "501 5.1.7"],
  ["MAIL", "501 5.1.7"],
  ["MAIL FROM:", "501 5.1.7"],
  ["MAIL FROM:a@b.example", "501 5.1.7"],
]

export const smtpReceiverContract = (name: string, make: MakeReceiver): void => {
  const receiver = (options: Partial<SmtpReceiverOptions> = {}) =>
    make({ host: "127.0.0.1", port: 0, name: "mx.mailroom.test", ...options }).pipe(
      Layer.provideMerge(FakeSpool.layer),
    )

  describe(name, () => {
    it.scoped("greets, answers HELO and EHLO, and says goodbye", () =>
      Effect.gen(function* () {
        const dialogue = yield* dial((yield* SmtpReceiver).port)
        expect(yield* dialogue.reply).toBe("220 mx.mailroom.test ESMTP")
        expect(yield* dialogue.say("HELO client.example")).toBe("250 mx.mailroom.test")
        expect((yield* dialogue.say("ehlo client.example")).split("\n")).toEqual([
          "250-mx.mailroom.test",
          "250-PIPELINING",
          "250-8BITMIME",
          "250-SMTPUTF8",
          "250-ENHANCEDSTATUSCODES",
          "250-STARTTLS",
          "250 SIZE 41943040",
        ])
        yield* converse(dialogue, [
          ["EHLO", "501"],
          ["EHLO a b", "501"],
          [`EHLO ${"a".repeat(301)}`, "501"],
          ["HELO", "501"],
          ["QUIT", "221 2.0.0"],
        ])
        expect(yield* dialogue.reply).toBe(CLOSED)
      }).pipe(Effect.provide(receiver({ tls }))),
    )

    it.scoped("accepts commands only in their order", () =>
      Effect.gen(function* () {
        const dialogue = yield* greeted
        yield* converse(dialogue, [
          ["MAIL FROM:<a@b.example>", "503 5.5.1"],
          ["RCPT TO:<agent@mailroom.test>", "503 5.5.1"],
          ["DATA", "503 5.5.1"],
          ["EHLO client.example", "250"],
          ["RCPT TO:<agent@mailroom.test>", "503 5.5.1"],
          ["DATA", "503 5.5.1"],
          ["MAIL FROM:<a@b.example>", "250 2.1.0"],
          ["MAIL FROM:<a@b.example>", "503 5.5.1"],
          ["DATA", "503 5.5.1"],
        ])
      }).pipe(Effect.provide(receiver())),
    )

    it.scoped("discards a transaction at RSET and at another EHLO, and keeps it at every other command", () =>
      Effect.gen(function* () {
        const dialogue = yield* client
        for (const [command, reply] of [
          ["RSET", "503"],
          ["EHLO again.example", "503"],
          ["HELO again.example", "503"],
          ["NOOP", "354"],
          ["NOOP with words", "354"],
          ["VRFY agent", "354"],
          ["HELP", "354"],
          ["EXPN list", "354"],
        ] as const) {
          yield* converse(dialogue, [
            ["MAIL FROM:<a@b.example>", "250"],
            ["RCPT TO:<agent@mailroom.test>", "250"],
          ])
          yield* dialogue.say(command)
          yield* converse(dialogue, [["DATA", reply]])
          if (reply === "354") yield* converse(dialogue, [[`${header}x\r\n.`, "250"]])
        }
      }).pipe(Effect.provide(receiver())),
    )

    it.scoped("replies to commands that bring no mail", () =>
      Effect.gen(function* () {
        const dialogue = yield* client
        yield* converse(dialogue, [
          ["NOOP", "250 2.0.0"],
          ["RSET", "250 2.0.0"],
          ["VRFY agent", "252 2.1.5"],
          ["VRFY", "501 5.5.4"],
          ["HELP", "214 2.0.0"],
          ["EXPN list", "500 5.5.2"],
          ["AUTH PLAIN AGEAYg==", "500"],
          // 502 here, 500 in the reference.
          ["STARTTLS", "50"],
          ["BDAT 3 LAST", "500"],
          ["", "500"],
          ["NOOP ", "250 2.0.0"],
          ["noop", "250 2.0.0"],
        ])
      }).pipe(Effect.provide(receiver())),
    )

    it.scoped("hangs up on a browser, and on an endless line", () =>
      Effect.gen(function* () {
        for (const said of ["GET / HTTP/1.1\r\n", `NOOP ${"x".repeat(20_000)}\r\n`]) {
          const dialogue = yield* client
          yield* dialogue.write(said)
          expect(yield* dialogue.reply).toMatch(/^421 /)
          expect(yield* dialogue.reply).toBe(CLOSED)
        }
      }).pipe(Effect.provide(receiver())),
    )

    it.scoped("reads recipients", () =>
      Effect.forEach(recipientForms, ([path, reply]) =>
        Effect.gen(function* () {
          const dialogue = yield* client
          yield* converse(dialogue, [
            ["MAIL FROM:<a@b.example>", "250"],
            [`RCPT TO:${path}`, reply],
          ])
        }),
      ).pipe(Effect.provide(receiver({ maxClientsPerAddress: 100 }))),
    )

    it.scoped("reads senders and parameters", () =>
      Effect.gen(function* () {
        for (const form of senderForms) {
          const dialogue = yield* client
          yield* converse(dialogue, [form])
        }
      }).pipe(Effect.provide(receiver())),
    )

    it.scoped(
      "keeps a repeated recipient once, in its last spelling, and accepts an international sender",
      () =>
        Effect.gen(function* () {
          const dialogue = yield* client
          const utf8 = (text: string) => Buffer.from(text).toString("latin1")
          yield* converse(dialogue, [
            [utf8("MAIL FROM:<grüße@xn--bcher-kva.example> SMTPUTF8"), "250"],
            ["RCPT TO:<agent@mailroom.test>", "250"],
            ["RCPT TO:<other@mailroom.test>", "250"],
            ["RCPT TO:<AGENT@mailroom.test>", "250"],
            ["DATA", "354"],
            [".", "250 2.6.0"],
          ])
          const [mail] = yield* (yield* FakeSpool).accepted
          expect(mail?.envelope.from).toBe("grüße@bücher.example")
          expect(mail?.envelope.to).toEqual(["AGENT@mailroom.test", "other@mailroom.test"])
          expect(mail?.text).toBe("")
        }).pipe(Effect.provide(receiver())),
    )

    it.scoped("replies to a pipelined session in order, wherever its bytes are split", () =>
      Effect.gen(function* () {
        const wire = [
          "EHLO client.example",
          "MAIL FROM:<a@b.example>",
          "RCPT TO:<suspended@mailroom.test>",
          "RCPT TO:<agent@mailroom.test>",
          "DATA",
          "Subject: x",
          "",
          "..dot",
          "...",
          "",
          ".",
          "NOOP",
          "QUIT",
          "",
        ].join("\r\n")
        const expected = ["250", "250", "550", "250", "354", "250", "250", "221", CLOSED]
        for (let at = 0; at < wire.length; at += 3) {
          const dialogue = yield* greeted
          yield* dialogue.write(wire.slice(0, at))
          yield* eventLoopTurns(1)
          yield* dialogue.write(wire.slice(at))
          const codes: Array<string> = []
          for (const _ of expected) {
            const reply = yield* dialogue.reply
            codes.push(reply === CLOSED ? CLOSED : reply.slice(0, 3))
          }
          expect(codes).toEqual(expected)
        }
        expect(new Set(yield* texts)).toEqual(new Set(["Subject: x\r\n\r\n.dot\r\n..\r\n\r\n"]))
      }).pipe(Effect.provide(receiver({ maxClientsPerAddress: 200 }))),
    )

    const smuggled =
      "MAIL FROM:<evil@x.example>\r\nRCPT TO:<agent@mailroom.test>\r\nDATA\r\nSubject: smuggled\r\n\r\nx"
    const ends = ["\n.\n", "\r\n.\n", "\n.\r\n", "\r.\r", "\r\n.\r", "\r.\r\n", "\n.\r", "\r.\n"]
    for (const end of ends)
      it.scoped(`${JSON.stringify(end)} ends no message, wherever the input is split`, () =>
        Effect.gen(function* () {
          const wire = `${header}first${end}${smuggled}\r\n.\r\n`
          for (let at = header.length + 4; at <= header.length + 5 + end.length + 2; at++) {
            const dialogue = yield* client
            yield* upToData(dialogue)
            yield* dialogue.write(wire.slice(0, at))
            yield* eventLoopTurns(1)
            yield* dialogue.write(wire.slice(at))
            expect(yield* dialogue.reply).toMatch(/^554 5\.6\.0 Bare /)
            expect(yield* dialogue.say("NOOP")).toMatch(/^250/)
          }
          expect(yield* texts).toEqual([])
        }).pipe(Effect.provide(receiver())),
      )

    for (const [what, body, status] of [
      ["a bare CR", "a\rb", "5.6.0"],
      ["a bare LF", "a\nb", "5.6.0"],
      ["a bare LF at the start", "\nb", "5.6.0"],
      ["a CR before a CRLF", "a\r\r\nb", "5.6.0"],
      ["a bare CR at the end", "a\r", "5.6.0"],
      ["51 hops", `${"Received: x\r\n".repeat(51)}\r\nb`, "5.4.6"],
    ] as const)
      it.scoped(`refuses ${what}, and takes the next message`, () =>
        Effect.gen(function* () {
          const dialogue = yield* client
          expect(yield* deliver(dialogue, body)).toContain(`554 ${status} `)
          expect(yield* deliver(dialogue, `${header}next`)).toMatch(/^250/)
          expect(yield* texts).toEqual([`${header}next\r\n`])
        }).pipe(Effect.provide(receiver())),
      )

    it.scoped("accepts a line of 1 MB, and a dot at the start of a line of any length", () =>
      Effect.gen(function* () {
        const dialogue = yield* client
        const long = "x".repeat(1024 * 1024)
        expect(yield* deliver(dialogue, `${header}${long}\r\n..${long}`)).toMatch(/^250/)
        expect(yield* texts).toEqual([`${header}${long}\r\n.${long}\r\n`])
      }).pipe(Effect.provide(receiver())),
    )

    it.scoped("discards what the client sent before STARTTLS, and plaintext after it", () =>
      Effect.gen(function* () {
        const dialogue = yield* client
        yield* dialogue.say("MAIL FROM:<a@b.example>")
        yield* dialogue.write("STARTTLS\r\nRSET\r\nEHLO evil.example\r\nMAIL FROM:<evil@x.example>\r\n")
        expect(yield* dialogue.reply).toMatch(/^220/)
        yield* dialogue.startTls
        yield* converse(dialogue, [
          ["MAIL FROM:<a@b.example>", "503 5.5.1"],
          ["EHLO client.example", "250"],
          ["STARTTLS", "503 5.5.1"],
          ["DATA", "503 5.5.1"],
        ])
        expect(yield* deliver(dialogue, `${header}x`)).toMatch(/^250/)
        const [mail] = yield* (yield* FakeSpool).accepted
        expect(mail?.envelope).toMatchObject({ from: "ada@sender.example", tls: true })
      }).pipe(Effect.provide(receiver({ tls }))),
    )
  })
}
