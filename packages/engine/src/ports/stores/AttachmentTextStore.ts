/** The text inside attachments, kept once it was read (docs/decisions/0063, 0070). Removed with the attachment. */
import type {
  AccountId,
  AttachmentId,
  AttachmentRecord,
  DocumentText,
  Instant,
  MessageId,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** A file that is to be read in the background. `attempt` counts from 1. */
export interface WaitingFile {
  readonly attachment: AttachmentRecord
  readonly attempt: number
}

export class AttachmentTextStore extends Context.Tag("@mailroom/AttachmentTextStore")<
  AttachmentTextStore,
  {
    readonly byId: (accountId: AccountId, id: AttachmentId) => Effect.Effect<Option.Option<DocumentText>>
    /**
     * Keeps a text, and queues its message for the search index in the same transaction. The file does not wait any more.
     * Keeps nothing when the attachment has a text, or was removed meanwhile.
     */
    readonly keep: (id: AttachmentId, text: DocumentText, at: Instant) => Effect.Effect<void>
    /** The kept texts of a message's attachments. */
    readonly ofMessage: (
      accountId: AccountId,
      messageId: MessageId,
    ) => Effect.Effect<ReadonlyArray<DocumentText & { readonly attachmentId: AttachmentId }>>
    /**
     * Claims the newest waiting file of the next account: of the accounts behind `after` in the order of their ids, and then
     * from the first on. A file of a message waits, from its arrival on, when it has less than `FILE_READ_ON_REQUEST_BYTES`
     * and is no picture. Counts an attempt. The file is not claimed again before `until`.
     */
    readonly claim: (
      after: AccountId | null,
      now: Instant,
      until: Instant,
    ) => Effect.Effect<Option.Option<WaitingFile>>
    /** The file does not wait any more. */
    readonly dismiss: (id: AttachmentId) => Effect.Effect<void>
    /** Ends a claim whose attempt does not count. */
    readonly release: (id: AttachmentId) => Effect.Effect<void>
  }
>() {}
