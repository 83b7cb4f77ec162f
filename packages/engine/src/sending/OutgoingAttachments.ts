/** The attachments of a send: uploads, attachments of earlier messages, and inline ones from the request body. */
import {
  type AccountId,
  admitSizes,
  AttachmentId,
  type AttachmentRecord,
  AttachmentUnknown,
  type DraftId,
  type InlineAttachment,
  inScope,
  type Instant,
  type MailboxRecord,
  MessageId,
  type OverInboundLimit,
  type Overloaded,
  type PermissionDenied,
  placeInMail,
  type Principal,
  requirePermission,
  safeFilename,
  type SendBody,
  type SizeExceeded,
  totalBytes,
} from "@mailroom/domain"
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { attachmentContent } from "../attachments/content.js"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { Ids } from "../ids/Ids.js"
import { Messages } from "../messages/Messages.js"
import { Blobs } from "../ports/Blobs.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { makeFairPermits } from "../workers/fairSemaphore.js"

/** Bytes of files from which a send waits until it may hold them in memory. */
const LARGE_BYTES = 256 * 1024

/**
 * Sends with large files at a time. Each holds them, and the mail that it makes of them, until the relay has answered: 60 MB at
 * most. More than the relay's connections (5 by default) would leave no sooner.
 */
const LARGE_AT_ONCE = { permits: 6, perGroup: 3, waitingMax: 64, waitingPerGroup: 16, retryAfter: 10 }

export interface OutgoingFiles {
  /** in the order of the request body */
  readonly records: ReadonlyArray<AttachmentRecord>
  readonly bytes: ReadonlyArray<Uint8Array>
  /** uploads, which are attached to the message when it is recorded */
  readonly uploaded: ReadonlyArray<AttachmentId>
  /** new attachments, which are inserted when the message is recorded */
  readonly fresh: ReadonlyArray<AttachmentRecord>
  /** the attachments whose blobs some of `fresh` share: they must not be removed before those are inserted */
  readonly shared: ReadonlyArray<AttachmentId>
  /** blobs written for this send, drafts until it is recorded (`BlobDrafts`) */
  readonly ownBlobs: ReadonlyArray<string>
}

interface Planned {
  readonly record: AttachmentRecord
  readonly read: Effect.Effect<Uint8Array>
  /** whether it gets a new blob: an inline attachment, or a part of the raw mail of an earlier message */
  readonly isNew: boolean
  /** the attachment whose blob it shares; null: none */
  readonly sharesWith: AttachmentId | null
}

/** Whether no message and no other draft than `draftId` has the file. */
const isFree = (attachment: Pick<AttachmentRecord, "messageId" | "draftId">, draftId: DraftId): boolean =>
  attachment.messageId === null && (attachment.draftId === null || attachment.draftId === draftId)

export class OutgoingAttachments extends Context.Tag("@mailroom/OutgoingAttachments")<
  OutgoingAttachments,
  {
    /**
     * Looks up, checks and reads the attachments of a request, and writes their new blobs. `AttachmentUnknown` for an id that
     * the account does not have or the key's scope excludes, `PermissionDenied` for one of a message without the permission to
     * read it, `OverInboundLimit` for one of a gated message, `SizeExceeded` above 25 MB, each or together. Before it reads large
     * files it waits for one of the permits of this process, of which an account has half at most, and holds it until the end of
     * the scope; `Overloaded` when too many sends wait.
     */
    readonly gather: (
      principal: Principal,
      target: {
        readonly mailbox: Pick<MailboxRecord, "id">
        /** of the message, and of the draft that may be sent or kept */
        readonly id: DraftId
        readonly now: Instant
      },
      wanted: NonNullable<SendBody["attachments"]>,
    ) => Effect.Effect<
      OutgoingFiles,
      AttachmentUnknown | PermissionDenied | OverInboundLimit | SizeExceeded | Overloaded,
      Scope.Scope
    >
    /**
     * Checks the uploads and the shared attachments again, with the account locked. An upload that another send or draft took meanwhile
     * becomes a new attachment that shares its blob. `AttachmentUnknown` for one that was removed meanwhile. `id`: as for `gather`.
     */
    readonly confirm: (
      accountId: AccountId,
      id: DraftId,
      files: OutgoingFiles,
    ) => Effect.Effect<OutgoingFiles, AttachmentUnknown>
    /** Writes a mail that a client submitted by SMTP as a file, for a draft that is going to keep it. */
    readonly keepMail: (
      principal: Principal,
      target: { readonly mailbox: Pick<MailboxRecord, "id">; readonly id: DraftId; readonly now: Instant },
      raw: Uint8Array,
    ) => Effect.Effect<OutgoingFiles>
    /** Reads such a file. `AttachmentUnknown` when the draft was sent or changed meanwhile. */
    readonly readMail: (
      accountId: AccountId,
      id: AttachmentId,
    ) => Effect.Effect<{ readonly stored: AttachmentRecord; readonly raw: Uint8Array }, AttachmentUnknown>
  }
>() {
  static readonly layer = Layer.effect(
    OutgoingAttachments,
    Effect.gen(function* () {
      const store = yield* AttachmentStore
      const blobs = yield* Blobs
      const contents = attachmentContent(blobs, yield* RawMailStore)
      const blobDrafts = yield* BlobDrafts
      const messages = yield* Messages
      const ids = yield* Ids
      const permit = makeFairPermits(LARGE_AT_ONCE)

      return {
        gather: Effect.fnUntraced(function* (principal, { mailbox, id: draftId, now }, wanted) {
          const named = wanted.filter((one) => typeof one === "string")
          const found = named.length === 0 ? [] : yield* store.byIds(principal.account.id, named)
          const owned = {
            accountId: principal.account.id,
            mailboxId: mailbox.id,
            messageId: MessageId.make(draftId),
            draftId: null,
            createdAt: now,
          }

          const existing = Effect.fnUntraced(function* (id: AttachmentId) {
            const hit = found.find(({ attachment }) => attachment.id === id)
            if (hit === undefined) return yield* new AttachmentUnknown({ id })
            const { attachment, gate, isQuarantined } = hit
            if (attachment.mailboxId !== null && !inScope(principal.scope, attachment.mailboxId))
              return yield* new AttachmentUnknown({ id })
            if (attachment.messageId !== null) yield* requirePermission(principal, ["read"])
            if (gate !== null) return yield* messages.overLimit(principal, gate, { type: "attachment", id })
            if (isQuarantined) return yield* new AttachmentUnknown({ id })
            const read = contents.read(attachment.blobKey)
            // An upload, and a file of the draft that is sent, becomes an attachment of this message itself.
            if (isFree(attachment, draftId))
              return {
                record: { ...attachment, ...owned },
                read,
                isNew: false,
                sharesWith: null,
              } satisfies Planned
            const record = { ...attachment, ...owned, id: AttachmentId.make(yield* ids.uuid) }
            // A blob can be shared with another message. A part of a raw mail is copied, because that mail is removed
            // with its message.
            return placeInMail(attachment.blobKey) === null
              ? { record, read, isNew: false, sharesWith: id }
              : {
                  record: { ...record, blobKey: `uploads/${record.id}` },
                  read,
                  isNew: true,
                  sharesWith: null,
                }
          })

          const inline = (one: typeof InlineAttachment.Type, index: number) =>
            Effect.map(ids.uuid, (id): Planned => ({
              record: {
                id: AttachmentId.make(id),
                ...owned,
                filename: safeFilename(one.filename, `attachment-${index + 1}`),
                contentType: one.contentType,
                sizeBytes: one.content.length,
                contentId: one.contentId ?? null,
                blobKey: `uploads/${id}`,
              },
              read: Effect.succeed(one.content),
              isNew: true,
              sharesWith: null,
            }))
          const plan = (one: (typeof wanted)[number], index: number) =>
            typeof one === "string" ? existing(one) : inline(one, index)

          const planned: ReadonlyArray<Planned> = yield* Effect.forEach(wanted, plan)
          const records = planned.map(({ record }) => record)
          yield* admitSizes(records)
          if (totalBytes(records) >= LARGE_BYTES) yield* permit(principal.account.id)
          const ownBlobs = planned.filter(({ isNew }) => isNew).map(({ record }) => record.blobKey)
          yield* blobDrafts.begin(ownBlobs)
          const bytes = yield* Effect.forEach(planned, ({ record, read, isNew }) =>
            isNew ? Effect.tap(read, (content) => blobs.put(record.blobKey, Stream.make(content))) : read,
          ).pipe(Effect.onError(() => blobDrafts.discard(ownBlobs)))
          const uploaded = records.filter(({ id }) => named.includes(id)).map(({ id }) => id)
          return {
            records,
            bytes,
            uploaded,
            fresh: records.filter(({ id }) => !named.includes(id)),
            shared: planned.flatMap(({ sharesWith }) => (sharesWith === null ? [] : [sharesWith])),
            ownBlobs,
          }
        }),

        confirm: Effect.fnUntraced(function* (accountId, draftId, files) {
          const needed = [...files.uploaded, ...files.shared]
          if (needed.length === 0) return files
          const found = yield* store.byIds(accountId, needed)
          const gone = needed.find((id) => !found.some(({ attachment }) => attachment.id === id))
          if (gone !== undefined) return yield* new AttachmentUnknown({ id: gone })
          const taken = found
            .filter(
              ({ attachment: { id, ...owner } }) => files.uploaded.includes(id) && !isFree(owner, draftId),
            )
            .map(({ attachment }) => attachment.id)
          const records = yield* Effect.forEach(files.records, (record) =>
            taken.includes(record.id)
              ? Effect.map(ids.uuid, (id) => ({ ...record, id: AttachmentId.make(id) }))
              : Effect.succeed(record),
          )
          const uploaded = files.uploaded.filter((id) => !taken.includes(id))
          return { ...files, records, uploaded, fresh: records.filter(({ id }) => !uploaded.includes(id)) }
        }),

        keepMail: Effect.fnUntraced(function* ({ account }, { mailbox, id: draftId, now }, raw) {
          const id = AttachmentId.make(yield* ids.uuid)
          const record: AttachmentRecord = {
            id,
            accountId: account.id,
            mailboxId: mailbox.id,
            messageId: null,
            draftId,
            filename: "submitted.eml",
            contentType: "message/rfc822",
            sizeBytes: raw.length,
            contentId: null,
            blobKey: `uploads/${id}`,
            createdAt: now,
          }
          yield* blobDrafts.put(record.blobKey, Stream.make(raw))
          return {
            records: [record],
            bytes: [raw],
            uploaded: [],
            fresh: [record],
            shared: [],
            ownBlobs: [record.blobKey],
          }
        }),

        readMail: Effect.fnUntraced(function* (accountId, id) {
          const [found] = yield* store.byIds(accountId, [id])
          if (found === undefined) return yield* new AttachmentUnknown({ id })
          return { stored: found.attachment, raw: yield* contents.read(found.attachment.blobKey) }
        }),
      }
    }),
  )
}
