/** Attachments: what is known of them; their bytes are in the blob store. */
import type {
  AccountId,
  AttachmentId,
  AttachmentRecord,
  InboundGate,
  MailboxId,
  MessageId,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface AttachmentWithGate {
  readonly attachment: AttachmentRecord
  /** of the message it belongs to */
  readonly gate: InboundGate | null
}

export class AttachmentStore extends Context.Tag("@mailroom/AttachmentStore")<
  AttachmentStore,
  {
    readonly insert: (attachments: ReadonlyArray<AttachmentRecord>) => Effect.Effect<void>
    readonly byIds: (
      accountId: AccountId,
      ids: ReadonlyArray<AttachmentId>,
    ) => Effect.Effect<ReadonlyArray<AttachmentWithGate>>
    /** For a presigned link, which carries its own proof. */
    readonly byLink: (id: AttachmentId) => Effect.Effect<Option.Option<AttachmentRecord>>
    /** Ties uploaded files to the message that sent them. */
    readonly attach: (
      ids: ReadonlyArray<AttachmentId>,
      mailboxId: MailboxId,
      messageId: MessageId,
    ) => Effect.Effect<void>
    /**
     * Undoes a send that was refused: the uploaded files are untied again, the message's other attachments are
     * removed. Returns the blobs that nothing refers to any more.
     */
    readonly detach: (
      messageId: MessageId,
      uploaded: ReadonlyArray<AttachmentId>,
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Removes an attachment that belongs to no message; returns its blob when nothing else refers to it. */
    readonly remove: (id: AttachmentId) => Effect.Effect<Option.Option<string>>
  }
>() {}
