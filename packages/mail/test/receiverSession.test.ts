import { FakeSpool } from "./support/spool.js"
import { certificate, privateKey } from "./support/certificate.js"
import { CLOSED, dial } from "./support/dialogue.js"
import { client, deliver, receiver, upToData } from "./support/receiver.js"
import { ListenFailed, SmtpReceiver } from "@mailroom/mail"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Scope, TestClock } from "effect"

const message = "Subject: hello\r\n\r\nHello."

describe("the session", () => {
  it.scoped("greets, and offers only the extensions that it supports", () =>
    Effect.gen(function* () {
      const dialogue = yield* dial((yield* SmtpReceiver).port)
      expect(yield* dialogue.reply).toBe("220 mx.mailroom.test ESMTP")
      const offer = yield* dialogue.say("EHLO client.example")
      expect(offer.split("\n").map((line) => line.slice(4))).toEqual([
        "mx.mailroom.test",
        "PIPELINING",
        "8BITMIME",
        "SMTPUTF8",
        "ENHANCEDSTATUSCODES",
        "SIZE 41943040",
      ])
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("has no AUTH, no STARTTLS without a certificate, and no obsolete commands", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      for (const command of [
        "AUTH PLAIN AGEAYg==",
        "STARTTLS",
        "WIZ magic",
        "SHELL",
        "KILL",
        "XCLIENT ADDR=1.2.3.4",
      ])
        expect(yield* dialogue.say(command)).toMatch(/^5/)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("says that STARTTLS is not implemented when it has no certificate", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      expect(yield* dialogue.say("STARTTLS")).toMatch(/^502 5\.5\.1 /)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("spools envelope and bytes before it replies 250", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      expect(yield* deliver(dialogue, message)).toMatch(/^250 2\.6\.0 /)
      const [mail, ...more] = yield* (yield* FakeSpool).accepted
      expect(more).toEqual([])
      expect(mail?.text).toBe(`${message}\r\n`)
      expect(mail?.content.kind).toBe("inline")
      expect(mail?.envelope).toEqual({
        from: "ada@sender.example",
        to: ["agent@mailroom.test"],
        remoteAddress: "127.0.0.1",
        helo: "client.example",
        tls: false,
        receivedAt: yield* Clock.currentTimeMillis,
      })
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("dates a mail by the end of its message, not by DATA", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* TestClock.adjust("20 seconds")
      yield* dialogue.write(`${message}\r\n.\r\n`)
      expect(yield* dialogue.reply).toMatch(/^250 /)
      const [mail] = yield* (yield* FakeSpool).accepted
      expect(mail?.envelope.receivedAt).toBe(yield* Clock.currentTimeMillis)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("accepts the null return path, tags, HELO, and two mails in one session", () =>
    Effect.gen(function* () {
      const dialogue = yield* dial((yield* SmtpReceiver).port)
      yield* dialogue.reply
      yield* dialogue.say("HELO old.example")
      for (const recipient of ["agent+tag@mailroom.test", "Other@Mailroom.Test"]) {
        yield* dialogue.say("MAIL FROM:<>")
        yield* dialogue.say(`RCPT TO:<${recipient}>`)
        yield* dialogue.say("DATA")
        yield* dialogue.write(`${message}\r\n.\r\n`)
        expect(yield* dialogue.reply).toMatch(/^250/)
      }
      const mails = yield* (yield* FakeSpool).accepted
      expect(mails.map(({ envelope }) => [envelope.from, ...envelope.to])).toEqual([
        ["", "agent+tag@mailroom.test"],
        ["", "Other@Mailroom.Test"],
      ])
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("replies to a pipelined transaction in order", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* dialogue.write(
        "MAIL FROM:<a@b.example>\r\nRCPT TO:<nobody@mailroom.test>\r\nRCPT TO:<agent@mailroom.test>\r\nDATA\r\n",
      )
      const replies = [
        yield* dialogue.reply,
        yield* dialogue.reply,
        yield* dialogue.reply,
        yield* dialogue.reply,
      ]
      expect(replies.map((reply) => reply.slice(0, 3))).toEqual(["250", "550", "250", "354"])
      yield* dialogue.write(`${message}\r\n.\r\nNOOP\r\nQUIT\r\n`)
      expect(yield* dialogue.reply).toMatch(/^250 2\.6\.0/)
      expect(yield* dialogue.reply).toMatch(/^250/)
      expect(yield* dialogue.reply).toMatch(/^221/)
      expect(yield* dialogue.reply).toBe(CLOSED)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("discards a transaction at RSET", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* dialogue.say("MAIL FROM:<a@b.example>")
      yield* dialogue.say("RCPT TO:<agent@mailroom.test>")
      expect(yield* dialogue.say("RSET")).toMatch(/^250/)
      expect(yield* dialogue.say("DATA")).toMatch(/^503/)
      expect(yield* deliver(dialogue, message)).toMatch(/^250/)
      expect(yield* (yield* FakeSpool).accepted).toHaveLength(1)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("encrypts with STARTTLS, and discards what the client sent before it", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* dialogue.say("MAIL FROM:<a@b.example>")
      expect(yield* dialogue.say("STARTTLS")).toMatch(/^220/)
      yield* dialogue.startTls
      expect(yield* dialogue.say("DATA")).toMatch(/^503/)
      expect(yield* dialogue.say("EHLO client.example")).not.toContain("STARTTLS")
      expect(yield* deliver(dialogue, message)).toMatch(/^250/)
      const [mail] = yield* (yield* FakeSpool).accepted
      expect(mail?.envelope.tls).toBe(true)
    }).pipe(Effect.provide(receiver({ tls: { cert: certificate, key: privateKey } }))),
  )

  it.scoped("accepts UTF-8 addresses and 8-bit content", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      const utf8 = (text: string) => Buffer.from(text).toString("latin1")
      expect(yield* dialogue.say(utf8("MAIL FROM:<grüße@bücher.example> SMTPUTF8 BODY=8BITMIME"))).toMatch(
        /^250/,
      )
      yield* dialogue.say("RCPT TO:<agent@mailroom.test>")
      yield* dialogue.say("DATA")
      yield* dialogue.write(Buffer.from("Subject: Grüße\r\n\r\nÄ\r\n.\r\n"))
      expect(yield* dialogue.reply).toMatch(/^250/)
      const [mail] = yield* (yield* FakeSpool).accepted
      expect(mail?.envelope.from).toBe("grüße@bücher.example")
      expect(Buffer.from(mail?.text ?? "", "latin1").toString()).toBe("Subject: Grüße\r\n\r\nÄ\r\n")
    }).pipe(Effect.provide(receiver())),
  )
})

describe("limits on clients", () => {
  it.scoped("an address has a limit of sessions, and may open another when one ends", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpReceiver
      const first = yield* dial(port)
      yield* first.reply
      const second = yield* dial(port)
      yield* second.reply
      const third = yield* dial(port)
      expect(yield* third.reply).toMatch(/^421 4\.7\.0 /)
      expect(yield* third.reply).toBe(CLOSED)
      yield* first.say("QUIT")
      expect(yield* first.reply).toBe(CLOSED)
      const again = Effect.scoped(Effect.flatMap(dial(port), ({ reply }) => reply))
      // The server sees the end of a session a moment after the client.
      expect(yield* again.pipe(Effect.repeat({ until: (greeting) => greeting.startsWith("220") }))).toMatch(
        /^220/,
      )
    }).pipe(Effect.provide(receiver({ maxClientsPerAddress: 2 }))),
  )

  it.scoped("all addresses together have a limit of sessions", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpReceiver
      yield* (yield* dial(port)).reply
      const second = yield* dial(port)
      expect(yield* second.reply).toMatch(/^421 /)
    }).pipe(Effect.provide(receiver({ maxClients: 1 }))),
  )

  it.scoped("a session ends after its deadline", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* TestClock.adjust("5 seconds")
      expect(yield* dialogue.reply).toMatch(/^421 4\.4\.2 /)
      expect(yield* dialogue.reply).toBe(CLOSED)
    }).pipe(Effect.provide(receiver({ sessionDeadline: "3 seconds" }))),
  )

  it.scoped("a message that arrives too slowly ends the session, and nothing is stored", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* dialogue.write("Subject: slow\r\n")
      yield* TestClock.adjust("32 seconds")
      expect(yield* dialogue.reply).toMatch(/^421 4\.4\.2 /)
      expect(yield* dialogue.reply).toBe(CLOSED)
      expect(yield* (yield* FakeSpool).accepted).toEqual([])
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("a message that never ends ends the session", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* dialogue.write("Subject: long\r\n".repeat(100))
      yield* TestClock.adjust("5 seconds")
      expect(yield* dialogue.reply).toMatch(/^421 4\.4\.2 /)
    }).pipe(Effect.provide(receiver({ dataDeadline: "3 seconds" }))),
  )
})

describe("start and stop", () => {
  it.scoped("a port in use is reported with host, port and reason", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpReceiver
      const second = yield* Effect.exit(Layer.build(receiver({ port })))
      expect(second).toEqual(Exit.fail(new ListenFailed({ host: "127.0.0.1", port, reason: "EADDRINUSE" })))
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("closing ends idle sessions, and lets a running transaction finish", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(receiver(), scope)
      yield* Effect.gen(function* () {
        const fake = yield* FakeSpool
        const idle = yield* client
        const busy = yield* client
        const release = yield* fake.hold
        yield* upToData(busy)
        yield* busy.write(`${message}\r\n.\r\n`)
        yield* fake.acceptCalled
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        expect(yield* idle.reply).toMatch(/^421 4\.3\.2 /)
        yield* release
        expect(yield* busy.reply).toMatch(/^250/)
        expect(yield* busy.reply).toMatch(/^421 4\.3\.2 /)
        yield* closing.await
        expect(yield* fake.accepted).toHaveLength(1)
      }).pipe(Effect.provide(context))
    }),
  )

  it.scoped("closing does not wait for a client in its TLS handshake", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const tls = { cert: certificate, key: privateKey }
      const context = yield* Layer.buildWithScope(receiver({ tls, closeTimeout: "1 hour" }), scope)
      const dialogue = yield* Effect.provide(client, context)
      expect(yield* dialogue.say("STARTTLS")).toMatch(/^220/)
      yield* Scope.close(scope, Exit.void)
      expect(yield* dialogue.reply).toBe(CLOSED)
    }),
  )
})
