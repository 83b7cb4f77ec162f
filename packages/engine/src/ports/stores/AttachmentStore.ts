/** Metadata of attachments. Their bytes are in the blob store or in a raw mail. */
import type {
  AccountId,
  AttachmentId,
  AttachmentRecord,
  DraftId,
  DraftRecord,
  InboundGate,
  MailboxId,
  MessageId,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface AttachmentWithGate {
  readonly attachment: AttachmentRecord
  /** the inbound limit that gates its message; null: none, or no message */
  readonly gate: InboundGate | null
  /** whether its message is quarantined */
  readonly isQuarantined: boolean
}

export class AttachmentStore extends Context.Tag("@mailroom/AttachmentStore")<
  AttachmentStore,
  {
    readonly insert: (attachments: ReadonlyArray<AttachmentRecord>) => Effect.Effect<void>
    readonly byIds: (
      accountId: AccountId,
      ids: ReadonlyArray<AttachmentId>,
    ) => Effect.Effect<ReadonlyArray<AttachmentWithGate>>
    /** For a presigned link, whose signature replaces the check of the account. */
    readonly byLink: (id: AttachmentId) => Effect.Effect<Option.Option<AttachmentRecord>>
    /** Attaches uploads to the message that was sent with them. */
    readonly attach: (
      ids: ReadonlyArray<AttachmentId>,
      mailboxId: MailboxId,
      messageId: MessageId,
    ) => Effect.Effect<void>
    /**
     * Rolls back a refused send: detaches the uploads, or returns them to the draft that was sent (null: none), and removes
     * the other attachments of the message. Returns the blobs that no row refers to any more.
     */
    readonly detach: (
      messageId: MessageId,
      uploaded: ReadonlyArray<AttachmentId>,
      draft: Pick<DraftRecord, "id" | "mailboxId"> | null,
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Gives uploads to a draft. */
    readonly keep: (
      ids: ReadonlyArray<AttachmentId>,
      draft: Pick<DraftRecord, "id" | "mailboxId">,
    ) => Effect.Effect<void>
    /**
     * Removes the files of a draft but those in `except`. Returns the bytes that they counted, and the blobs that no row
     * refers to any more.
     */
    readonly removeOfDraft: (
      draftId: DraftId,
      except: ReadonlyArray<AttachmentId>,
    ) => Effect.Effect<{ readonly attachmentBytes: number; readonly blobKeys: ReadonlyArray<string> }>
    /**
     * Inside a transaction: those of these keys that name a blob which no row refers to, and which is no file of a mail in the
     * inbound queue. Locks them until the transaction ends.
     */
    readonly unusedAmong: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
    /** Removes an attachment without a message. Returns its blob if no other row refers to it. */
    readonly remove: (id: AttachmentId) => Effect.Effect<Option.Option<string>>
  }
>() {}
