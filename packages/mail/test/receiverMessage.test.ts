import { makeMessageReader } from "../src/receiving/messageReader.js"
import { FakeSpool } from "./support/spool.js"
import { CLOSED } from "./support/dialogue.js"
import { client, deliver, receiver, upToData } from "./support/receiver.js"
import { MESSAGE_MAX_BYTES } from "@mailroom/domain"
import { INLINE_MAX_BYTES } from "@mailroom/domain"
import { eventLoopTurns } from "@mailroom/test-services"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"

const header = "Subject: hello\r\n\r\n"
const lines = (bytes: number): Buffer => Buffer.alloc(bytes, `${"x".repeat(62)}\r\n`)
const accepted = Effect.flatMap(FakeSpool, (fake) => fake.accepted)

describe("line ends", () => {
  const smuggled =
    "MAIL FROM:<evil@x.example>\r\nRCPT TO:<agent@mailroom.test>\r\nDATA\r\nSubject: smuggled\r\n\r\nx"
  const ends = ["\n.\n", "\r\n.\n", "\n.\r\n", "\r.\r", "\r\n.\r", "\r.\r\n", "\n.\r", "\r.\n"]

  for (const end of ends)
    it.scoped(`${JSON.stringify(end)} ends no message, wherever the input is split`, () =>
      Effect.gen(function* () {
        const fake = yield* FakeSpool
        const wire = `${header}first${end}${smuggled}\r\n.\r\n`
        for (let at = header.length + 4; at <= header.length + 5 + end.length + 2; at++) {
          const before = (yield* fake.accepted).length
          const dialogue = yield* client
          yield* upToData(dialogue)
          yield* dialogue.write(wire.slice(0, at))
          yield* eventLoopTurns(1)
          yield* dialogue.write(wire.slice(at))
          expect(yield* dialogue.reply).toMatch(/^554 5\.6\.0 Bare (?:line feed|carriage return)/)
          // One message is refused, and nothing after it is read as a command.
          expect(yield* dialogue.say("NOOP")).toMatch(/^250/)
          expect((yield* fake.accepted).length).toBe(before)
        }
      }).pipe(Effect.provide(receiver())),
    )

  const wireWithDots = `${header}..dot\r\n...\r\na.b\r\n..\r\n\r\n.\r\n`
  const textWithDots = `${header}.dot\r\n..\r\na.b\r\n.\r\n\r\n`

  it("a message arrives unchanged wherever its bytes are split, in two or in single bytes", () => {
    const read = (...chunks: ReadonlyArray<string>): string => {
      const reader = makeMessageReader()
      const contents = chunks.map((chunk) => {
        reader.read(Buffer.from(chunk), 0)
        return reader.content().toString()
      })
      expect(reader.refusal()).toBeNull()
      return contents.join("")
    }
    for (let at = 1; at < wireWithDots.length; at++)
      expect(read(wireWithDots.slice(0, at), wireWithDots.slice(at)), `split at ${at}`).toBe(textWithDots)
    const bytes = Array.from({ length: wireWithDots.length }, (_, at) => wireWithDots.charAt(at))
    expect(read(...bytes)).toBe(textWithDots)
  })

  it.scoped("a message sent byte by byte arrives unchanged, with its dots", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* upToData(dialogue)
      for (const byte of `${header}..dot\r\n...\r\na.b\r\n\r\n.\r\n`) yield* dialogue.write(byte)
      expect(yield* dialogue.reply).toMatch(/^250/)
      expect((yield* accepted).map(({ text }) => text)).toEqual([`${header}.dot\r\n..\r\na.b\r\n\r\n`])
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("a client that writes only LF is refused, and its session still works", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* dialogue.write("Subject: x\n\nhello\n.\n\r\n.\r\n")
      expect(yield* dialogue.reply).toMatch(/^554 5\.6\.0 Bare line feed/)
      expect(yield* deliver(dialogue, `${header}hello`)).toMatch(/^250/)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped(
    "a bare CR far into a large message is found across chunks, and what was staged is discarded",
    () =>
      Effect.gen(function* () {
        const fake = yield* FakeSpool
        const dialogue = yield* client
        yield* upToData(dialogue)
        yield* dialogue.write(Buffer.concat([Buffer.from(header), lines(512 * 1024), Buffer.from("x\r")]))
        yield* dialogue.write(Buffer.concat([Buffer.from("y\r\n"), lines(512 * 1024), Buffer.from(".\r\n")]))
        expect(yield* dialogue.reply).toMatch(/^554 5\.6\.0 Bare carriage return/)
        yield* fake.discarded
        expect(yield* fake.staged).toEqual([])
        expect(yield* fake.accepted).toEqual([])
      }).pipe(Effect.provide(receiver())),
  )
})

describe("size", () => {
  it.scoped("a declared size above 40 MB is refused at MAIL FROM", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      expect(yield* dialogue.say(`MAIL FROM:<a@b.example> SIZE=${MESSAGE_MAX_BYTES + 1}`)).toMatch(
        /^552 5\.3\.4 /,
      )
      expect(yield* dialogue.say(`MAIL FROM:<a@b.example> SIZE=${MESSAGE_MAX_BYTES}`)).toMatch(/^250/)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("more than 40 MB is refused whatever SIZE was declared, and nothing is stored", () =>
    Effect.gen(function* () {
      const fake = yield* FakeSpool
      const dialogue = yield* client
      yield* dialogue.say("MAIL FROM:<a@b.example> SIZE=100")
      yield* dialogue.say("RCPT TO:<agent@mailroom.test>")
      yield* dialogue.say("DATA")
      yield* dialogue.write(lines(MESSAGE_MAX_BYTES + 64))
      yield* dialogue.write(".\r\n")
      expect(yield* dialogue.reply).toMatch(/^552 5\.3\.4 /)
      yield* fake.discarded
      expect(yield* fake.staged).toEqual([])
      expect(yield* fake.accepted).toEqual([])
      expect(yield* deliver(dialogue, `${header}small`)).toMatch(/^250/)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("exactly 40 MB is accepted", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* dialogue.write(lines(MESSAGE_MAX_BYTES))
      yield* dialogue.write(".\r\n")
      expect(yield* dialogue.reply).toMatch(/^250/)
      const [mail] = yield* accepted
      expect(mail?.content).toMatchObject({ kind: "blob", sizeBytes: MESSAGE_MAX_BYTES })
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("up to 256 kB stay in memory, more is staged, and both arrive byte for byte", () =>
    Effect.gen(function* () {
      const fake = yield* FakeSpool
      const dialogue = yield* client
      const small = lines(INLINE_MAX_BYTES).toString("latin1")
      const large = lines(INLINE_MAX_BYTES + 64).toString("latin1")
      for (const text of [small, large]) {
        yield* upToData(dialogue)
        yield* dialogue.write(`${text}.\r\n`)
        expect(yield* dialogue.reply).toMatch(/^250/)
      }
      const mails = yield* fake.accepted
      expect(mails.map(({ content }) => content.kind)).toEqual(["inline", "blob"])
      expect(mails[0]?.text).toBe(small)
      expect(mails[1]?.text).toBe(large)
      expect(yield* fake.stagings).toBe(1)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("a header of 2 MB is a message like any other", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      expect(yield* deliver(dialogue, `X-Large: ${"a".repeat(2 * 1024 * 1024)}\r\n${header}x`)).toMatch(
        /^250/,
      )
      expect((yield* accepted)[0]?.text).toHaveLength(2 * 1024 * 1024 + 11 + header.length + 3)
    }).pipe(Effect.provide(receiver())),
  )
})

describe("a refused message", () => {
  const refused = Buffer.from(`${header}a bare\nline feed\r\n`)

  it("ends wherever its dots and line ends are split, as an accepted one does", () => {
    const end = "x\r\r\n..\r\n.x\r\n\r\n.\r\n"
    for (let at = 1; at < end.length; at++) {
      const reader = makeMessageReader()
      expect(reader.read(Buffer.from(refused), 0)).toBe(-1)
      expect(reader.read(Buffer.from(end.slice(0, at)), 0)).toBe(-1)
      expect(reader.read(Buffer.from(`${end.slice(at)}NOOP\r\n`), 0)).toBe(end.length - at)
      expect(reader.refusal()?.text).toMatch(/^554 5\.6\.0 Bare line feed/)
    }
  })

  it("of line feeds takes no longer to read than lines", () => {
    const timeOf = (line: string) => {
      const reader = makeMessageReader()
      const startedAt = performance.now()
      for (let n = 0; n < 40; n++) reader.read(Buffer.alloc(64 * 1024, line), 0)
      return performance.now() - startedAt
    }
    timeOf("\r\n")
    expect(timeOf("\n")).toBeLessThan(timeOf("\r\n"))
  })

  it.scoped("that goes on for more than 40 MB ends the session", () =>
    Effect.gen(function* () {
      const fake = yield* FakeSpool
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* dialogue.write(Buffer.concat([refused, lines(MESSAGE_MAX_BYTES + 64)]))
      expect(yield* dialogue.reply).toMatch(/^421 4\.7\.0 /)
      expect(yield* dialogue.reply).toBe(CLOSED)
      expect(yield* fake.accepted).toEqual([])
    }).pipe(Effect.provide(receiver())),
  )
})

describe("loops", () => {
  const hops = (count: number) => "Received: from a by b\r\n\tfor c\r\n".repeat(count)

  it.scoped("50 Received headers are accepted, also when the body quotes more", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      expect(yield* deliver(dialogue, `${hops(50)}X-Received: no\r\n${header}${hops(10)}`)).toMatch(/^250/)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("51 are a loop, whatever their case", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      expect(yield* deliver(dialogue, `${hops(50)}RECEIVED: x\r\n${header}`)).toMatch(/^554 5\.4\.6 /)
      expect(yield* accepted).toEqual([])
    }).pipe(Effect.provide(receiver())),
  )
})

describe("when storage fails", () => {
  for (const [reason, reply] of [
    ["full", /^452 4\.3\.1 /],
    ["unavailable", /^451 4\.3\.0 /],
    ["defect", /^451 4\.3\.0 /],
  ] as const)
    it.scoped(`${reason}: the client keeps its mail, and the session goes on when storage is back`, () =>
      Effect.gen(function* () {
        const fake = yield* FakeSpool
        const dialogue = yield* client
        yield* upToData(dialogue)
        yield* fake.fail(reason)
        yield* dialogue.write(`${header}x\r\n.\r\n`)
        expect(yield* dialogue.reply).toMatch(reply)
        expect(yield* dialogue.say("MAIL FROM:<a@b.example>")).toMatch(/^250/)
        expect(yield* dialogue.say("RCPT TO:<agent@mailroom.test>")).toMatch(reply)
        yield* dialogue.say("RSET")
        yield* fake.fail(null)
        expect(yield* deliver(dialogue, `${header}x`)).toMatch(/^250/)
        expect(yield* fake.accepted).toHaveLength(1)
      }).pipe(Effect.provide(receiver())),
    )

  it.scoped("staging fails: the rest is read, then 452", () =>
    Effect.gen(function* () {
      const fake = yield* FakeSpool
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* fake.fail("full")
      yield* dialogue.write(lines(1024 * 1024))
      yield* dialogue.write(".\r\n")
      expect(yield* dialogue.reply).toMatch(/^452 4\.3\.1 /)
      yield* fake.fail(null)
      expect(yield* deliver(dialogue, `${header}x`)).toMatch(/^250/)
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("storage is full at the end of a large mail: its staged bytes are discarded", () =>
    Effect.gen(function* () {
      const fake = yield* FakeSpool
      const dialogue = yield* client
      yield* upToData(dialogue)
      const release = yield* fake.hold
      yield* dialogue.write(lines(512 * 1024))
      yield* dialogue.write(".\r\n")
      yield* fake.acceptCalled
      yield* release
      expect(yield* dialogue.reply).toMatch(/^250/)
      yield* upToData(dialogue)
      yield* dialogue.write(lines(512 * 1024))
      yield* fake.failAccept("full")
      yield* dialogue.write(".\r\n")
      expect(yield* dialogue.reply).toMatch(/^452 4\.3\.1 /)
      yield* fake.discarded
      expect(yield* fake.staged).toEqual(["blob-1"])
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("no answer within 10 seconds is a temporary failure", () =>
    Effect.gen(function* () {
      const fake = yield* FakeSpool
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* fake.fail("never answer")
      yield* dialogue.write(`${header}x\r\n.\r\n`)
      yield* fake.acceptCalled
      yield* TestClock.adjust("12 seconds")
      expect(yield* dialogue.reply).toMatch(/^451 4\.3\.0 /)
      expect(yield* fake.accepted).toEqual([])
    }).pipe(Effect.provide(receiver())),
  )
})

describe("a client that disconnects", () => {
  it.scoped("in the middle of a small message leaves nothing", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* dialogue.write(`${header}half a mess`)
      yield* dialogue.drop
      expect(yield* dialogue.reply).toBe(CLOSED)
      const next = yield* client
      expect(yield* deliver(next, `${header}next`)).toMatch(/^250/)
      expect((yield* accepted).map(({ text }) => text)).toEqual([`${header}next\r\n`])
    }).pipe(Effect.provide(receiver())),
  )

  it.scoped("in the middle of a large one leaves nothing staged", () =>
    Effect.gen(function* () {
      const fake = yield* FakeSpool
      const dialogue = yield* client
      yield* upToData(dialogue)
      yield* dialogue.write(lines(512 * 1024))
      yield* dialogue.drop
      yield* fake.discarded
      expect(yield* fake.staged).toEqual([])
      expect(yield* fake.accepted).toEqual([])
    }).pipe(Effect.provide(receiver())),
  )
})
