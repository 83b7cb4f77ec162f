/** Keeps the deliver stage running: claim, read, deliver, in order, the next batch being read meanwhile. */
import { type Instant, MINUTE, SECOND } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { Blobs } from "../ports/Blobs.js"
import { MimeParser } from "../ports/MimeParser.js"
import { Signals } from "../ports/Signals.js"
import { type QueuedMail, RawMailStore } from "../ports/stores/RawMailStore.js"
import { Deliverer } from "./Deliverer.js"
import { type ReadMail, readMail } from "./readMail.js"

const BATCH_MAX = 64
/** Mails of one batch that are read at the same time; the parser has limits of its own. */
const READ_CONCURRENCY = 32
const LEASE = 2 * MINUTE
/** How often the queue is looked at when no signal comes. */
const POLL = 5 * SECOND
/** The pause after the store or the blob store failed. */
const PAUSE_AFTER_FAILURE = 1 * SECOND

interface Batch<M> {
  readonly mails: ReadonlyArray<M>
  readonly leaseUntil: Instant
}

export class DeliveryWorker extends Context.Tag("@mailroom/DeliveryWorker")<
  DeliveryWorker,
  {
    /** Delivers what is in the queue now, and returns how many mails that were. */
    readonly drain: Effect.Effect<number>
    /** Delivers for ever. */
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.effect(
    DeliveryWorker,
    Effect.gen(function* () {
      const rawMails = yield* RawMailStore
      const deliverer = yield* Deliverer
      const signals = yield* Signals
      const parser = yield* MimeParser
      const read = readMail(yield* Blobs, parser)

      const claim = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const leaseUntil = now + LEASE
        const mails = yield* rawMails.claim(BATCH_MAX, now, leaseUntil)
        return { mails, leaseUntil } satisfies Batch<QueuedMail>
      })
      const readBatch = ({ mails, leaseUntil }: Batch<QueuedMail>) =>
        Effect.map(Effect.forEach(mails, read, { concurrency: READ_CONCURRENCY }), (done) => ({
          mails: done,
          leaseUntil,
        }))
      const deliverBatch = ({ mails, leaseUntil }: Batch<ReadMail>) => deliverer.deliver(mails, leaseUntil)

      const run = Effect.gen(function* () {
        const { wait } = yield* signals.subscribe("mail")
        // A parser that starts threads does so now, not when the first mail waits for it.
        yield* Effect.forkScoped(parser.parse(new Uint8Array()))
        const nextBatch = Effect.repeat(
          Effect.tap(claim, ({ mails }) =>
            mails.length > 0 ? Effect.void : Effect.timeoutOption(wait, POLL).pipe(Effect.asVoid),
          ),
          { until: ({ mails }) => mails.length > 0 },
        )
        yield* Stream.repeatEffect(nextBatch).pipe(
          // Order is kept: while one batch is written, the next one is parsed.
          Stream.mapEffect(readBatch, { concurrency: 2 }),
          Stream.runForEach(deliverBatch),
        )
      }).pipe(
        Effect.scoped,
        Effect.catchAllCause((cause) =>
          Effect.logError("Delivery paused; the mail is safe and will be tried again", cause),
        ),
        Effect.zipRight(Effect.sleep(PAUSE_AFTER_FAILURE)),
        Effect.forever,
      )

      const drain = Stream.paginateEffect(0, (total) =>
        Effect.flatMap(claim, (batch) =>
          Effect.as(Effect.flatMap(readBatch(batch), deliverBatch), [
            total,
            batch.mails.length === 0 ? Option.none() : Option.some(total + batch.mails.length),
          ] as const),
        ),
      ).pipe(
        Stream.runLast,
        Effect.map((last) => Option.getOrElse(last, () => 0)),
      )

      return { run, drain }
    }),
  )
}
