/** The text inside attachments, kept once it was read (docs/decisions/0063). Removed with the attachment. */
import type { AccountId, AttachmentId, DocumentText, Instant, MessageId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class AttachmentTextStore extends Context.Tag("@mailroom/AttachmentTextStore")<
  AttachmentTextStore,
  {
    readonly byId: (accountId: AccountId, id: AttachmentId) => Effect.Effect<Option.Option<DocumentText>>
    /** Keeps a text. Does nothing when the attachment has one, or was removed meanwhile. */
    readonly keep: (id: AttachmentId, text: DocumentText, at: Instant) => Effect.Effect<void>
    /** The kept texts of a message's attachments. */
    readonly ofMessage: (
      accountId: AccountId,
      messageId: MessageId,
    ) => Effect.Effect<ReadonlyArray<DocumentText & { readonly attachmentId: AttachmentId }>>
  }
>() {}
