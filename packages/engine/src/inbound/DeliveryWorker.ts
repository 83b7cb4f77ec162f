/** Keeps the deliver stage running: claim, read, deliver, in order, the next batch being read meanwhile. */
import { type Instant, MINUTE, SECOND } from "@mailroom/domain"
import { Array, Cause, Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { Blobs } from "../ports/Blobs.js"
import { MimeParser } from "../ports/MimeParser.js"
import { Signals } from "../ports/Signals.js"
import { storageFailureIn } from "../ports/StorageFailure.js"
import { type QueuedMail, RawMailStore } from "../ports/stores/RawMailStore.js"
import { Deliverer } from "./Deliverer.js"
import { type ReadMail, readMail } from "./readMail.js"

const BATCH_MAX = 256
/** Mails of one batch that are read at the same time; the parser has limits of its own. */
const READ_CONCURRENCY = 64
const LEASE = 2 * MINUTE
/** How often the queue is looked at when no signal comes. */
const POLL = 5 * SECOND
/** No signal for this long is a lull. */
const LULL = 5
/** The longest wait for a lull. */
const LULL_WAIT_MAX = 250
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
      /** A mail whose reading breaks waits for its next claim alone; without storage the whole batch waits. */
      const readOrLeave = (queued: QueuedMail) =>
        read(queued).pipe(
          Effect.asSome,
          Effect.catchSomeCause((cause) =>
            Cause.isInterrupted(cause) || Option.isSome(storageFailureIn(cause))
              ? Option.none()
              : Option.some(
                  Effect.as(Effect.logError(`Mail ${queued.id} could not be read`, cause), Option.none()),
                ),
          ),
        )
      /** While storage is away nobody is to blame: the mail goes back, and the attempt does not count. */
      const giveBack = (mails: ReadonlyArray<QueuedMail>, cause: Cause.Cause<unknown>) =>
        Effect.gen(function* () {
          if (Option.isNone(storageFailureIn(cause))) return
          const now = yield* Clock.currentTimeMillis
          yield* rawMails.release(
            mails.map(({ id }) => id),
            now + PAUSE_AFTER_FAILURE,
          )
        }).pipe(Effect.catchAllCause(() => Effect.void))

      const readBatch = ({ mails, leaseUntil }: Batch<QueuedMail>) =>
        Effect.forEach(mails, readOrLeave, { concurrency: READ_CONCURRENCY }).pipe(
          Effect.map((done) => ({ mails: Array.getSomes(done), leaseUntil })),
          Effect.tapErrorCause((cause) => giveBack(mails, cause)),
        )
      const deliverBatch = ({ mails, leaseUntil }: Batch<ReadMail>) =>
        Effect.tapErrorCause(deliverer.deliver(mails, leaseUntil), (cause) =>
          giveBack(
            mails.map(({ queued }) => queued),
            cause,
          ),
        )

      const run = Effect.gen(function* () {
        const { wait } = yield* signals.subscribe("mail")
        // A parser that starts threads does so now, not when the first mail waits for it.
        yield* Effect.forkScoped(parser.parse(new Uint8Array()))
        /** While mail pours in, accepting it comes first, and many are cheaper to deliver together. */
        const lull = Effect.timeoutOption(wait, LULL).pipe(
          Effect.repeat({ until: Option.isNone }),
          Effect.timeoutOption(LULL_WAIT_MAX),
        )
        /** The next batch that is not empty. A lone mail never waits; after a batch with company there may be more. */
        const nextBatch = (last: number): Effect.Effect<Batch<QueuedMail>> =>
          Effect.gen(function* () {
            if (last < BATCH_MAX) yield* Effect.timeoutOption(wait, POLL)
            if (last > 1 && last < BATCH_MAX) yield* lull
            const batch = yield* claim
            return batch.mails.length > 0 ? batch : yield* nextBatch(0)
          })
        // What was left by whoever worked before is claimed without waiting for a signal; so is a suspect's neighbour.
        const batches = Stream.paginateEffect(BATCH_MAX, (last) =>
          Effect.map(nextBatch(last), (batch) => {
            const suspect = batch.mails.some(({ attempts }) => attempts > 1)
            return [batch, Option.some(suspect ? BATCH_MAX : batch.mails.length)] as const
          }),
        )
        yield* batches.pipe(
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
