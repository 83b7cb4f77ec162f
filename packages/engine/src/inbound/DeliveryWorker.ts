/** Keeps the deliver stage running: claim, read, deliver, in order, the next batch being read meanwhile. */
import { type Authentication, type Instant, MINUTE, SECOND } from "@mailroom/domain"
import { Array, type Cause, Clock, Context, Effect, Fiber, Layer, Option, Stream } from "effect"
import { Blobs } from "../ports/Blobs.js"
import { MimeParser } from "../ports/MimeParser.js"
import { SenderAuthentication } from "../ports/SenderAuthentication.js"
import { Signals } from "../ports/Signals.js"
import { storageFailureIn } from "../ports/StorageFailure.js"
import { type QueuedMail, RawMailStore } from "../ports/stores/RawMailStore.js"
import { ReturnedMail, type Sorted } from "../reports/ReturnedMail.js"
import { type DeliverableMail, Deliverer } from "./Deliverer.js"
import { Intake } from "./Intake.js"
import { type ReadMail, readMails } from "./readMails.js"

const BATCH_MAX = 128
/** Batches that are read while one is written. */
const READ_AHEAD = 3
const LEASE = 2 * MINUTE
/** How often the queue is looked at when no signal comes. */
const POLL = 5 * SECOND
/** How long accepting comes before delivering. */
const GIVE_WAY_MAX = 1.5 * SECOND
/** The pause after the store or the blob store failed. */
const PAUSE_AFTER_FAILURE = 1 * SECOND

/** How long a batch waits for what is not known yet about a sender: milliseconds. */
const KNOWN_WITHIN = 50
/** Parts of batches that may be waiting for name servers, before the next ones wait with them. */
const SLOW_BATCHES_MAX = 64

interface Batch<M> {
  readonly mails: ReadonlyArray<M>
  readonly leaseUntil: Instant
}

/** A batch whose mails were read. */
interface ReadBatch extends Sorted<ReadMail> {
  readonly leaseUntil: Instant
}

/** How large the last batch was, and whether the next ones follow without giving way. */
interface Pace {
  readonly size: number
  readonly hurried: boolean
}

const AT_ONCE: Pace = { size: BATCH_MAX, hurried: true }

const isPending = ({ authentication }: ReadMail): Effect.Effect<boolean> =>
  Fiber.isFiber(authentication)
    ? Effect.map(Fiber.poll(authentication), Option.isNone)
    : Effect.succeed(false)

/** Waits until it is known. */
const authenticated = ({ authentication }: ReadMail): Effect.Effect<Authentication> =>
  Fiber.isFiber(authentication) ? Effect.flatten(Fiber.await(authentication)) : Effect.succeed(authentication)

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
      const returned = yield* ReturnedMail
      const signals = yield* Signals
      const intake = yield* Intake
      const parser = yield* MimeParser
      // A mail whose reading breaks stays leased, and waits for its next claim alone.
      const read = readMails(yield* Blobs, parser, yield* SenderAuthentication, ({ id }, cause) =>
        Effect.logError(`Mail ${id} could not be read`, cause),
      )

      const claim = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const leaseUntil = now + LEASE
        const mails = yield* rawMails.claim(BATCH_MAX, now, leaseUntil)
        return { mails, leaseUntil } satisfies Batch<QueuedMail>
      })
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
        read(mails).pipe(
          Effect.flatMap(returned.sort),
          Effect.map((sorted): ReadBatch => ({ ...sorted, leaseUntil })),
          Effect.tapErrorCause((cause) => giveBack(mails, cause)),
        )
      /** Waits for what is being found out about the senders. */
      const deliverMails = (mails: ReadonlyArray<ReadMail>, leaseUntil: Instant) =>
        Effect.forEach(mails, (mail) =>
          Effect.map(authenticated(mail), (authentication): DeliverableMail => ({
            ...mail,
            authentication,
          })),
        ).pipe(
          Effect.flatMap((all) => deliverer.deliver(all, leaseUntil)),
          Effect.tapErrorCause((cause) =>
            giveBack(
              mails.map(({ queued }) => queued),
              cause,
            ),
          ),
        )
      const deliverReports = ({ reports, leaseUntil }: ReadBatch) =>
        Effect.tapErrorCause(returned.deliver(reports, leaseUntil), (cause) =>
          giveBack(
            reports.map(({ mail }) => mail.queued),
            cause,
          ),
        )
      const deliverBatch = (batch: ReadBatch) =>
        Effect.zipRight(deliverReports(batch), deliverMails(batch.mails, batch.leaseUntil))

      /**
       * The same, but mail of a domain whose name servers are silent follows by itself: it would hold up all that
       * came with it.
       */
      const deliverWhatIsKnown = Effect.fnUntraced(function* (batch: ReadBatch, slow: Effect.Semaphore) {
        const { mails, leaseUntil } = batch
        yield* deliverReports(batch)
        const pending = yield* Effect.filter(mails, isPending)
        if (pending.length > 0)
          yield* Effect.timeoutOption(
            Effect.forEach(pending, (mail) => Effect.exit(authenticated(mail)), { discard: true }),
            KNOWN_WITHIN,
          )
        const waiting = yield* Effect.filter(pending, isPending)
        const known = Array.difference(mails, waiting)
        yield* Effect.when(deliverMails(known, leaseUntil), () => known.length > 0)
        if (waiting.length === 0) return
        yield* slow.take(1)
        yield* deliverMails(waiting, leaseUntil).pipe(
          Effect.catchAllCause((cause) =>
            Effect.logError("Mail of slow senders is safe and will be tried again", cause),
          ),
          Effect.ensuring(slow.release(1)),
          Effect.forkScoped,
        )
      })

      const run = Effect.gen(function* () {
        const { wait } = yield* signals.subscribe("mail")
        const slow = yield* Effect.makeSemaphore(SLOW_BATCHES_MAX)
        // A parser that starts threads does so now, not when the first mail waits for it.
        yield* Effect.forkScoped(parser.parse([new Uint8Array()]))
        /** Accepting mail that pours in comes first; whether that went on for too long. */
        const giveWay = Effect.map(Effect.timeoutOption(intake.lull, GIVE_WAY_MAX), Option.isNone)
        /**
         * The next batch that is not empty. What has been given way to for too long is delivered in one go, and so
         * are the neighbours of a suspect, which is claimed alone.
         */
        const nextBatch = (last: Pace): Effect.Effect<readonly [Batch<QueuedMail>, Pace]> =>
          Effect.gen(function* () {
            if (last.size < BATCH_MAX) yield* Effect.timeoutOption(wait, POLL)
            const hurried = last.hurried || (yield* giveWay)
            const batch = yield* claim
            const size = batch.mails.length
            if (size === 0) return yield* nextBatch({ size, hurried: false })
            const isSuspect = batch.mails.some(({ attempts }) => attempts > 1)
            return [batch, isSuspect ? AT_ONCE : { size, hurried: hurried && size === BATCH_MAX }] as const
          })
        // What was left by whoever worked before is claimed without waiting for a signal.
        const batches = Stream.paginateEffect(AT_ONCE, (last) =>
          Effect.map(nextBatch(last), ([batch, pace]) => [batch, Option.some(pace)] as const),
        )
        yield* batches.pipe(
          // Order is kept: while one batch is written, the next ones are parsed.
          Stream.mapEffect(readBatch, { concurrency: READ_AHEAD }),
          Stream.runForEach((batch) => deliverWhatIsKnown(batch, slow)),
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
        Effect.scoped,
      )

      return { run, drain }
    }),
  )
}
