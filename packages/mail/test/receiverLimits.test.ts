/** Limits for a client and for a network, under `TestClock`. */
import { FakeSpool } from "./support/spool.js"
import { CLOSED, type Dialogue, dial, session } from "./support/dialogue.js"
import { client, deliver, receiver, upToData } from "./support/receiver.js"
import {
  ADDRESS_COMMAND_LINE_MAX,
  COMMAND_LINE_MAX,
  ERRORS_MAX,
  HOST_GUESSES,
  JUNK_COMMANDS_MAX,
} from "@mailroom/domain"
import { SmtpReceiver } from "@mailroom/mail"
import { eventLoopTurns } from "@mailroom/test-services"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"

const message = "Subject: hello\r\n\r\nHello."

/** Waits for a reply, and advances the clock second by second until it comes. */
const replyInTime = (dialogue: Dialogue) =>
  Effect.gen(function* () {
    const reply = yield* Effect.fork(dialogue.reply)
    let seconds = 0
    yield* eventLoopTurns()
    for (; Option.isNone(yield* Fiber.poll(reply)); seconds++) {
      yield* TestClock.adjust("1 second")
      yield* eventLoopTurns()
    }
    return { text: yield* Fiber.join(reply), seconds }
  })

describe("a session", () => {
  it.scoped("may send command lines of 512 bytes, and of 2,048 with an address", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      const noop = (length: number) => `NOOP ${"x".repeat(length - 7)}`
      const mail = (length: number) => `MAIL FROM:<a@b.example> X=${"x".repeat(length - 28)}`
      expect(yield* dialogue.say(noop(COMMAND_LINE_MAX))).toMatch(/^250/)
      expect(yield* dialogue.say(noop(COMMAND_LINE_MAX + 1))).toMatch(/^500 5\.5\.2 /)
      expect(yield* dialogue.say(mail(ADDRESS_COMMAND_LINE_MAX + 1))).toMatch(/^500 5\.5\.2 /)
      expect(yield* dialogue.say(mail(ADDRESS_COMMAND_LINE_MAX))).toMatch(/^250/)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("may send 100 commands without mail between two mails, then gets a 421", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      const useless = ["NOOP", "RSET", "VRFY agent", "EHLO client.example", "HELP"]
      const sayUseless = (count: number) =>
        Effect.forEach(Array.from({ length: count }), (_, n) =>
          Effect.map(dialogue.say(useless[n % useless.length] ?? "NOOP"), (reply) =>
            expect(reply).toMatch(/^2/),
          ),
        )
      yield* sayUseless(JUNK_COMMANDS_MAX)
      expect(yield* deliver(dialogue, message)).toMatch(/^250/)
      yield* sayUseless(JUNK_COMMANDS_MAX)
      expect(yield* dialogue.say("NOOP")).toMatch(/^421 4\.7\.0 /)
      expect(yield* dialogue.reply).toBe(CLOSED)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("may repeat the recipients of a mail like other commands without effect", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* dialogue.say("MAIL FROM:<ada@sender.example>")
      yield* dialogue.say("RCPT TO:<agent@mailroom.test>")
      for (let n = 0; n < JUNK_COMMANDS_MAX; n++)
        expect(yield* dialogue.say("RCPT TO:<Agent@Mailroom.test>")).toMatch(/^250 2\.1\.5 /)
      expect(yield* dialogue.say("RCPT TO:<agent@mailroom.test>")).toMatch(/^421 4\.7\.0 /)
      expect(yield* dialogue.reply).toBe(CLOSED)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("gets error replies with growing delays, and is closed at the twentieth", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      const seconds: Array<number> = []
      for (let n = 1; n < ERRORS_MAX; n++) {
        yield* dialogue.write("WIZ\r\n")
        const reply = yield* replyInTime(dialogue)
        expect(reply.text).toMatch(/^500 /)
        seconds.push(reply.seconds)
      }
      expect(seconds.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 0))
      for (let n = 11; n < ERRORS_MAX; n++) expect(seconds[n - 1]).toBeGreaterThanOrEqual(n - 10)
      expect(yield* dialogue.say("WIZ")).toMatch(/^421 4\.7\.0 /)
      expect(yield* dialogue.reply).toBe(CLOSED)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("gets no reply out of order while one is delayed", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* dialogue.write(`${"WIZ\r\n".repeat(11)}NOOP\r\n`)
      for (let n = 1; n <= 10; n++) expect(yield* dialogue.reply).toMatch(/^500 /)
      expect((yield* replyInTime(dialogue)).text).toMatch(/^500 /)
      expect(yield* dialogue.reply).toMatch(/^250 /)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("ends after five minutes without a byte", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* TestClock.adjust("4 minutes")
      expect(yield* dialogue.say("NOOP")).toMatch(/^250/)
      yield* TestClock.adjust("4 minutes")
      expect(yield* dialogue.say("NOOP")).toMatch(/^250/)
      yield* TestClock.adjust("6 minutes")
      expect(yield* dialogue.reply).toMatch(/^421 4\.4\.2 /)
    }).pipe(Effect.provide(receiver())),
  )
})

describe("a network", () => {
  /** A session that names twenty unknown mailboxes, and the first digits of its replies. */
  const guess = (port: number, from: string) =>
    Effect.gen(function* () {
      const dialogue = yield* session(port, from)
      yield* dialogue.say("MAIL FROM:<a@b.example>")
      yield* dialogue.write(
        Array.from({ length: 20 }, (_, n) => `RCPT TO:<guess${n}@mailroom.test>\r\n`).join(""),
      )
      const codes: Array<string> = []
      const listening = Effect.gen(function* () {
        for (let reply = yield* dialogue.reply; reply !== CLOSED; reply = yield* dialogue.reply)
          codes.push(reply.slice(0, 3))
      })
      yield* Effect.forkScoped(listening)
      return codes
    })

  it.scoped("that guesses recipients gets growing delays, and then no session", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpReceiver
      const guessing = yield* Effect.forEach(Array.from({ length: 25 }), () => guess(port, "127.0.0.1"))
      const answered = () => guessing.flat().filter((code) => code === "550").length
      yield* eventLoopTurns()
      // 500 guesses at once.
      expect(answered()).toBeLessThanOrEqual(HOST_GUESSES.delayed)
      for (let second = 0; second < 60; second++)
        yield* Effect.zipRight(TestClock.adjust("1 second"), eventLoopTurns())
      expect(answered()).toBeLessThan(HOST_GUESSES.refused + 2 * HOST_GUESSES.perMinute)
      expect(guessing.every((codes) => codes.at(-1) === "421")).toBe(true)
      // It gets no further session; a neighbor does.
      expect(yield* (yield* dial(port, "127.0.0.1")).reply).toMatch(/^421 4\.7\.0 /)
      expect(yield* deliver(yield* session(port, "127.0.0.2"), message)).toMatch(/^250/)
      yield* TestClock.adjust("2 minutes")
      expect(yield* deliver(yield* session(port, "127.0.0.1"), message)).toMatch(/^250/)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("of 256 addresses has a limit of sessions in all", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpReceiver
      for (const from of ["127.0.0.1", "127.0.0.2", "127.0.0.3"])
        expect(yield* (yield* dial(port, from)).reply).toMatch(/^220/)
      expect(yield* (yield* dial(port, "127.0.0.4")).reply).toMatch(/^421 4\.7\.0 /)
      expect(yield* (yield* dial(port, "127.0.1.4")).reply).toMatch(/^220/)
    }).pipe(Effect.provide(receiver({ maxClientsPerSite: 3 }))),
  )
})

describe("a receiver near its limit of sessions", () => {
  it.scoped("ends sessions without mail, and keeps room for other networks", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpReceiver
      const busy = yield* session(port, "127.0.9.1")
      yield* upToData(busy)
      const idle = yield* Effect.forEach([1, 2, 3, 4, 5], (site) => session(port, `127.0.${site}.1`))
      // Three quarters of the sessions are open: each network may have one now.
      expect(yield* (yield* dial(port, "127.0.1.1")).reply).toMatch(/^421 4\.7\.0 /)
      expect(yield* (yield* dial(port, "127.0.6.1")).reply).toMatch(/^220/)
      yield* TestClock.adjust("5 seconds")
      for (const one of idle) expect(yield* one.say("NOOP")).toMatch(/^250/)
      yield* busy.write("Subject: slow\r\n\r\n")
      yield* TestClock.adjust("7 seconds")
      const [first] = idle
      expect(yield* first?.reply ?? Effect.succeed("")).toMatch(/^421 4\.3\.2 /)
      yield* busy.write(".\r\n")
      expect(yield* busy.reply).toMatch(/^250/)
      expect(yield* (yield* FakeSpool).accepted).toHaveLength(1)
    }).pipe(Effect.provide(receiver({ maxClients: 8, maxClientsPerAddress: 5, maxClientsPerSite: 5 }))),
  )

  it.scoped("does not end idle sessions while there is room", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpReceiver
      const idle = yield* session(port)
      yield* TestClock.adjust("1 minute")
      expect(yield* idle.say("NOOP")).toMatch(/^250/)
    }).pipe(Effect.provide(receiver({ maxClients: 8 }))),
  )
})
