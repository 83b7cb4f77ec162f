/**
 * What happens to a draft when it is due (docs/decisions/0066): a scheduled one is sent, a review ends without a decision, and
 * an ended draft is removed.
 *
 * A draft is sent at most once, because it is gone exactly when its message is recorded (`Sending.sendDraft`). A process
 * that dies before that leaves the draft due; one that dies after it leaves a message that becomes UNKNOWN.
 */
import {
  type AccountRecord,
  accountState,
  allPermissions,
  draftError,
  type DraftRecord,
  type EventEnvelope,
  expired,
  expiredEvent,
  failed,
  failedEvent,
  type Instant,
  isUnchanged,
  type MailboxRecord,
  type MailroomError,
  MINUTE,
  parked,
  postponed,
  type Principal,
  type RelayUncertain,
  SECOND,
  type SendVelocityExceeded,
} from "@mailroom/domain"
import { Clock, Context, Effect, Either, Layer, Option } from "effect"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { EventRecorder } from "../events/EventRecorder.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { DraftStore, type DueDraft } from "../ports/stores/DraftStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { Sending, type SendResult } from "../sending/Sending.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { DraftKeeper } from "./DraftKeeper.js"

/** A changed draft, and the event about the change; null for none. */
interface Change {
  readonly draft: DraftRecord
  readonly event: ((mailbox: MailboxRecord) => EventEnvelope) | null
}

/** The result of sending a due draft: that of the send, or `kept`: the draft waits or has failed. */
export type FireResult = SendResult | { readonly kind: "kept"; readonly draft: DraftRecord }

/**
 * When the minute begins in which a mailbox may send again. `retryAfter` is rounded up to seconds: a draft that waited would be due after
 * those of that minute.
 */
const sendsAgainAt = ({ retryAfter }: SendVelocityExceeded, now: Instant): Instant => {
  const until = now + retryAfter * SECOND
  return until - (until % MINUTE)
}

export class ScheduledSends extends Context.Tag("@mailroom/ScheduledSends")<
  ScheduledSends,
  {
    /**
     * Sends a draft that was scheduled or approved, and stores a refusal in it. While the relay is away, it is tried again
     * (`SCHEDULED_SEND_DELAYS`); while the velocity is exceeded or sending is paused, it waits. `RelayUncertain`: its message is
     * UNKNOWN.
     */
    readonly fire: (draft: DraftRecord) => Effect.Effect<FireResult, RelayUncertain>
    /** Sends, expires or removes a leased draft, by its status. */
    readonly run: (due: DueDraft) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    ScheduledSends,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const blobDrafts = yield* BlobDrafts
      const drafts = yield* DraftStore
      const events = yield* EventRecorder
      const keeper = yield* DraftKeeper
      const mailboxes = yield* MailboxStore
      const sending = yield* Sending
      const { commit } = yield* UnitOfWork
      const { billing } = yield* Settings

      /** The principal of scheduled sends, which no caller makes. Scope and permissions were checked when the draft was written. */
      const principalOf = (account: AccountRecord, now: Instant): Principal => ({
        account,
        state: accountState(account, billing, now),
        scope: null,
        permissions: allPermissions,
        credential: { kind: "embedded" },
      })

      /** Stores a change of a draft, unless the stored draft differs from `read`. Returns the stored draft. */
      const saveIfUnchanged = (read: DraftRecord, change: (account: AccountRecord) => Change, now: Instant) =>
        commit(
          Effect.gen(function* () {
            const [account] = yield* accounts.lock([read.accountId])
            const current = yield* drafts.byId(read.accountId, read.id)
            if (account === undefined || Option.isNone(current)) return read
            if (!isUnchanged(current.value, read)) return current.value
            const { draft, event } = change(account)
            yield* drafts.save(draft)
            const mailbox = yield* mailboxes.byId(draft.accountId, draft.mailboxId)
            if (event !== null && Option.isSome(mailbox)) {
              const envelope = event(mailbox.value)
              yield* events.record([
                { accountId: draft.accountId, mailboxId: draft.mailboxId, envelope, at: now },
              ])
            }
            return draft
          }),
        )

      const refused = (draft: DraftRecord, refusal: MailroomError, now: Instant): Change => {
        const error = draftError(refusal)
        return {
          draft: { ...failed(draft, error, now), updatedAt: now },
          event: (mailbox) => failedEvent(keeper.shown(draft, mailbox), mailbox, error, now),
        }
      }

      /** The draft after a failed send: due again later, parked, or FAILED. */
      const afterFailure = (
        draft: DraftRecord,
        refusal: MailroomError,
        account: AccountRecord,
        now: Instant,
      ): Change => {
        switch (refusal._tag) {
          case "SendingPaused":
            // If the account has resumed sending meanwhile, the draft stays due.
            return { draft: account.sendingPaused ? parked(draft) : draft, event: null }
          case "Overloaded":
          case "RelayUnavailable": {
            const later = postponed(draft, now)
            return later === null ? refused(draft, refusal, now) : { draft: later, event: null }
          }
          default:
            return refused(draft, refusal, now)
        }
      }

      /**
       * Has the due drafts of a mailbox wait until it may send again: each of them would be refused, too. Returns the stored
       * draft.
       */
      const awaitVelocity = (draft: DraftRecord, until: Instant, now: Instant) =>
        commit(
          Effect.gen(function* () {
            yield* accounts.lock([draft.accountId])
            yield* drafts.deferDue(draft, now, until)
            return Option.getOrElse(yield* drafts.byId(draft.accountId, draft.id), () => draft)
          }),
        )

      const fire = Effect.fn("ScheduledSends.fire")(function* (draft: DraftRecord) {
        const kept = (draft: DraftRecord): FireResult => ({ kind: "kept", draft })
        const now = yield* Clock.currentTimeMillis
        const account = yield* accounts.byId(draft.accountId)
        if (Option.isNone(account)) return kept(draft)
        const sent = yield* Effect.either(sending.sendDue(principalOf(account.value, now), draft))
        if (Either.isRight(sent)) return sent.right satisfies FireResult
        const refusal = sent.left
        if (refusal._tag === "RelayUncertain") return yield* refusal
        const at = yield* Clock.currentTimeMillis
        if (refusal._tag === "SendVelocityExceeded")
          return kept(yield* awaitVelocity(draft, sendsAgainAt(refusal, at), at))
        return kept(yield* saveIfUnchanged(draft, (locked) => afterFailure(draft, refusal, locked, at), at))
      })

      const expire = (draft: DraftRecord, now: Instant) =>
        saveIfUnchanged(
          draft,
          () => ({
            draft: { ...expired(draft, now), updatedAt: now },
            event: (mailbox) => expiredEvent(keeper.shown(draft, mailbox), mailbox, now),
          }),
          now,
        )

      /** Removes an ended draft, unless it was changed meanwhile. */
      const remove = (draft: DraftRecord) =>
        Effect.flatMap(
          commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([draft.accountId])
              const current = yield* drafts.byId(draft.accountId, draft.id)
              return account === undefined || Option.isNone(current) || !isUnchanged(current.value, draft)
                ? []
                : yield* keeper.remove(account, current.value)
            }),
          ),
          blobDrafts.discard,
        )

      return {
        fire,
        run: Effect.fnUntraced(function* ({ accountId, id }) {
          const now = yield* Clock.currentTimeMillis
          const found = yield* drafts.byId(accountId, id)
          // Gone, or changed since it was claimed.
          if (Option.isNone(found) || found.value.dueAt === null || found.value.dueAt > now) return
          const draft = found.value
          switch (draft.status) {
            case "SCHEDULED":
              return yield* Effect.asVoid(Effect.either(fire(draft)))
            case "PENDING_REVIEW":
              return yield* Effect.asVoid(expire(draft, now))
            case "REJECTED":
            case "FAILED":
              return yield* remove(draft)
            case "DRAFT":
              return
          }
        }),
      }
    }),
  )
}
