/** Writes drafts with their files. Storage and the number of drafts are counted on the locked account. */
import {
  type AccountRecord,
  type Actor,
  approvableText,
  type AttachmentId,
  type AttachmentRecord,
  contentSize,
  digestedText,
  type DraftContent,
  type DraftFile,
  type DraftMailbox,
  DraftLimitReached,
  type DraftRecord,
  DRAFTS_MAX_PER_ACCOUNT,
  type Instant,
  type MailboxRecord,
  MINUTE,
  releaseStorage,
  reviewRequestedEvent,
  type StorageFull,
  takeStorage,
  withdrawnEvent,
  totalBytes,
} from "@mailroom/domain"
import { Array, Context, Effect, Layer } from "effect"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { EventRecorder } from "../events/EventRecorder.js"
import { Vault } from "../ports/Crypto.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { DraftStore } from "../ports/stores/DraftStore.js"
import type { OutgoingFiles } from "../sending/OutgoingAttachments.js"
import { ReviewNotices } from "./ReviewNotices.js"

/** Milliseconds. Longer than most sends. A draft that is sent is gone, so a lease that ends too early sends nothing twice. */
export const DRAFT_LEASE = 5 * MINUTE

/** The files of a request without files. */
export const noFiles: OutgoingFiles = {
  records: [],
  bytes: [],
  uploaded: [],
  fresh: [],
  shared: [],
  ownBlobs: [],
}

/** The fields of a new draft. Its status is DRAFT: it is not scheduled, and waits for no review. */
export interface NewDraft extends Pick<DraftRecord, "id" | "content" | "clientId"> {
  readonly mailbox: Pick<MailboxRecord, "id" | "accountId">
  readonly now: Instant
}

export class DraftKeeper extends Context.Tag("@mailroom/DraftKeeper")<
  DraftKeeper,
  {
    /** A draft that is not stored yet. */
    readonly make: (draft: NewDraft) => DraftRecord
    /** The draft with another content, and its digest and size. */
    readonly withContent: (draft: DraftRecord, content: DraftContent) => DraftRecord
    /** The digest that an approval names: of the content, the display name in From, and the time. */
    readonly digestOf: (draft: DraftRecord, mailbox: DraftMailbox) => string
    /** The draft with that digest, for its events. */
    readonly shown: (draft: DraftRecord, mailbox: DraftMailbox) => DraftRecord
    /** The files of a draft, with the SHA-256 of their bytes, in the order of the records. */
    readonly describe: (files: OutgoingFiles) => ReadonlyArray<DraftFile>
    /**
     * Inside `commit`, on the locked account: stores a new draft, or overwrites `before`, with new `files`. `releasedBytes`:
     * those of files that were removed before. `DraftLimitReached` for a new one, and `StorageFull`. Returns the account as
     * it is then.
     */
    readonly store: (
      account: AccountRecord,
      before: DraftRecord | null,
      draft: DraftRecord,
      files: OutgoingFiles,
      releasedBytes?: number,
    ) => Effect.Effect<AccountRecord, StorageFull | DraftLimitReached>
    /** Inside `commit`, on the locked account: records that a draft waits for a review, and that the owner gets a mail. */
    readonly requestReview: (
      account: AccountRecord,
      mailbox: MailboxRecord,
      draft: DraftRecord,
    ) => Effect.Effect<void>
    /**
     * Inside `commit`, on the locked account: records that the review of a draft ended, although nobody decided: the draft was
     * changed, scheduled or deleted. Does nothing for one that did not wait for a review, or still waits for the same. `after`:
     * the draft as it is then; null for one that is deleted.
     */
    readonly endReview: (
      mailbox: MailboxRecord,
      before: DraftRecord,
      after: DraftRecord | null,
      by: Actor,
      at: Instant,
    ) => Effect.Effect<void>
    /**
     * Inside `commit`, on the locked account: removes a draft with its files. Returns blobs to discard after the commit
     * (`BlobDrafts.discard`).
     */
    readonly remove: (account: AccountRecord, draft: DraftRecord) => Effect.Effect<ReadonlyArray<string>>
    /** Inside `commit`: removes the files of a draft but those in `except`. Returns their bytes, and blobs as `remove`. */
    readonly removeFiles: (
      draft: DraftRecord,
      except: ReadonlyArray<AttachmentId>,
    ) => Effect.Effect<{ readonly attachmentBytes: number; readonly blobKeys: ReadonlyArray<string> }>
  }
>() {
  static readonly layer = Layer.effect(
    DraftKeeper,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const attachments = yield* AttachmentStore
      const blobDrafts = yield* BlobDrafts
      const drafts = yield* DraftStore
      const events = yield* EventRecorder
      const notices = yield* ReviewNotices
      const vault = yield* Vault

      const withContent = (draft: DraftRecord, content: DraftContent): DraftRecord => ({
        ...draft,
        content,
        digest: vault.digest(digestedText(content)),
        sizeBytes: contentSize(content),
      })

      const digestOf = (draft: DraftRecord, mailbox: DraftMailbox): string => {
        const text = approvableText(draft, mailbox)
        return text === null ? draft.digest : vault.digest(text)
      }

      /** The draft as events show it. */
      const shown = (draft: DraftRecord, mailbox: DraftMailbox): DraftRecord => ({
        ...draft,
        digest: digestOf(draft, mailbox),
      })

      const removeFiles: DraftKeeper["Type"]["removeFiles"] = (draft, except) =>
        Effect.tap(attachments.removeOfDraft(draft.id, except), ({ blobKeys }) => blobDrafts.begin(blobKeys))

      return {
        make: ({ id, content, clientId, mailbox, now }) =>
          withContent(
            {
              id,
              accountId: mailbox.accountId,
              mailboxId: mailbox.id,
              status: "DRAFT",
              content,
              digest: "",
              approvedDigest: null,
              personApprovedAt: null,
              byPerson: false,
              clientId,
              sendAt: null,
              review: null,
              error: null,
              dueAt: null,
              attempts: 0,
              sizeBytes: 0,
              createdAt: now,
              updatedAt: now,
            },
            content,
          ),

        withContent,

        digestOf,

        shown,

        describe: ({ records, bytes }) =>
          Array.zipWith(records, bytes, (record, content) => ({
            id: record.id,
            filename: record.filename,
            contentType: record.contentType,
            sizeBytes: record.sizeBytes,
            contentId: record.contentId,
            sha256: vault.digest(content),
          })),

        store: Effect.fnUntraced(function* (account, before, draft, files, releasedBytes = 0) {
          if (before === null && (yield* drafts.count(account.id)) >= DRAFTS_MAX_PER_ACCOUNT)
            return yield* new DraftLimitReached({ limit: DRAFTS_MAX_PER_ACCOUNT })
          const addedBytes =
            totalBytes(files.fresh) + draft.sizeBytes - (before?.sizeBytes ?? 0) - releasedBytes
          const counted = yield* takeStorage(account, addedBytes)
          if (addedBytes !== 0) yield* accounts.save(counted)
          const kept = (record: AttachmentRecord) => ({ ...record, messageId: null, draftId: draft.id })
          if (files.fresh.length > 0) yield* attachments.insert(files.fresh.map(kept))
          if (files.uploaded.length > 0) yield* attachments.keep(files.uploaded, draft)
          yield* before === null ? drafts.insert(draft) : drafts.save(draft)
          yield* blobDrafts.end(files.ownBlobs)
          return counted
        }),

        requestReview: Effect.fnUntraced(function* (account, mailbox, draft) {
          if (draft.review === null) return
          const envelope = reviewRequestedEvent(shown(draft, mailbox), mailbox, draft.review)
          const { requestedAt } = draft.review
          yield* events.record([{ accountId: account.id, mailboxId: mailbox.id, envelope, at: requestedAt }])
          yield* notices.request(account, requestedAt)
        }),

        endReview: (mailbox, before, after, by, at) =>
          before.status !== "PENDING_REVIEW" ||
          (after?.status === "PENDING_REVIEW" && digestOf(after, mailbox) === digestOf(before, mailbox))
            ? Effect.void
            : events.record([
                {
                  accountId: before.accountId,
                  mailboxId: mailbox.id,
                  envelope: withdrawnEvent(shown(before, mailbox), mailbox, after === null, by, at),
                  at,
                },
              ]),

        remove: Effect.fnUntraced(function* (account, draft) {
          const { attachmentBytes, blobKeys } = yield* removeFiles(draft, [])
          yield* drafts.remove(draft.id)
          yield* accounts.save(releaseStorage(account, attachmentBytes + draft.sizeBytes))
          return blobKeys
        }),

        removeFiles,
      }
    }),
  )
}
