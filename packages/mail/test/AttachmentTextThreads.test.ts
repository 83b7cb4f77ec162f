import { AttachmentText } from "@mailroom/engine"
import { AttachmentTextThreads } from "@mailroom/mail"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { attachmentTextContract, inflatingPdf } from "./attachmentText.contract.js"

attachmentTextContract("AttachmentTextThreads", AttachmentTextThreads.layer())

const moody = (deadline: "300 millis" | "20 seconds") =>
  Effect.provide(
    AttachmentTextThreads.layer({
      workerFile: new URL("./support/moodyDocumentWorker.mjs", import.meta.url),
      threads: 1,
      deadline,
      maxHeapMb: 32,
    }),
  )

const read = (filename: string, bytes: Uint8Array = Buffer.from("hello")) =>
  Effect.flatMap(AttachmentText, (reader) => reader.read({ filename, contentType: "text/plain", bytes }))

const MB = 1024 * 1024

/** Reads files at once, on one thread. */
const readAll = (...filenames: ReadonlyArray<string>) =>
  Effect.all(
    filenames.map((filename) => Effect.either(read(filename))),
    { concurrency: "unbounded" },
  )

const text = { right: { kind: "text", text: "hello" } }

it.live("replaces a thread that hangs; other files are read", () =>
  Effect.gen(function* () {
    expect(yield* readAll("a", "hang", "b")).toMatchObject([
      text,
      { left: { reason: "took too long" } },
      text,
    ])
  }).pipe(moody("300 millis")),
)

it.live("replaces a thread that crashes or fills its heap; other files are read", () =>
  Effect.gen(function* () {
    const tooLarge = { left: { reason: "too large" } }
    expect(yield* readAll("heap", "a", "exit", "b")).toMatchObject([tooLarge, text, tooLarge, text])
  }).pipe(moody("20 seconds")),
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
  }).pipe(moody("300 millis")),
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
