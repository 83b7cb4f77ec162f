/** Creates, reads, changes, sends and removes the drafts of mailboxes (docs/specification/drafts.md). */
import {
  type AccountRecord,
  changedContent,
  type DraftBody,
  type DraftChanges,
  DraftId,
  type DraftPatch,
  type DraftRecord,
  type DraftReply,
  type DraftStatus,
  filesOf,
  type Instant,
  isUnchanged,
  type MailboxId,
  type MailboxRecord,
  type MailroomError,
  namedActorOf,
  noContent,
  NotFound,
  type Principal,
  requirePermission,
  scheduled,
  scheduledAt,
  withdrawn,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { Ids } from "../ids/Ids.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Messages } from "../messages/Messages.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { type DraftPage, type DraftPosition, DraftStore } from "../ports/stores/DraftStore.js"
import { MessageStore } from "../ports/stores/MessageStore.js"
import { findAnswered, replyTo } from "../sending/answered.js"
import { OutgoingAttachments, type OutgoingFiles } from "../sending/OutgoingAttachments.js"
import { Sending, type SendResult } from "../sending/Sending.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { setMarker } from "../idempotency/marker.js"
import { DRAFT_LEASE, DraftKeeper, noFiles } from "./DraftKeeper.js"

/** The query of a page of drafts. */
export interface DraftQuery {
  /** null: all mailboxes in scope */
  readonly mailboxId: MailboxId | null
  readonly status: DraftStatus | null
  readonly after: DraftPosition | null
  readonly limit: number
}

/** Changes of a draft, ready to be stored under the lock: the files are read, and the answered message is found. */
export interface PreparedChanges {
  readonly changes: DraftChanges
  /** undefined: no change */
  readonly reply: DraftReply | null | undefined
  /** the new files, all of them; null: no change */
  readonly files: OutgoingFiles | null
}

export class Drafts extends Context.Tag("@mailroom/Drafts")<
  Drafts,
  {
    /**
     * Creates a draft. With the `clientId` of a draft of the mailbox, returns that draft, unchanged. With `sendAt` it is
     * scheduled as by `Sending.sendDraft`, and a refusal creates nothing. Fails as `Messages.get` for `inReplyTo`, as
     * `OutgoingAttachments.gather` for files, and with `StorageFull`, `DraftLimitReached`, and `PermissionDenied` for
     * `sendAt` without the permission to send.
     */
    readonly create: (
      principal: Principal,
      mailboxId: MailboxId,
      body: DraftBody,
    ) => Effect.Effect<DraftRecord, MailroomError>
    readonly list: (principal: Principal, query: DraftQuery) => Effect.Effect<DraftPage, NotFound>
    readonly get: (
      principal: Principal,
      mailboxId: MailboxId,
      id: DraftId,
    ) => Effect.Effect<DraftRecord, NotFound>
    /**
     * Changes a draft. Another content ends its review (`draft.withdrawn`), its approval and its error. A scheduled one is scheduled again, and
     * stays a draft without a schedule when that is refused. Fails as `create`.
     */
    readonly update: (
      principal: Principal,
      mailboxId: MailboxId,
      id: DraftId,
      patch: DraftPatch,
    ) => Effect.Effect<DraftRecord, MailroomError>
    readonly remove: (
      principal: Principal,
      mailboxId: MailboxId,
      id: DraftId,
    ) => Effect.Effect<void, NotFound>
    /** Sends a draft now (`Sending.sendDraft`). */
    readonly send: (
      principal: Principal,
      mailboxId: MailboxId,
      id: DraftId,
    ) => Effect.Effect<SendResult, MailroomError>
    /** Finds the answered message and reads the files of changes, for `storing`. */
    readonly prepare: (
      principal: Principal,
      draft: Pick<DraftRecord, "id" | "mailboxId">,
      changes: DraftChanges,
      now: Instant,
    ) => Effect.Effect<PreparedChanges, MailroomError>
    /**
     * Commits `work`, which stores prepared changes. Then discards the blobs in its `blobKeys`; when it fails, the blobs that
     * were written for the changes.
     */
    readonly storing: <A extends { readonly blobKeys: ReadonlyArray<string> }>(
      prepared: PreparedChanges,
      work: Effect.Effect<A, MailroomError>,
    ) => Effect.Effect<A, MailroomError>
    /**
     * Inside `storing`, on the locked account: applies the changes to `draft`, sets its state by `next`, and stores it. Returns
     * the stored draft, and the blobs to discard.
     */
    readonly apply: (
      account: AccountRecord,
      draft: DraftRecord,
      prepared: PreparedChanges,
      next: (changed: DraftRecord) => DraftRecord,
    ) => Effect.Effect<
      { readonly draft: DraftRecord; readonly blobKeys: ReadonlyArray<string> },
      MailroomError
    >
  }
>() {
  static readonly layer = Layer.effect(
    Drafts,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const blobDrafts = yield* BlobDrafts
      const store = yield* DraftStore
      const files = yield* OutgoingAttachments
      const findByReference = findAnswered(yield* Messages, yield* MessageStore)
      const ids = yield* Ids
      const keeper = yield* DraftKeeper
      const mailboxes = yield* Mailboxes
      const sending = yield* Sending
      const { commit } = yield* UnitOfWork

      const missing = () => new NotFound({ resource: "draft" })

      const findInMailbox = Effect.fnUntraced(function* (
        principal: Principal,
        mailboxId: MailboxId,
        id: DraftId,
      ) {
        const mailbox = yield* mailboxes.require(principal, mailboxId)
        const found = yield* store.byId(principal.account.id, id)
        return yield* Option.isSome(found) && found.value.mailboxId === mailboxId
          ? Effect.succeed({ mailbox, draft: found.value })
          : missing()
      })

      const find = (principal: Principal, mailboxId: MailboxId, id: DraftId) =>
        Effect.map(findInMailbox(principal, mailboxId, id), ({ draft }) => draft)

      /** The draft that was created with this `clientId`. */
      const findFirst = ({ id }: MailboxRecord, clientId: string | null) =>
        clientId === null ? Effect.succeedNone : store.byClientId(id, clientId)

      /** A draft that is sent later needs the permission to send when it is scheduled. */
      const maySend = (principal: Principal) => requirePermission(principal, ["send"])

      const prepare: Drafts["Type"]["prepare"] = Effect.fnUntraced(function* (
        principal,
        { id, mailboxId },
        changes,
        now,
      ) {
        const { inReplyTo, attachments } = changes
        const reply =
          inReplyTo === undefined || inReplyTo === null
            ? inReplyTo
            : replyTo(inReplyTo, yield* findByReference(principal, mailboxId, inReplyTo))
        const gathered =
          attachments === undefined
            ? null
            : yield* Effect.scoped(
                files.gather(principal, { mailbox: { id: mailboxId }, id, now }, attachments),
              )
        return { changes, reply, files: gathered }
      })

      const storing: Drafts["Type"]["storing"] = (prepared, work) =>
        commit(work).pipe(
          Effect.tapError(() => blobDrafts.discard(prepared.files?.ownBlobs ?? [])),
          Effect.tap(({ blobKeys }) => blobDrafts.discard(blobKeys)),
        )

      /** `before` null: the draft is new. */
      const applyTo = Effect.fnUntraced(function* (
        account: AccountRecord,
        before: DraftRecord | null,
        base: DraftRecord,
        { changes, reply, files: gathered }: PreparedChanges,
        next: (changed: DraftRecord) => DraftRecord,
      ) {
        const confirmed = gathered === null ? null : yield* files.confirm(account.id, base.id, gathered)
        const content = changedContent(
          base.content,
          changes,
          confirmed === null ? base.content.attachments : keeper.describe(confirmed),
          reply === undefined ? base.content.reply : reply,
        )
        const draft = next(keeper.withContent(base, content))
        const keepsFiles = confirmed === null && draft.content.submitted === base.content.submitted
        const removed =
          keepsFiles || before === null ? null : yield* keeper.removeFiles(before, filesOf(draft.content))
        yield* keeper.store(account, before, draft, confirmed ?? noFiles, removed?.attachmentBytes ?? 0)
        return { draft, blobKeys: removed?.blobKeys ?? [] }
      })

      /** Inside `commit`: keeps the worker from a draft that is stored as SCHEDULED until `schedule` stores it again. */
      const leaseForSchedule = (id: DraftId) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => store.lease(id, now + DRAFT_LEASE))

      /** `at`: when it is sent; null: when a caller says so. */
      const create = Effect.fnUntraced(function* (
        principal: Principal,
        mailbox: MailboxRecord,
        clientId: string | null,
        changes: DraftChanges,
        at: Instant | null,
        now: Instant,
      ) {
        const id = DraftId.make(yield* ids.uuid)
        const prepared = yield* prepare(principal, { id, mailboxId: mailbox.id }, changes, now)
        const base = keeper.make({ id, mailbox, content: noContent, clientId, now })
        return yield* storing(
          prepared,
          Effect.gen(function* () {
            const account = yield* lockAccount(accounts, principal.account.id)
            // Looked for under the lock: of two concurrent creations the second returns the draft of the first.
            const existing = yield* findFirst(mailbox, clientId)
            if (Option.isSome(existing))
              return {
                draft: existing.value,
                isNew: false,
                blobKeys: prepared.files?.ownBlobs ?? [],
              }
            const applied = yield* applyTo(account, null, base, prepared, (made) =>
              at === null ? made : scheduled(made, at),
            )
            if (at !== null) yield* leaseForSchedule(id)
            return { ...applied, isNew: true }
          }),
        )
      })

      /** `isUndone`: the request that made the draft made nothing else, and may run again. */
      const remove = Effect.fnUntraced(function* (
        principal: Principal,
        mailbox: MailboxRecord,
        id: DraftId,
        isUndone = false,
      ) {
        const now = yield* Clock.currentTimeMillis
        const blobKeys = yield* commit(
          Effect.gen(function* () {
            const account = yield* lockAccount(accounts, principal.account.id)
            const current = yield* store.byId(account.id, id)
            if (Option.isNone(current)) return yield* missing()
            yield* keeper.endReview(mailbox, current.value, null, namedActorOf(principal), now)
            return yield* keeper.remove(account, current.value)
          }).pipe(Effect.tap(() => (isUndone ? setMarker({ kind: "undone" }) : Effect.void))),
        )
        yield* blobDrafts.discard(blobKeys)
      })

      /**
       * Composes a draft that is stored as SCHEDULED, and asks the policies and limits of a send. Returns it as it is then:
       * SCHEDULED, or PENDING_REVIEW. The draft is SCHEDULED before, so that a crash in between does not take its time away: all
       * of this is asked again when it is due. Until then it is leased.
       */
      const schedule = (principal: Principal, draft: DraftRecord, sendAt: Instant) =>
        Effect.map(sending.sendDraft(principal, draft, sendAt), (result) =>
          result.kind === "sent" ? draft : result.draft,
        )

      /**
       * As `schedule`, for the time that the draft has. When another request changed it meanwhile, returns the changed draft;
       * when one sent or deleted it, the draft as it was stored.
       */
      const scheduleStored = (principal: Principal, draft: DraftRecord, sendAt: Instant) =>
        schedule(principal, draft, sendAt).pipe(
          Effect.catchIf(
            (error) =>
              error._tag === "DigestMismatch" || (error._tag === "NotFound" && error.resource === "draft"),
            () =>
              Effect.map(
                store.byId(draft.accountId, draft.id),
                Option.getOrElse(() => draft),
              ),
          ),
        )

      /** Takes the schedule of a draft away, unless the draft has changed since `read`. */
      const unschedule = (read: DraftRecord) =>
        commit(
          Effect.gen(function* () {
            const account = yield* lockAccount(accounts, read.accountId)
            const current = yield* store.byId(account.id, read.id)
            if (Option.isSome(current) && isUnchanged(current.value, read))
              yield* store.save(withdrawn(current.value))
          }),
        )

      /** Schedules a changed draft again, for the time that it has. */
      const reschedule = (principal: Principal, draft: DraftRecord, sendAt: Instant) =>
        scheduleStored(principal, draft, sendAt).pipe(Effect.tapError(() => Effect.ignore(unschedule(draft))))

      return {
        create: Effect.fn("Drafts.create")(function* (principal, mailboxId, body) {
          const mailbox = yield* mailboxes.require(principal, mailboxId)
          const now = yield* Clock.currentTimeMillis
          const { sendAt, clientId = null, ...changes } = body
          // Before the checks of a new draft: by now its time may have passed, and its uploads belong to the first draft.
          const existing = yield* findFirst(mailbox, clientId)
          if (Option.isSome(existing)) return existing.value
          if (sendAt !== undefined) yield* maySend(principal)
          const at = sendAt === undefined ? null : yield* scheduledAt(sendAt, now)
          const { draft, isNew } = yield* create(principal, mailbox, clientId, changes, at, now)
          if (at === null || !isNew) return draft
          return yield* scheduleStored(principal, draft, at).pipe(
            Effect.tapError(() => Effect.ignore(remove(principal, mailbox, draft.id, true))),
          )
        }),

        list: Effect.fn("Drafts.list")(function* (principal, { mailboxId, status, after, limit }) {
          if (mailboxId !== null) yield* mailboxes.require(principal, mailboxId)
          const { account, scope } = principal
          return yield* store.list({ accountId: account.id, mailboxId, scope, status }, after, limit)
        }),

        get: Effect.fn("Drafts.get")(find),

        update: Effect.fn("Drafts.update")(function* (principal, mailboxId, id, patch) {
          const { sendAt, ...changes } = patch
          const { mailbox, draft: read } = yield* findInMailbox(principal, mailboxId, id)
          const now = yield* Clock.currentTimeMillis
          const wanted = typeof sendAt === "string" ? yield* scheduledAt(sendAt, now) : null
          if (wanted !== null) yield* maySend(principal)
          const prepared = yield* prepare(principal, read, changes, now)
          const { draft, keptAt } = yield* storing(
            prepared,
            Effect.gen(function* () {
              const account = yield* lockAccount(accounts, principal.account.id)
              const current = yield* store.byId(account.id, id)
              if (Option.isNone(current)) return yield* missing()
              const before = current.value
              const time = before.status === "SCHEDULED" && sendAt !== null ? before.sendAt : null
              const applied = yield* applyTo(account, before, before, prepared, (changed) => {
                const isSame = changed.digest === before.digest && sendAt !== null
                const ended = withdrawn(changed)
                return {
                  ...(isSame ? changed : time === null ? ended : scheduled(ended, time)),
                  updatedAt: now,
                }
              })
              yield* keeper.endReview(mailbox, before, applied.draft, namedActorOf(principal), now)
              const keptAt = applied.draft.digest === before.digest ? null : time
              if (keptAt !== null) {
                yield* maySend(principal)
                yield* leaseForSchedule(id)
              }
              return { ...applied, keptAt }
            }),
          )
          if (wanted === null) return keptAt === null ? draft : yield* reschedule(principal, draft, keptAt)
          const again = schedule(principal, draft, wanted)
          return yield* keptAt === null
            ? again
            : Effect.tapError(again, () => Effect.ignore(unschedule(draft)))
        }),

        remove: Effect.fn("Drafts.remove")(function* (principal, mailboxId, id) {
          const { mailbox } = yield* findInMailbox(principal, mailboxId, id)
          yield* remove(principal, mailbox, id)
        }),

        send: Effect.fn("Drafts.send")(function* (principal, mailboxId, id) {
          return yield* sending.sendDraft(principal, yield* find(principal, mailboxId, id), null)
        }),

        prepare,

        storing,

        apply: (account, draft, prepared, next) => applyTo(account, draft, draft, prepared, next),
      }
    }),
  )
}
