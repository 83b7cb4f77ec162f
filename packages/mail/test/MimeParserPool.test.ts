import { mimeParserContract } from "./mimeParser.contract.js"
import { parsed } from "./support/parsed.js"
import { raw } from "./support/mails.js"
import { MimeParserPool } from "@mailroom/mail"
import { MimeParser } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

mimeParserContract("MimeParserPool", MimeParserPool.layer())

const moody = (options: MimeParserPool.MimeParserPoolOptions) =>
  Effect.provide(
    MimeParserPool.layer({
      workerFile: new URL("./support/moodyWorker.mjs", import.meta.url),
      ...options,
    }),
  )

const mail = (text: string) => raw("From: ada@example.org", `Subject: ${text}`, "", text)

describe("a worker that does not come back", () => {
  for (const [mood, reason] of [
    ["hang", "parsing took too long"],
    ["exit", "the parser stopped"],
    ["throw", "the parser failed: boom"],
    ["hoard", "the parser failed: Worker terminated due to reaching memory limit"],
  ] as const)
    it.live(`${mood}: the mail comes back with its header, its companions come back whole`, () =>
      Effect.gen(function* () {
        const { parse } = yield* MimeParser
        const texts = ["a", "b", mood, "c", "d", "e"]
        const mails = yield* parse(texts.map(mail))
        expect(mails.map(({ subject }) => subject)).toEqual(texts)
        expect(mails.map(({ text }) => text)).toEqual(["a", "b", null, "c", "d", "e"])
        expect(mails.map(({ defect }) => defect !== null)).toEqual(texts.map((text) => text === mood))
        expect(mails[2]?.defect).toContain(reason)
        expect(mails[2]?.from?.address).toBe("ada@example.org")
        // Only a worker that hangs is to reach its deadline, however busy the machine is.
      }).pipe(
        moody({ patientWorkers: 1, deadline: mood === "hang" ? "1 second" : "20 seconds", maxHeapMb: 32 }),
      ),
    )

  it.live("a mail that was interrupted is not waited for, and the next one is parsed", () =>
    Effect.gen(function* () {
      const stuck = yield* Effect.fork(parsed(mail("hang")))
      const queued = yield* Effect.fork(parsed(mail("never asked for")))
      yield* Effect.yieldNow()
      yield* Fiber.interruptAll([stuck, queued])
      expect((yield* parsed(mail("next"))).text).toBe("next")
    }).pipe(moody({ patientWorkers: 1, deadline: "1 second" })),
  )

  it.live("large mails wait for each other, and all are parsed", () =>
    Effect.gen(function* () {
      const { parse } = yield* MimeParser
      const large = Array.from({ length: 6 }, (_, n) => raw(`Subject: ${n}`, "", "x".repeat(200_000)))
      const mails = yield* parse(large)
      expect(mails.map(({ subject, text }) => [subject, text?.length])).toEqual(
        large.map((_, n) => [String(n), 200_000]),
      )
    }).pipe(moody({ patientWorkers: 3, maxBytes: 300_000 })),
  )
})
