/**
 * The life of one claimed batch: read, tell reports from mail, deliver. A batch that cannot be written is halved until
 * the mail that is to blame is alone; that one is tried again later, and counted. Whatever happens, no mail stays
 * leased when the batch is over.
 */
import {
  type Authentication,
  deliveryRetryAt,
  type Instant,
  type Lane,
  recipientsAtOnce,
  SECOND,
  SLOW_MAIL_PENALTY,
} from "@mailroom/domain"
import { Array, Cause, Clock, Context, Effect, Exit, Fiber, Layer, Option, type Scope } from "effect"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { isStorageAway, storageFailureIn } from "../ports/StorageFailure.js"
import { type QueuedMail, RawMailStore } from "../ports/stores/RawMailStore.js"
import { BounceProcessor, type Classified } from "../reports/BounceProcessor.js"
import { type DeliverableMail, LocalDelivery } from "./LocalDelivery.js"
import { MailReader, type ReadMail } from "./MailReader.js"
import { sizeOf } from "./rawContent.js"

/** Milliseconds until mail is claimed again whose storage was away. */
export const PAUSE_AFTER_FAILURE = 1 * SECOND
/** Milliseconds that a batch waits for the verdict on senders that are not known yet. */
const KNOWN_WITHIN = 50
/** Batches that wait for the name servers of their senders, before the next ones wait with them. */
const SLOW_SENDERS_MAX = 64
/** Milliseconds to free the leases of a batch that was interrupted. */
const RELEASE_WITHIN = 5 * SECOND

export interface ClaimedBatch {
  readonly lane: Lane
  readonly mails: ReadonlyArray<QueuedMail>
  readonly leaseUntil: Instant
}

const isPending = ({ authentication }: ReadMail): Effect.Effect<boolean> =>
  Fiber.isFiber(authentication)
    ? Effect.map(Fiber.poll(authentication), Option.isNone)
    : Effect.succeed(false)

/** The verdict on the sender, once it is there. */
const authenticated = ({ authentication }: ReadMail): Effect.Effect<Authentication> =>
  Fiber.isFiber(authentication) ? Effect.flatten(Fiber.await(authentication)) : Effect.succeed(authentication)

/** A mail in as many parts as it needs transactions: each serves some of its recipients. */
const partsOf = (mail: ReadMail, authentication: Authentication): ReadonlyArray<DeliverableMail> => {
  const { envelope, raw } = mail.queued
  const atOnce = recipientsAtOnce(sizeOf(raw.content))
  if (envelope.to.length <= atOnce) return [{ ...mail, authentication, later: null }]
  return Array.chunksOf(envelope.to, atOnce).map((to, index) => ({
    ...mail,
    queued: { ...mail.queued, envelope: { ...envelope, to } },
    authentication,
    later: envelope.to.slice((index + 1) * atOnce),
  }))
}

export class BatchDelivery extends Context.Tag("@mailroom/BatchDelivery")<
  BatchDelivery,
  {
    /**
     * Delivers a batch. `ready` completes before anything is written: when earlier batches of the same tenants are
     * done. `onWritten` runs when all mails are delivered but those whose senders' name servers are slow: these follow
     * by themselves, and hold up nothing that came with them. Dies with `StorageFailure` while the storage is away; the
     * mail is then free again and the claim does not count.
     */
    readonly deliver: (
      batch: ClaimedBatch,
      ready: Effect.Effect<void>,
      onWritten: Effect.Effect<void>,
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    BatchDelivery,
    Effect.gen(function* () {
      const rawMails = yield* RawMailStore
      const reader = yield* MailReader
      const deliverer = yield* LocalDelivery
      const returned = yield* BounceProcessor
      const slowSenders = yield* Effect.makeSemaphore(SLOW_SENDERS_MAX)

      const retryLater = Effect.fnUntraced(function* (
        { id, attempts }: QueuedMail,
        leaseUntil: Instant,
        cause: Cause.Cause<unknown>,
      ) {
        const now = yield* Clock.currentTimeMillis
        const at = deliveryRetryAt(attempts, now)
        yield* Effect.logError(
          `Mail ${id} could not be delivered (attempt ${attempts}); next attempt in ${Math.ceil((at - now) / SECOND)} s`,
          cause,
        )
        yield* rawMails.retry(id, leaseUntil, at)
      })

      /**
       * Whether writing failed because the storage is gone, and not because of what was written: a database that ends a
       * connection over one statement answers the next one.
       */
      const isAway = (cause: Cause.Cause<unknown>): Effect.Effect<boolean> =>
        Option.exists(storageFailureIn(cause), ({ reason }) => reason === "full")
          ? Effect.succeed(true)
          : isStorageAway(cause)
            ? Effect.map(Effect.exit(rawMails.backlog(1)), Exit.isFailure)
            : Effect.succeed(false)

      /**
       * Does the work for all mails. If that fails and the storage is there, does it for each half, and at last for each
       * mail alone. A mail is blamed for a lost connection only when it loses a second one: the first can be an outage
       * that was over before `isAway` had its answer.
       */
      const isolating = <M>(
        items: ReadonlyArray<M>,
        queuedOf: (item: M) => QueuedMail,
        leaseUntil: Instant,
        work: (items: ReadonlyArray<M>) => Effect.Effect<void>,
        hasFailed = false,
      ): Effect.Effect<void> =>
        items.length === 0
          ? Effect.void
          : Effect.catchAllCause(work(items), (cause) =>
              Effect.gen(function* () {
                if (Cause.isInterrupted(cause) || (yield* isAway(cause)))
                  return yield* Effect.failCause(cause)
                const [only, ...others] = items
                if (only !== undefined && others.length === 0 && (hasFailed || !isStorageAway(cause)))
                  return yield* retryLater(queuedOf(only), leaseUntil, cause)
                const half = Math.ceil(items.length / 2)
                yield* isolating(items.slice(0, half), queuedOf, leaseUntil, work, true)
                yield* isolating(items.slice(half), queuedOf, leaseUntil, work, true)
              }),
            )

      const deliverMails = (mails: ReadonlyArray<ReadMail>, leaseUntil: Instant) =>
        isolating(
          mails,
          ({ queued }) => queued,
          leaseUntil,
          Effect.fnUntraced(function* (some) {
            const parts = yield* Effect.forEach(some, (mail) =>
              Effect.map(authenticated(mail), (authentication) => partsOf(mail, authentication)),
            )
            const [split, whole] = Array.partition(parts, ({ length }) => length === 1)
            if (whole.length > 0) yield* deliverer.deliver(whole.flat(), leaseUntil)
            for (const part of split.flat()) yield* deliverer.deliver([part], leaseUntil)
          }),
        )

      const deliverReports = ({ reports }: Classified<ReadMail>, leaseUntil: Instant) =>
        isolating(
          reports,
          ({ mail }) => mail.queued,
          leaseUntil,
          (some) => returned.deliver(some, leaseUntil),
        )

      /** Those of the mails whose senders are still being judged after a short wait. */
      const stillPending = Effect.fnUntraced(function* (mails: ReadonlyArray<ReadMail>) {
        const pending = yield* Effect.filter(mails, isPending)
        if (pending.length === 0) return pending
        yield* Effect.timeoutOption(
          Effect.forEach(pending, (mail) => Effect.exit(authenticated(mail)), { discard: true }),
          KNOWN_WITHIN,
        )
        return yield* Effect.filter(pending, isPending)
      })

      const work = Effect.fnUntraced(function* (
        { lane, mails, leaseUntil }: ClaimedBatch,
        ready: Effect.Effect<void>,
        onWritten: Effect.Effect<void>,
      ): Effect.fn.Return<void, never, Scope.Scope> {
        const { read, slow, broken } = yield* reader.read(mails, lane)
        if (slow.length > 0) {
          const turn = (yield* Clock.currentTimeMillis) + SLOW_MAIL_PENALTY
          yield* rawMails.slowDown(
            slow.map(({ id }) => id),
            leaseUntil,
            turn,
          )
        }
        for (const { queued, cause } of broken) yield* retryLater(queued, leaseUntil, cause)
        const sorted = yield* returned.classify(read)
        yield* ready
        yield* deliverReports(sorted, leaseUntil)
        const waiting = yield* stillPending(sorted.mails)
        yield* deliverMails(Array.difference(sorted.mails, waiting), leaseUntil)
        if (waiting.length === 0) return yield* onWritten
        yield* slowSenders.take(1)
        yield* Effect.ensuring(
          Effect.zipRight(onWritten, deliverMails(waiting, leaseUntil)),
          slowSenders.release(1),
        )
      })

      /** Frees what is still leased. Entries that were delivered are gone, and those that were put off are free. */
      const release = ({ mails, leaseUntil }: ClaimedBatch) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          rawMails.release(
            mails.map(({ id }) => id),
            leaseUntil,
            now + PAUSE_AFTER_FAILURE,
          ),
        )

      return {
        deliver: (batch, ready, onWritten) =>
          Effect.scoped(work(batch, ready, onWritten)).pipe(
            Effect.withSpan("BatchDelivery.deliver", {
              attributes: { mails: batch.mails.length },
              captureStackTrace: false,
            }),
            // The claim is worth nothing to others until it is free: wait for a storage that is away.
            Effect.tapErrorCause((cause) =>
              Cause.isInterrupted(cause) ? Effect.void : retryWhileUnavailable(release(batch)),
            ),
            Effect.onInterrupt(() =>
              Effect.ignoreLogged(Effect.timeout(Effect.interruptible(release(batch)), RELEASE_WITHIN)),
            ),
          ),
      }
    }),
  )
}
