/** Runs the jobs of the queue: provisioning, system mail, and the later steps of long changes. Also collects unused blobs. */
import {
  type AccountId,
  HOUR,
  type Instant,
  type MailroomError,
  MINUTE,
  SECOND,
  releaseStorage,
  SYSTEM_MAIL_TRIED_FOR,
} from "@mailroom/domain"
import { Cause, Clock, Context, Effect, Layer, Option } from "effect"
import { AccountRemoval } from "../accounts/AccountRemoval.js"
import { BillingEnd } from "../billing/BillingEnd.js"
import { OwnerMail } from "../accounts/OwnerMail.js"
import { RoleMail } from "../accounts/RoleMail.js"
import { ReviewMail } from "../drafts/ReviewNotices.js"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { Integrity } from "../integrity/Integrity.js"
import { makeIdleWait } from "../workers/idleWait.js"
import { makeClaim } from "../workers/leasing.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { Blobs } from "../ports/Blobs.js"
import { Payments } from "../ports/Payments.js"
import { Signals } from "../ports/Signals.js"
import { isStorageAway } from "../ports/StorageFailure.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { BlobDraftStore } from "../ports/stores/BlobDraftStore.js"
import { CorrespondentStore } from "../ports/stores/CorrespondentStore.js"
import { isSystemMail, type JobRecord, type JobSpec, JobStore } from "../ports/stores/JobStore.js"
import { MailboxSuppressionStore } from "../ports/stores/MailboxSuppressionStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { MessageStore } from "../ports/stores/MessageStore.js"
import { ThreadStore } from "../ports/stores/ThreadStore.js"
import { SendOutcomes } from "../sending/SendOutcomes.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { WebhookRemoval } from "../webhooks/WebhookRemoval.js"
import { drainRounds, makeSupervisor } from "../workers/supervisor.js"
import { JobQueue } from "./JobQueue.js"

/** Jobs that one claim takes and that run side by side. A new job waits for one such group at most. */
const JOBS_AT_ONCE = 4
const LEASE = 2 * MINUTE
const POLL = 5 * SECOND
/** Rows that one step of a long job removes. */
const PURGE_STEP = 200
/** Rows of each kind that one step of merging or removing a thread changes. */
const THREAD_STEP = 50
/** Messages of an earlier version that one step prepares for filtered lists. */
const INDEX_STEP = 100
/** Messages of an earlier version that one step reads for correspondents. */
const CORRESPONDENTS_STEP = 100
/** Blobs without a row that one step removes. */
const BLOBS_AT_ONCE = 100
/** Milliseconds until these blobs are tried again after a failure of the blob store or of this process. */
const BLOBS_AGAIN_AFTER = 10 * MINUTE
/** Steps of a long job before other jobs run. */
const STEPS_A_TURN = 50
/** Milliseconds after which a long job lets others run, far below the lease: another process would run the job a second time. */
const TURN_TIME = 30 * SECOND
/**
 * Milliseconds until a failed job is retried. The delay doubles with each attempt, from the first to the last of these. After
 * an outage of the storage it starts at 1 s, because most outages are short.
 */
const RETRY_FIRST = 10 * SECOND
const RETRY_FIRST_AFTER_OUTAGE = 1 * SECOND
const RETRY_LAST = 1 * HOUR

/**
 * Why a failed job is given up; null when it is tried again. Only mail of the service itself is ever given up: when the relay
 * refused it, or after three days (docs/decisions/0014).
 */
const givenUpBecause = (job: JobRecord, cause: Cause.Cause<MailroomError>, now: Instant): string | null => {
  if (!isSystemMail(job.spec) && job.spec.kind !== "pass-on") return null
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure) && failure.value._tag === "RelayRefused") return failure.value.answer
  return now - job.since >= SYSTEM_MAIL_TRIED_FOR ? "it was tried for three days" : null
}

export class Jobs extends Context.Tag("@mailroom/Jobs")<
  Jobs,
  {
    /** Runs due jobs until none is left. */
    readonly drain: Effect.Effect<void>
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.scoped(
    Jobs,
    Effect.gen(function* () {
      const jobs = yield* JobStore
      const queue = yield* JobQueue
      const accounts = yield* AccountStore
      const mailboxes = yield* MailboxStore
      const messages = yield* MessageStore
      const suppressions = yield* MailboxSuppressionStore
      const webhookRemoval = yield* WebhookRemoval
      const threads = yield* ThreadStore
      const gated = yield* GatedMessages
      const integrity = yield* Integrity
      const sends = yield* SendOutcomes
      const correspondents = yield* CorrespondentStore
      const drafts = yield* BlobDraftStore
      const blobs = yield* Blobs
      const payments = yield* Payments
      const billingEnd = yield* BillingEnd
      const ownerMail = yield* OwnerMail
      const removal = yield* AccountRemoval
      const roleMail = yield* RoleMail
      const reviewMail = yield* ReviewMail
      const signals = yield* Signals
      const { commit } = yield* UnitOfWork

      const provision = Effect.fnUntraced(function* (mailboxId: Parameters<typeof mailboxes.remove>[0]) {
        const [mailbox] = yield* mailboxes.lock([mailboxId])
        if (mailbox !== undefined) yield* mailboxes.save({ ...mailbox, provisioned: true })
      })

      const purgeMailbox = ({ accountId, mailboxId }: Extract<JobSpec, { kind: "purge-mailbox" }>) =>
        commit(
          Effect.gen(function* () {
            // Lock order: unlocking gated messages also locks the account before its messages.
            const [account] = yield* accounts.lock([accountId])
            const purged = yield* messages.purge(mailboxId, PURGE_STEP)
            if (account !== undefined && purged.attachmentBytes > 0)
              yield* accounts.save(releaseStorage(account, purged.attachmentBytes))
            const keys = purged.blobKeys
            // In the transaction that removes the rows, so that a crash leaves no blob behind.
            if (keys.length > 0)
              yield* queue.add({ kind: "remove-blobs", keys }, yield* Clock.currentTimeMillis)
            const unsuppressed = yield* suppressions.purge(mailboxId, PURGE_STEP)
            return purged.removed < PURGE_STEP && unsuppressed < PURGE_STEP
          }),
        )

      /** Runs a step on the rows of a locked account. True, without a step, when the account was deleted. */
      const onAccount = (accountId: AccountId, step: Effect.Effect<boolean>) =>
        commit(
          Effect.flatMap(accounts.lock([accountId]), ([account]) =>
            account === undefined ? Effect.succeed(true) : step,
          ),
        )

      /** Prepares some messages of an account for filtered lists (docs/decisions/0060). True when no account has any. */
      const indexMessages = Effect.gen(function* () {
        const accountId = yield* messages.unindexed
        if (Option.isNone(accountId)) return true
        return yield* commit(
          Effect.flatMap(accounts.lock([accountId.value]), ([account]) =>
            // A deleted account has messages until it is purged. `Retention` adds the job again within an hour.
            account === undefined
              ? Effect.succeed(true)
              : Effect.as(messages.index(accountId.value, INDEX_STEP), false),
          ),
        )
      })

      /** Reads some messages of a mailbox for correspondents (docs/decisions/0067). True when no mailbox has any left. */
      const readCorrespondents = Effect.gen(function* () {
        const mailbox = yield* correspondents.unread
        if (Option.isNone(mailbox)) return true
        const { accountId, mailboxId } = mailbox.value
        yield* onAccount(accountId, correspondents.readSome(mailboxId, CORRESPONDENTS_STEP))
        return false
      })

      /** Runs up to 50 steps of a long job, for 30 s at most. A step returns true when it was the last; else a new job continues. */
      const inTurns = Effect.fnUntraced(function* (spec: JobSpec, step: Effect.Effect<boolean>) {
        const began = yield* Clock.currentTimeMillis
        let now = began
        for (let taken = 0; taken < STEPS_A_TURN && now - began < TURN_TIME; taken++) {
          if (yield* step) return
          // Yields to the event loop: the next step would take SQLite's only connection before waiting requests.
          yield* Effect.sleep(0)
          now = yield* Clock.currentTimeMillis
        }
        yield* commit(queue.add(spec, now))
      })

      const perform = (spec: JobSpec): Effect.Effect<void, MailroomError> => {
        switch (spec.kind) {
          case "provision-mailbox":
            return commit(provision(spec.mailboxId))
          case "send-verification":
          case "send-welcome":
          case "send-password-reset":
          case "send-sending-stopped":
            return ownerMail.send(spec)
          case "send-review-notice":
            return reviewMail.send(spec.accountId)
          case "pass-on":
            return roleMail.passOn(spec)
          case "remove-account":
            return inTurns(spec, removal.purge(spec.accountId))
          case "purge-mailbox":
            return inTurns(spec, purgeMailbox(spec))
          case "show-unlocked":
            return inTurns(spec, gated.show(spec.accountId))
          case "move-thread":
            return inTurns(spec, onAccount(spec.accountId, threads.move(spec.threadId, THREAD_STEP)))
          case "remove-thread":
            return inTurns(spec, onAccount(spec.accountId, threads.removeEmpty(spec.threadId, THREAD_STEP)))
          case "purge-webhook":
            return inTurns(spec, webhookRemoval.purgeStep(spec.webhookId))
          case "fail-deliveries":
            return inTurns(spec, webhookRemoval.failStep(spec.webhookId))
          case "remove-blobs":
            return blobs.remove(spec.keys)
          case "cancel-subscription":
            return payments.cancel(spec.reference)
          case "end-billing":
            return billingEnd.turn(spec.after)
          case "index-messages":
            return inTurns(spec, indexMessages)
          case "read-correspondents":
            return inTurns(spec, readCorrespondents)
          case "check-integrity":
            return integrity.turn(spec)
        }
      }

      const retryAt = (attempts: number, cause: Cause.Cause<unknown>, now: Instant): Instant => {
        const first = isStorageAway(cause) ? RETRY_FIRST_AFTER_OUTAGE : RETRY_FIRST
        return now + Math.min(RETRY_LAST, first * 2 ** (attempts - 1))
      }

      const supervisor = makeSupervisor("jobs")

      /** Removes a job that was done or is given up, with what it kept. */
      const end = ({ id, spec }: JobRecord) =>
        spec.kind === "pass-on" ? roleMail.end(id, spec) : jobs.done(id)

      const work = (job: JobRecord) =>
        supervisor.task(perform(job.spec), { job: job.id, kind: job.spec.kind, attempt: job.attempts }).pipe(
          Effect.zipRight(end(job)),
          Effect.catchAllCause((cause) =>
            Effect.gen(function* () {
              const now = yield* Clock.currentTimeMillis
              const reason = givenUpBecause(job, cause, now)
              if (reason !== null) {
                yield* Effect.logWarning(`Job ${job.spec.kind} is given up: ${reason}`)
                return yield* retryWhileUnavailable(end(job))
              }
              yield* supervisor.failed(cause)
              yield* retryWhileUnavailable(jobs.retry(job.id, retryAt(job.attempts, cause, now)))
            }),
          ),
          Effect.annotateLogs({ job: job.spec.kind }),
        )

      const leased = yield* makeClaim({ lease: LEASE, abandon: jobs.abandonClaim, topics: ["jobs"] })

      /** Claims some jobs and runs them. Returns how many it claimed. */
      const round = Effect.gen(function* () {
        const claimed = yield* leased((now, leaseUntil) => jobs.claim(JOBS_AT_ONCE, now, leaseUntil))
        yield* Effect.forEach(claimed, work, { concurrency: JOBS_AT_ONCE, discard: true })
        return claimed.length
      })

      /** Removes up to 100 blobs whose drafts are due and that no row refers to. Returns how many drafts were due. */
      const collectBlobs = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const due = yield* drafts.claim(BLOBS_AT_ONCE, now, now + BLOBS_AGAIN_AFTER)
        if (due.length === 0) return 0
        yield* blobs.remove(yield* drafts.unnamedAmong(due))
        yield* drafts.remove(due)
        return due.length
      }).pipe(
        // An outage of the blob store does not stop the jobs.
        Effect.catchAllCause((cause) =>
          Effect.as(Effect.logWarning("Blobs without a row will be removed later", cause), 0),
        ),
      )

      // A send that cannot be read does not stop the jobs.
      const recoverStale = Effect.catchAllCause(sends.recoverStale, supervisor.failed)

      /** Ends sends of processes that died, and removes blobs without a row. */
      const tidyUp = Effect.zipRight(
        recoverStale,
        Effect.repeat(collectBlobs, { until: (collected) => collected < BLOBS_AT_ONCE }),
      )

      const drain = Effect.zipRight(tidyUp, Effect.asVoid(drainRounds(round)))

      const idleWait = makeIdleWait()
      const run = Effect.flatMap(signals.subscribe("jobs"), ({ wait }) =>
        supervisor.loop(Effect.zipRight(drain, idleWait(wait, POLL))),
      ).pipe(Effect.scoped)

      return { run, drain }
    }),
  )
}
