/** Attachments (spec: decisions.attachment.fields). */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId, AttachmentId, DraftId, MailboxId, MessageId } from "../ids.js"
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX_COUNT } from "../limits.js"
import { Instant, timestamp, Timestamp } from "../time.js"

export const Attachment = Schema.Struct({
  id: described(AttachmentId, "id of the attachment"),
  messageId: described(
    Schema.NullOr(MessageId),
    "message of the file; null for an upload that is not sent yet",
  ),
  filename: described(Schema.String, "name of the file"),
  contentType: described(
    Schema.String,
    "MIME type; for an invitation with its method: `text/calendar; method=REQUEST`",
  ),
  sizeBytes: described(Schema.Int, "size of the file, bytes"),
  contentId: described(
    Schema.NullOr(Schema.String),
    "Content-ID of an inline image, without angle brackets; null for other files",
  ),
  createdAt: described(Timestamp, "time of the upload or the arrival"),
}).annotations({ identifier: "Attachment", description: "A file of a message, or an upload to send" })
export type Attachment = typeof Attachment.Type

export const AttachmentRecord = Schema.Struct({
  id: AttachmentId,
  accountId: AccountId,
  mailboxId: Schema.NullOr(MailboxId),
  messageId: Schema.NullOr(MessageId),
  /** the draft that keeps the file until it is sent; null for other files */
  draftId: Schema.NullOr(DraftId),
  filename: Schema.String,
  contentType: Schema.String,
  sizeBytes: Schema.Int,
  contentId: Schema.NullOr(Schema.String),
  /** location of the bytes: the key of a blob, or a range of the raw mail (`placeInMail`) */
  blobKey: Schema.String,
  createdAt: Instant,
})
export type AttachmentRecord = typeof AttachmentRecord.Type

export const viewAttachment = (attachment: AttachmentRecord): Attachment => ({
  id: attachment.id,
  messageId: attachment.messageId,
  filename: attachment.filename,
  contentType: attachment.contentType,
  sizeBytes: attachment.sizeBytes,
  contentId: attachment.contentId,
  createdAt: timestamp(attachment.createdAt),
})

export interface KeptAttachments<A> {
  readonly kept: ReadonlyArray<A>
  readonly dropped: "size" | "count" | "both" | null
}

/** Inbound attachments above 25 MB, and those beyond the 20th, are dropped (spec: decisions.smtp.dropped). */
export const keepAttachments = <A extends { readonly sizeBytes: number }>(
  attachments: ReadonlyArray<A>,
): KeptAttachments<A> => {
  const small = attachments.filter((attachment) => attachment.sizeBytes <= ATTACHMENT_MAX_BYTES)
  const kept = small.slice(0, ATTACHMENTS_MAX_COUNT)
  const bySize = small.length < attachments.length
  const byCount = kept.length < small.length
  return { kept, dropped: bySize && byCount ? "both" : bySize ? "size" : byCount ? "count" : null }
}
