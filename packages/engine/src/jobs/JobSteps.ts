/** What each kind of job does. A job runs at least once, so doing it twice must be harmless. */
import { type AccountId, type MailboxId, type MailroomError, releaseStorage, SECOND } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { AccountRemoval } from "../accounts/AccountRemoval.js"
import { OwnerMail } from "../accounts/OwnerMail.js"
import { RoleMail } from "../accounts/RoleMail.js"
import { BillingEnd } from "../billing/BillingEnd.js"
import { ReviewMail } from "../drafts/ReviewNotices.js"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { Integrity } from "../integrity/Integrity.js"
import { Blobs } from "../ports/Blobs.js"
import { Payments } from "../ports/Payments.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { CorrespondentStore } from "../ports/stores/CorrespondentStore.js"
import type { JobSpec } from "../ports/stores/JobStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { MailboxSuppressionStore } from "../ports/stores/MailboxSuppressionStore.js"
import { MessageStore } from "../ports/stores/MessageStore.js"
import { ThreadStore } from "../ports/stores/ThreadStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { WebhookRemoval } from "../webhooks/WebhookRemoval.js"
import { JobQueue } from "./JobQueue.js"

/** Rows that one step of a long job removes. */
const PURGE_STEP = 200
/** Rows of each kind that one step of merging or removing a thread changes. */
const THREAD_STEP = 50
/** Messages of an earlier version that one step prepares for filtered lists. */
const INDEX_STEP = 100
/** Messages of an earlier version that one step reads for correspondents. */
const CORRESPONDENTS_STEP = 100
/** Steps of a long job before other jobs run. */
const STEPS_A_TURN = 50
/** Milliseconds after which a long job lets others run, far below the lease: another process would run the job a second time. */
const TURN_TIME = 30 * SECOND

export class JobSteps extends Context.Tag("@mailroom/JobSteps")<
  JobSteps,
  {
    /** Does a job. A long one adds a job that goes on, so that others get their turn. */
    readonly perform: (spec: JobSpec) => Effect.Effect<void, MailroomError>
  }
>() {
  static readonly layer = Layer.effect(
    JobSteps,
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const accounts = yield* AccountStore
      const mailboxes = yield* MailboxStore
      const messages = yield* MessageStore
      const suppressions = yield* MailboxSuppressionStore
      const webhookRemoval = yield* WebhookRemoval
      const threads = yield* ThreadStore
      const gated = yield* GatedMessages
      const integrity = yield* Integrity
      const correspondents = yield* CorrespondentStore
      const blobs = yield* Blobs
      const payments = yield* Payments
      const billingEnd = yield* BillingEnd
      const ownerMail = yield* OwnerMail
      const removal = yield* AccountRemoval
      const roleMail = yield* RoleMail
      const reviewMail = yield* ReviewMail
      const { commit } = yield* UnitOfWork

      const provision = Effect.fnUntraced(function* (mailboxId: MailboxId) {
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
        // A deleted account has messages until it is purged. `Retention` adds the job again within an hour.
        return yield* onAccount(
          accountId.value,
          Effect.as(messages.index(accountId.value, INDEX_STEP), false),
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

      return { perform }
    }),
  )
}
