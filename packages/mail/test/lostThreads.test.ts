/** A worker thread that crashes has a log line, which says what it had in hand, and is counted. */
import { AttachmentText, MailSigner, MimeParser } from "@mailroom/engine"
import { AttachmentTextThreads, MimeParserPool, SignatureThread } from "@mailroom/mail"
import { logLinesOf } from "@mailroom/test-services"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { signingKey } from "./mailSigner.contract.js"
import { dnsWith } from "./support/senders.js"

const moody = (name: string) => ({
  workerFile: new URL(`./support/${name}.mjs`, import.meta.url),
  maxHeapMb: 32,
})

const mail = Buffer.from("From: ada@acme.dev\r\nSubject: exit\r\n\r\nexit")
const hostile = Buffer.concat([mail, Buffer.from(" now\r\n"), Buffer.alloc(20_000, "x")])

const inFastLane = Effect.flatMap(MimeParser, ({ parseFast }) => parseFast([mail]))
const aDocument = { filename: "exit", contentType: "text/plain", bytes: mail }
const reading = Effect.flatMap(AttachmentText, (reader) => reader.read(aDocument))
const signing = Effect.flatMap(MailSigner, (signer) => signer.sign(hostile, signingKey))

const uses: ReadonlyArray<{
  readonly thread: string
  readonly use: Effect.Effect<unknown, unknown>
  readonly hand: object
}> = [
  {
    thread: "parser",
    use: Effect.provide(inFastLane, MimeParserPool.layer(moody("moodyWorker"))),
    hand: { reason: "the parser stopped", lane: "fast", mails: 1, bytes: mail.length },
  },
  {
    thread: "documents",
    use: Effect.provide(reading, AttachmentTextThreads.layer(moody("moodyDocumentWorker"))),
    hand: { reason: "the document thread stopped", types: ["text/plain"], bytes: mail.length },
  },
  {
    thread: "signatures",
    use: Effect.provide(
      signing,
      Layer.provide(SignatureThread.layer(moody("moodySignatureWorker")), dnsWith({})),
    ),
    hand: { reason: "the signature thread stopped", tasks: ["sign"], mails: 1, bytes: hostile.length },
  },
]

const lost = (thread: string) =>
  Effect.map(
    Metric.value(
      Metric.tagged(
        Metric.counter("mailroom_threads_lost_total", {
          description: "worker threads that crashed or took too long, by thread",
          incremental: true,
        }),
        "thread",
        thread,
      ),
    ),
    ({ count }) => count,
  )

for (const { hand, thread, use } of uses)
  it.live(thread, () =>
    Effect.gen(function* () {
      const before = yield* lost(thread)
      const lines = yield* logLinesOf(Effect.exit(use))
      expect(lines).toEqual([{ level: "WARN", said: ["A worker thread was lost", { thread, ...hand }] }])
      expect(yield* lost(thread)).toBe(before + 1)
    }),
  )
