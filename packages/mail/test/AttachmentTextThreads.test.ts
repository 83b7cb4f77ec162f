import { AttachmentText } from "@mailroom/engine"
import { AttachmentTextThreads } from "@mailroom/mail"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { attachmentTextContract, inflatingPdf } from "./attachmentText.contract.js"

attachmentTextContract("AttachmentTextThreads", AttachmentTextThreads.layer())

const moody = Effect.provide(
  AttachmentTextThreads.layer({
    workerFile: new URL("./support/moodyDocumentWorker.mjs", import.meta.url),
    threads: 1,
    deadline: "300 millis",
    maxHeapMb: 32,
  }),
)

const read = (filename: string, bytes: Uint8Array = Buffer.from("hello")) =>
  Effect.flatMap(AttachmentText, (reader) => reader.read({ filename, contentType: "text/plain", bytes }))

const MB = 1024 * 1024

it.live("replaces a thread that hangs, crashes or fills its heap; other files are read", () =>
  Effect.gen(function* () {
    const [hanging, ...others] = yield* Effect.all(
      [read("hang"), read("a"), read("heap"), read("b"), read("exit"), read("c")].map(Effect.either),
      { concurrency: "unbounded" },
    )
    expect(hanging).toMatchObject({ left: { reason: "took too long" } })
    const text = { right: { kind: "text", text: "hello" } }
    const tooLarge = { left: { reason: "too large" } }
    expect(others).toMatchObject([text, tooLarge, text, tooLarge, text])
  }).pipe(moody),
)

it.live("does not read a file whose reader has gone", () =>
  Effect.gen(function* () {
    const hanging = yield* Effect.fork(Effect.either(read("hang")))
    const waiting = yield* Effect.fork(read("hang"))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(waiting)
    yield* Fiber.join(hanging)
    // A second deadline would show as a failure of this file.
    expect(yield* read("a")).toMatchObject({ text: "hello" })
  }).pipe(moody),
)

it.live("refuses a PDF that inflates to too much, within 200 MB", () =>
  Effect.gen(function* () {
    const file = inflatingPdf(100 * MB)
    expect(file.length).toBeLessThan(MB)
    yield* read("warm", inflatingPdf(10))
    const before = process.memoryUsage.rss()
    let peak = 0
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10)
    const error = yield* Effect.flip(read("bomb.pdf", file))
    clearInterval(watch)
    expect(error).toMatchObject({ reason: "too large" })
    expect(peak - before).toBeLessThan(200 * MB)
  }).pipe(Effect.provide(AttachmentTextThreads.layer({ threads: 1 }))),
)
