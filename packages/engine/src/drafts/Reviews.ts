/** Reviews of held sends: a person approves exactly one content, or rejects it (docs/specification/drafts.md). */
import {
  type ApproveBody,
  approved,
  approvedEvent,
  type AuditDetail,
  byCaller,
  correspondentAddress,
  DigestMismatch,
  type DraftId,
  type DraftRecord,
  type MailroomError,
  isPerson,
  namedActorOf,
  NotFound,
  NotPendingReview,
  type Principal,
  recipientsOf,
  rejected,
  rejectedEvent,
  sendBodyOf,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { AuditLog } from "../audit/AuditLog.js"
import { EventRecorder } from "../events/EventRecorder.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { CorrespondentStore } from "../ports/stores/CorrespondentStore.js"
import { type DraftPage, type DraftPosition, DraftStore } from "../ports/stores/DraftStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { DRAFT_LEASE, DraftKeeper } from "./DraftKeeper.js"
import { Drafts } from "./Drafts.js"
import { type FireResult, ScheduledSends } from "./ScheduledSends.js"

export class Reviews extends Context.Tag("@mailroom/Reviews")<
  Reviews,
  {
    /** The drafts that wait for a review, newest first. */
    readonly list: (
      principal: Principal,
      after: DraftPosition | null,
      limit: number,
    ) => Effect.Effect<DraftPage>
    /**
     * Approves a draft with the content that `digest` names, or with `edits` of it, and sends it at once, or at its `sendAt`
     * when that is later. The approval is stored first: two at once send once, and a crash in between delays the send. A
     * refusal of the send is stored in the draft. `NotPendingReview` when it was decided already, `DigestMismatch` for
     * another content.
     */
    readonly approve: (
      principal: Principal,
      id: DraftId,
      approval: ApproveBody,
    ) => Effect.Effect<FireResult, MailroomError>
    /** Rejects a draft. `NotPendingReview` when it was decided already. */
    readonly reject: (
      principal: Principal,
      id: DraftId,
      reason: string | null,
    ) => Effect.Effect<DraftRecord, NotFound | NotPendingReview>
  }
>() {
  static readonly layer = Layer.effect(
    Reviews,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const audit = yield* AuditLog
      const correspondents = yield* CorrespondentStore
      const drafts = yield* Drafts
      const events = yield* EventRecorder
      const keeper = yield* DraftKeeper
      const mailboxes = yield* MailboxStore
      const scheduled = yield* ScheduledSends
      const store = yield* DraftStore
      const { commit } = yield* UnitOfWork

      /** The draft, if it waits for a review. */
      const pending = Effect.fnUntraced(function* ({ account }: Principal, id: DraftId) {
        const found = yield* store.byId(account.id, id)
        if (Option.isNone(found)) return yield* new NotFound({ resource: "draft" })
        const { status } = found.value
        return yield* status === "PENDING_REVIEW"
          ? Effect.succeed(found.value)
          : new NotPendingReview({ status })
      })

      const decided = (
        principal: Principal,
        action: "draft.approved" | "draft.rejected",
        { id, mailboxId, digest }: DraftRecord,
        detail: AuditDetail = {},
      ) =>
        audit.record({ ...byCaller(principal), action, target: id, detail: { mailboxId, digest, ...detail } })

      const mailboxOf = ({ accountId, mailboxId }: DraftRecord) =>
        Effect.mapError(
          Effect.flatten(mailboxes.byId(accountId, mailboxId)),
          () => new NotFound({ resource: "mailbox" }),
        )

      /** The mailbox may write to these recipients without a review from now on. */
      const rememberApproved = Effect.fnUntraced(function* (draft: DraftRecord, approvedAt: number) {
        const recipients = recipientsOf(yield* sendBodyOf(draft.content))
        yield* correspondents.remember(
          recipients.flatMap((recipient) => {
            const address = correspondentAddress(recipient)
            return address === null
              ? []
              : [{ mailboxId: draft.mailboxId, address, heardAt: null, writtenAt: null, approvedAt }]
          }),
        )
      })

      const approve = Effect.fn("Reviews.approve")(function* (
        principal: Principal,
        id: DraftId,
        { digest, edits = {} }: ApproveBody,
      ) {
        const now = yield* Clock.currentTimeMillis
        const read = yield* pending(principal, id)
        const prepared = yield* drafts.prepare(principal, read, edits, now)
        const { draft, isDue } = yield* drafts.storing(
          prepared,
          Effect.gen(function* () {
            const account = yield* lockAccount(accounts, principal.account.id)
            // Read under the lock: an approval that follows a takeover must not have an earlier time (`admitToThread`).
            const at = yield* Clock.currentTimeMillis
            const current = yield* pending(principal, id)
            const mailbox = yield* mailboxOf(current)
            const shown = keeper.digestOf(current, mailbox)
            if (shown !== digest) return yield* new DigestMismatch({ digest: shown })
            const applied = yield* drafts.apply(account, current, prepared, (changed) => ({
              ...approved(changed, mailbox.displayName, isPerson(principal), at),
              // What a key has edited is not a person's any more.
              byPerson: changed.byPerson && (isPerson(principal) || changed.digest === current.digest),
              updatedAt: at,
            }))
            const { draft } = applied
            yield* rememberApproved(draft, at)
            // With the time that was approved: a draft without one is due now.
            const seen = keeper.shown({ ...draft, sendAt: current.sendAt }, mailbox)
            const isEdited = seen.digest !== digest
            const envelope = approvedEvent(seen, mailbox, isEdited, namedActorOf(principal), at)
            yield* events.record([{ accountId: draft.accountId, mailboxId: draft.mailboxId, envelope, at }])
            yield* decided(principal, "draft.approved", seen)
            const isDue = draft.dueAt !== null && draft.dueAt <= at
            // Keeps the worker from it while this request sends it.
            if (isDue) yield* store.lease(id, at + DRAFT_LEASE)
            return { ...applied, isDue }
          }),
        )
        return isDue ? yield* scheduled.fire(draft) : ({ kind: "scheduled", draft } satisfies FireResult)
      })

      return {
        list: (principal, after, limit) =>
          store.list(
            {
              accountId: principal.account.id,
              mailboxId: null,
              scope: principal.scope,
              status: "PENDING_REVIEW",
            },
            after,
            limit,
          ),

        // Uninterruptible: an approval that is stored is sent, whether its client waits or not.
        approve: (principal, id, approval) => Effect.uninterruptible(approve(principal, id, approval)),

        reject: Effect.fn("Reviews.reject")(function* (principal, id, reason) {
          return yield* commit(
            Effect.gen(function* () {
              yield* lockAccount(accounts, principal.account.id)
              // Read under the lock: no later event has an earlier time.
              const now = yield* Clock.currentTimeMillis
              const current = yield* pending(principal, id)
              const draft = { ...rejected(current, reason, now), updatedAt: now }
              yield* store.save(draft)
              const mailbox = yield* mailboxOf(draft)
              const seen = keeper.shown(draft, mailbox)
              yield* decided(principal, "draft.rejected", seen, { reason })
              const envelope = rejectedEvent(seen, mailbox, reason, namedActorOf(principal), now)
              yield* events.record([
                { accountId: draft.accountId, mailboxId: draft.mailboxId, envelope, at: now },
              ])
              return draft
            }),
          )
        }),
      }
    }),
  )
}
