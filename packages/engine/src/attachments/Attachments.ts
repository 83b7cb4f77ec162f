/** Uploads, downloads and removes attachments (`spec: attachments.get.200`, `decisions.upload.201`). */
import {
  type Attachment,
  ATTACHMENT_MAX_BYTES,
  AttachmentId,
  AttachmentInDraft,
  AttachmentInUse,
  type AttachmentRecord,
  NotFound,
  type OverInboundLimit,
  placeInMail,
  plans,
  type Principal,
  SizeExceeded,
  StorageFull,
  viewAttachment,
  releaseStorage,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option, type Stream } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { Ids } from "../ids/Ids.js"
import { Messages } from "../messages/Messages.js"
import { type Blob, Blobs, type ByteRange } from "../ports/Blobs.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { attachmentContent } from "./content.js"
import { DownloadLinks } from "./DownloadLinks.js"
import { findAttachment, visibleAttachment } from "./visibleAttachment.js"

export interface Upload {
  readonly filename: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly content: Stream.Stream<Uint8Array>
}

/** The parts of a presigned link. */
export interface Link {
  readonly id: AttachmentId
  readonly expiresAt: number
  readonly signature: string
}

export interface Download {
  readonly attachment: AttachmentRecord
  /** Opens the bytes, or a range of them (null: all). `NotFound` when they were removed. */
  readonly open: (range: ByteRange | null) => Effect.Effect<Blob, NotFound>
}

export class Attachments extends Context.Tag("@mailroom/Attachments")<
  Attachments,
  {
    /** Stores a file of at most 25 MB for a later send. */
    readonly upload: (
      principal: Principal,
      upload: Upload,
    ) => Effect.Effect<Attachment, SizeExceeded | StorageFull | NotFound>
    /** The metadata of an attachment, and a download link that is valid for 24 hours. */
    readonly get: (
      principal: Principal,
      id: AttachmentId,
    ) => Effect.Effect<Attachment & { readonly url: string }, NotFound | OverInboundLimit>
    /**
     * Removes an upload that was not sent. `AttachmentInUse` for an attachment of a message, `AttachmentInDraft` for one of
     * a draft: they are removed with it.
     */
    readonly remove: (
      principal: Principal,
      id: AttachmentId,
    ) => Effect.Effect<void, AttachmentInDraft | AttachmentInUse | NotFound>
    /** The attachment of a presigned link. Reads no bytes before `open`. */
    readonly download: (link: Link) => Effect.Effect<Download, NotFound>
    /**
     * The address where the blob store itself serves the attachment of a presigned link; none when the store cannot.
     * `disposition` makes the Content-Disposition header from the file name.
     */
    readonly location: (
      link: Link,
      disposition: (filename: string) => string,
    ) => Effect.Effect<Option.Option<string>, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Attachments,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const attachments = yield* AttachmentStore
      const blobs = yield* Blobs
      const content = attachmentContent(blobs, yield* RawMailStore)
      const blobDrafts = yield* BlobDrafts
      const links = yield* DownloadLinks
      const messages = yield* Messages
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const missing = () => new NotFound({ resource: "attachment" })
      const find = findAttachment(attachments)
      const visible = visibleAttachment(attachments, messages)

      const byLink = ({ id, expiresAt, signature }: Link) =>
        Effect.gen(function* () {
          yield* links.check(id, expiresAt, signature)
          const attachment = yield* Effect.flatten(attachments.byLink(id))
          // A deleted account is not found, although some of its rows may be left.
          yield* Effect.flatten(accounts.byId(attachment.accountId))
          return attachment
        }).pipe(Effect.catchTag("NoSuchElementException", missing))

      return Attachments.of({
        upload: Effect.fn("Attachments.upload")(function* ({ account }, upload) {
          if (upload.sizeBytes > ATTACHMENT_MAX_BYTES)
            return yield* new SizeExceeded({
              what: `file ${upload.filename}`,
              limitBytes: ATTACHMENT_MAX_BYTES,
            })
          const id = AttachmentId.make(yield* ids.uuid)
          const blobKey = `uploads/${id}`
          const record: AttachmentRecord = {
            id,
            accountId: account.id,
            mailboxId: null,
            messageId: null,
            draftId: null,
            filename: upload.filename,
            contentType: upload.contentType,
            sizeBytes: upload.sizeBytes,
            contentId: null,
            blobKey,
            createdAt: yield* Clock.currentTimeMillis,
          }
          yield* Effect.onError(blobDrafts.put(blobKey, upload.content), () => blobDrafts.discard([blobKey]))
          yield* commit(
            Effect.gen(function* () {
              const locked = yield* lockAccount(accounts, account.id)
              const limitBytes = plans[locked.plan].storageBytes
              const usedBytes = locked.storageUsedBytes + upload.sizeBytes
              if (usedBytes > limitBytes)
                return yield* new StorageFull({ usedBytes: locked.storageUsedBytes, limitBytes })
              yield* attachments.insert([record])
              yield* blobDrafts.end([blobKey])
              yield* accounts.save({ ...locked, storageUsedBytes: usedBytes })
            }),
            // A typed failure rolled back. After a defect the commit may have succeeded, so the row needs the blob.
          ).pipe(Effect.tapError(() => blobDrafts.discard([blobKey])))
          return viewAttachment(record)
        }),

        get: Effect.fn("Attachments.get")(function* (principal, id) {
          const attachment = yield* visible(principal, id)
          return { ...viewAttachment(attachment), url: yield* links.link(id) }
        }),

        remove: Effect.fn("Attachments.remove")(function* (principal, id) {
          const unused = yield* commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([principal.account.id])
              // Read under the lock, so that no concurrent request removes or sends it.
              const { attachment, gate } = yield* find(principal, id)
              const { messageId, draftId } = attachment
              if (draftId !== null) return yield* new AttachmentInDraft({ draftId })
              // The attachment of a gated message is not found: `AttachmentInUse` would disclose the message id.
              if (messageId !== null && gate === null) return yield* new AttachmentInUse({ messageId })
              if (messageId !== null) return yield* missing()
              if (account !== undefined) yield* accounts.save(releaseStorage(account, attachment.sizeBytes))
              const keys = Option.toArray(yield* attachments.remove(id))
              yield* blobDrafts.begin(keys)
              return keys
            }),
          )
          yield* blobDrafts.discard(unused)
        }),

        download: Effect.fn("Attachments.download")(function* (link) {
          const attachment = yield* byLink(link)
          const open = (range: ByteRange | null) =>
            content
              .open(attachment.blobKey, range ?? undefined)
              .pipe(Effect.flatten, Effect.mapError(missing))
          return { attachment, open }
        }),

        location: Effect.fn("Attachments.location")(function* (link, disposition) {
          if (Option.isNone(blobs.link)) return Option.none()
          const { blobKey, contentType, filename } = yield* byLink(link)
          if (placeInMail(blobKey) !== null) return Option.none()
          const as = { contentType, disposition: disposition(filename) }
          return Option.some(yield* blobs.link.value(blobKey, as))
        }),
      })
    }),
  )
}
