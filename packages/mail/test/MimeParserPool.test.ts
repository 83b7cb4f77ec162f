import { mimeParserContract } from "./mimeParser.contract.js"
import { parsed, raw } from "./support/mails.js"
import { MimeParserPool } from "@mailroom/mail"
import { MimeParser } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"

mimeParserContract("MimeParserPool", MimeParserPool.layer())

const moody = (options: MimeParserPool.MimeParserPoolOptions) =>
  Effect.provide(
    MimeParserPool.layer({
      workerFile: new URL("./support/moodyWorker.mjs", import.meta.url),
      ...options,
    }),
  )

const mail = (text: string) => raw("From: ada@example.org", `Subject: ${text}`, "", text)

describe("a parser thread that crashes or hangs", () => {
  for (const [mood, reason] of [
    ["hang", "parsing took too long"],
    ["exit", "the parser stopped"],
    ["throw", "the parser failed: boom"],
    ["hoard", "the parser failed: Worker terminated due to reaching memory limit"],
  ] as const)
    it.live(`${mood}: its mail is parsed to its header, the other mails of the batch whole`, () =>
      Effect.gen(function* () {
        const { parse } = yield* MimeParser
        const texts = ["a", "b", mood, "c", "d", "e"]
        const mails = yield* parse(texts.map(mail))
        expect(mails.map(({ subject }) => subject)).toEqual(texts)
        expect(mails.map(({ text }) => text)).toEqual(["a", "b", null, "c", "d", "e"])
        expect(mails.map(({ defect }) => defect !== null)).toEqual(texts.map((text) => text === mood))
        expect(mails[2]?.defect).toContain(reason)
        expect(mails[2]?.from?.address).toBe("ada@example.org")
        // Only a thread that hangs may reach its deadline, however busy the machine is.
      }).pipe(
        moody({ slowThreads: 1, deadline: mood === "hang" ? "1 second" : "20 seconds", maxHeapMb: 32 }),
      ),
    )

  it.live("an interrupted mail does not hold up the next one", () =>
    Effect.gen(function* () {
      const stuck = yield* Effect.fork(parsed(mail("hang")))
      const queued = yield* Effect.fork(parsed(mail("never asked for")))
      yield* Effect.yieldNow()
      yield* Fiber.interruptAll([stuck, queued])
      expect((yield* parsed(mail("next"))).text).toBe("next")
    }).pipe(moody({ slowThreads: 1, deadline: "1 second" })),
  )

  it.live("large mails wait for each other, and all are parsed", () =>
    Effect.gen(function* () {
      const { parse } = yield* MimeParser
      const large = Array.from({ length: 6 }, (_, n) => raw(`Subject: ${n}`, "", "x".repeat(200_000)))
      const mails = yield* parse(large)
      expect(mails.map(({ subject, text }) => [subject, text?.length])).toEqual(
        large.map((_, n) => [String(n), 200_000]),
      )
    }).pipe(moody({ slowThreads: 3, maxBytes: 300_000 })),
  )

  it.live("a mail that comes alone is parsed before the rest of a backlog that a thread has begun", () =>
    Effect.gen(function* () {
      const { parseFast } = yield* MimeParser
      const answered: Array<number> = []
      const submit = (mails: number) =>
        Effect.map(parseFast(Array.from({ length: mails }, (_, n) => mail(`${n}`))), (parsed) => {
          answered.push(mails)
          return parsed.map(Option.map(({ subject }) => subject))
        })
      const [many, one] = yield* Effect.all([submit(32), submit(1)], { concurrency: "unbounded" })
      expect(answered).toEqual([1, 32])
      expect(one).toEqual([Option.some("0")])
      expect(many).toEqual(Array.from({ length: 32 }, (_, n) => Option.some(`${n}`)))
    }).pipe(moody({})),
  )

  it.live("a mail that comes alone and hangs does not harm the backlog behind it", () =>
    Effect.gen(function* () {
      const { parseFast } = yield* MimeParser
      const backlog = Array.from({ length: 32 }, (_, n) => mail(`${n}`))
      const [many, one] = yield* Effect.all([parseFast(backlog), parseFast([mail("hang")])], {
        concurrency: "unbounded",
      })
      expect(one).toEqual([Option.none()])
      expect(many.map(Option.map(({ subject }) => subject))).toEqual(
        backlog.map((_, n) => Option.some(`${n}`)),
      )
    }).pipe(moody({ fastDeadline: "1 second" })),
  )

  it.live(
    "large mails wait at their thread: one that stops it returns None, and another thread parses those behind it",
    () =>
      Effect.gen(function* () {
        const { parseFast } = yield* MimeParser
        const texts = ["a", "b", "exit", "c", "d", "e"]
        const filler = Array.from({ length: 300 }, () => `X-Filler: ${"x".repeat(990)}`)
        const large = texts.map((text) => raw(`Subject: ${text}`, ...filler, "", text))
        const [many, one] = yield* Effect.all([parseFast(large), parseFast([mail("alone")])], {
          concurrency: "unbounded",
        })
        expect(one.map(Option.map(({ text }) => text))).toEqual([Option.some("alone")])
        expect(many.map(Option.map(({ text }) => text))).toEqual(
          texts.map((text) => (text === "exit" ? Option.none() : Option.some(text))),
        )
      }).pipe(moody({})),
  )
})
