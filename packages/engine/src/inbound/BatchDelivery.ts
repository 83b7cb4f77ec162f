/**
 * Delivers one claimed batch in four steps: `MailReader` reads the mails, `BounceProcessor` separates reports from the mails
 * that become messages, `BounceProcessor` applies the reports, `LocalDelivery` writes the messages. A batch that cannot be
 * written is halved until the mail that fails is alone. That mail is retried later, and the attempt counts. No mail of the
 * batch stays leased afterwards.
 */
import {
  deliveryRetryAt,
  type Instant,
  type Lane,
  mailboxAddress,
  recipientsAtOnce,
  SECOND,
  SLOW_MAIL_PENALTY,
} from "@mailroom/domain"
import { Array, Cause, Clock, Context, Effect, Exit, Fiber, Layer, Option, type Scope } from "effect"
import { eachValue } from "../eachValue.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { isStorageAway, storageFailureIn } from "../ports/StorageFailure.js"
import { type QueuedMail, RawMailStore } from "../ports/stores/RawMailStore.js"
import type { Envelope } from "../ports/MailSpool.js"
import { BounceProcessor, type Classified } from "../reports/BounceProcessor.js"
import type { DeliverableMail, Verdicts } from "./arrivals.js"
import { LocalDelivery } from "./LocalDelivery.js"
import { MailReader, type ReadMail } from "./MailReader.js"
import { sizeOf } from "./rawContent.js"

/** Milliseconds until mail is claimed again after an outage of the storage. */
export const PAUSE_AFTER_FAILURE = 1 * SECOND
/**
 * Milliseconds that a batch waits for sender authentication and the spam filter. Mail that waits longer is written in transactions of
 * its own, in rounds: the next one waits `ROUND_FACTOR` times as long.
 */
const VERDICTS_WITHIN = 50
const ROUND_FACTOR = 4
/** Batches without a slot of their track that may wait for DNS lookups or the spam filter. A further batch keeps its slot until one of them ends. */
const PENDING_VERDICTS_MAX = 64
/** Milliseconds that an interrupted batch may take to free its leases. */
const RELEASE_WITHIN = 5 * SECOND

export interface ClaimedBatch {
  readonly lane: Lane
  readonly mails: ReadonlyArray<QueuedMail>
  readonly leaseUntil: Instant
}

/** The lookups about a mail that were started. */
const lookupsOf = ({ authentication, spam }: ReadMail): ReadonlyArray<Fiber.Fiber<unknown, unknown>> =>
  [authentication, spam].filter((verdict) => Fiber.isFiber(verdict))

const isPending = (mail: ReadMail): Effect.Effect<boolean> =>
  Effect.exists(lookupsOf(mail), (lookup) => Effect.map(Fiber.poll(lookup), Option.isNone))

const resultOf = <A>(result: A | Fiber.Fiber<A>): Effect.Effect<A> =>
  Fiber.isFiber(result) ? Effect.flatten(Fiber.await(result)) : Effect.succeed(result)

/** Waits for the results of sender authentication and of the spam filter. */
const verdictsOn = ({ authentication, spam }: ReadMail): Verdicts | Effect.Effect<Verdicts> =>
  Fiber.isFiber(authentication) || Fiber.isFiber(spam)
    ? Effect.zipWith(resultOf(authentication), resultOf(spam), (sender, judgement) => ({
        authentication: sender,
        spam: judgement,
      }))
    : { authentication, spam }

/** One address of each mailbox. */
const oneOfEach = (addresses: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Map(addresses.map((address) => [mailboxAddress(address), address])).values(),
]

/**
 * The mail itself, or its parts for up to `recipientsAtOnce` recipients each, one for each transaction. `claimed` is its envelope
 * in the queue: the mail may be for others, in place of the return paths that it was sent to.
 */
const partsOf = (mail: ReadMail, verdicts: Verdicts, claimed: Envelope): ReadonlyArray<DeliverableMail> => {
  const { envelope, raw } = mail.queued
  const atOnce = recipientsAtOnce(sizeOf(raw.content))
  if (envelope.to.length <= atOnce) return [{ ...mail, ...verdicts, rest: null }]
  // A mail is one message for a mailbox: in two parts, two addresses of it would be two.
  const recipients = oneOfEach(envelope.to)
  const from = (index: number) => recipients.slice(index * atOnce)
  return Array.chunksOf(recipients, atOnce).map((to, index) => {
    const left = from(index + 1)
    const before = index === 0 ? claimed : { ...envelope, to: from(index) }
    return {
      ...mail,
      queued: { ...mail.queued, envelope: { ...envelope, to } },
      ...verdicts,
      rest: left.length === 0 ? null : { before, to: left },
    }
  })
}

export class BatchDelivery extends Context.Tag("@mailroom/BatchDelivery")<
  BatchDelivery,
  {
    /**
     * Delivers a batch. It writes nothing before `ready` completes, which waits for earlier batches of the same tenants.
     * `onWritten` runs when all mails are delivered except those that still wait for sender authentication or the spam filter;
     * these follow when their lookups end, perhaps after later mail of the same tenant. Dies with `StorageFailure` during an outage of the
     * storage. The mails that are left are then released, and the attempt does not count.
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
      const delivery = yield* LocalDelivery
      const bounces = yield* BounceProcessor
      const pendingVerdicts = yield* Effect.makeSemaphore(PENDING_VERDICTS_MAX)

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
       * Whether a write failed because of an outage. A database that closes a connection because of one statement still
       * answers the next one, so this asks it something.
       */
      const isAway = (cause: Cause.Cause<unknown>): Effect.Effect<boolean> =>
        Option.exists(storageFailureIn(cause), ({ reason }) => reason === "full")
          ? Effect.succeed(true)
          : isStorageAway(cause)
            ? Effect.map(Effect.exit(rawMails.backlog(1)), Exit.isFailure)
            : Effect.succeed(false)

      /**
       * Runs `work` for all items. If it fails although the storage answers, runs it for each half, and finally for each mail
       * alone. A single mail is retried later only after its second lost connection: the first may be an outage that
       * ended before `isAway` asked.
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

      const deliverMails = (mails: ReadonlyArray<ReadMail>, { mails: claimed, leaseUntil }: ClaimedBatch) => {
        const envelopes = new Map(claimed.map(({ id, envelope }) => [id, envelope]))
        return isolating(
          mails,
          ({ queued }) => queued,
          leaseUntil,
          Effect.fnUntraced(function* (some) {
            const verdicts = yield* eachValue(some, verdictsOn, 1)
            const parts = Array.zipWith(some, verdicts, (mail, verdict) =>
              partsOf(mail, verdict, envelopes.get(mail.queued.id) ?? mail.queued.envelope),
            )
            const [split, whole] = Array.partition(parts, ({ length }) => length === 1)
            if (whole.length > 0) yield* delivery.deliver(whole.flat(), leaseUntil)
            for (const part of split.flat()) yield* delivery.deliver([part], leaseUntil)
          }),
        )
      }

      const deliverReports = ({ reports }: Classified<ReadMail>, leaseUntil: Instant) =>
        isolating(
          reports,
          ({ mail }) => mail.queued,
          leaseUntil,
          (some) => bounces.deliver(some, leaseUntil),
        )

      /** The mails without their verdicts after so many milliseconds. */
      const stillPending = Effect.fnUntraced(function* (mails: ReadonlyArray<ReadMail>, wait: number) {
        const lookedUp = mails.filter((mail) => lookupsOf(mail).length > 0)
        const pending = yield* Effect.filter(lookedUp, isPending)
        if (pending.length === 0) return pending
        yield* Effect.timeoutOption(
          Effect.forEach(pending.flatMap(lookupsOf), Fiber.await, { discard: true }),
          wait,
        )
        return yield* Effect.filter(pending, isPending)
      })

      /** Delivers the mails whose lookups end within so many milliseconds, and returns the others. */
      const deliverReady = Effect.fnUntraced(function* (
        mails: ReadonlyArray<ReadMail>,
        batch: ClaimedBatch,
        wait: number,
      ) {
        const waiting = yield* stillPending(mails, wait)
        yield* deliverMails(Array.difference(mails, waiting), batch)
        return waiting
      })

      /**
       * Delivers mails whose lookups take long, in rounds that each wait four times as long: a tenant's silent name servers do not hold
       * up the others' mail, and however many tenants the batch has, it is written in a few transactions.
       */
      const deliverWaiting = (
        mails: ReadonlyArray<ReadMail>,
        batch: ClaimedBatch,
        wait: number,
      ): Effect.Effect<void> =>
        Effect.flatMap(deliverReady(mails, batch, wait), (waiting) =>
          waiting.length === 0 ? Effect.void : deliverWaiting(waiting, batch, wait * ROUND_FACTOR),
        )

      const work = Effect.fnUntraced(function* (
        batch: ClaimedBatch,
        ready: Effect.Effect<void>,
        onWritten: Effect.Effect<void>,
      ): Effect.fn.Return<void, never, Scope.Scope> {
        const { lane, mails, leaseUntil } = batch
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
        const sorted = yield* bounces.classify(read)
        yield* ready
        yield* deliverReports(sorted, leaseUntil)
        const waiting = yield* deliverReady(sorted.mails, batch, VERDICTS_WITHIN)
        if (waiting.length === 0) return yield* onWritten
        yield* pendingVerdicts.take(1)
        yield* Effect.ensuring(
          Effect.zipRight(onWritten, deliverWaiting(waiting, batch, VERDICTS_WITHIN * ROUND_FACTOR)),
          pendingVerdicts.release(1),
        )
      })

      /** Releases the mails that are still leased. Delivered mails and those to retry no longer are. */
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
            // No process can claim these mails before they are released, so this waits for the storage.
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
