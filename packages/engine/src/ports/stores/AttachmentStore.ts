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
    readonly byId: (
      accountId: AccountId,
      id: AttachmentId,
    ) => Effect.Effect<Option.Option<AttachmentWithGate>>
    /** For a presigned link, which carries its own proof. */
    readonly byLink: (id: AttachmentId) => Effect.Effect<Option.Option<AttachmentRecord>>
    /** Ties uploaded files to the message that sent them. */
    readonly attach: (
      ids: ReadonlyArray<AttachmentId>,
      mailboxId: MailboxId,
      messageId: MessageId,
    ) => Effect.Effect<void>
    /** Unties them again when the send was refused. */
    readonly detach: (messageId: MessageId) => Effect.Effect<void>
  }
>() {}
