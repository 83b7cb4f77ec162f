/**
 * The statements of a send. They are few, because each is a round trip to the database and most run while the account is
 * locked (docs/decisions/0043). All methods but `facts` and `lastAnswer` run inside a transaction.
 */
import type {
  AccountId,
  AccountRecord,
  AttachmentId,
  AttachmentRecord,
  Correspondent,
  Instant,
  MailboxId,
  MailboxRecord,
  MessageId,
  ThreadId,
  ThreadRecord,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"
import type { RecipientFacts } from "./MailboxStore.js"
import type { MessageRecord } from "./MessageStore.js"
import type { RawMail } from "./RawMailStore.js"
import type { ThreadLink } from "./ThreadStore.js"

/** What the send rules need, read without locks. */
export interface SendFacts {
  readonly mailbox: MailboxRecord
  /** the recipients that the account or the mailbox suppresses, with or without their tag, lower-case, in no order */
  readonly suppressed: ReadonlySet<string>
  /** the mailboxes of this service among the recipients */
  readonly inside: ReadonlyArray<RecipientFacts>
  /** what the mailbox has to do with those recipients that it knows, in no order */
  readonly correspondents: ReadonlyArray<Correspondent>
}

export interface LockedSender {
  readonly account: AccountRecord
  readonly mailbox: MailboxRecord
}

/** A message that is about to be relayed, with everything that is stored with it. */
export interface NewSend extends LockedSender {
  readonly raw: RawMail
  /** its status is SENDING */
  readonly message: MessageRecord
  /** normalized address of the author of the answered message; null when it answers no received message */
  readonly correspondent: string | null
  /** replace stored threads with the same id */
  readonly threads: ReadonlyArray<ThreadRecord>
  readonly links: ReadonlyArray<ThreadLink>
  /** new attachments */
  readonly attachments: ReadonlyArray<AttachmentRecord>
  /** uploads to attach to the message */
  readonly uploaded: ReadonlyArray<AttachmentId>
  /** blobs written for this send, whose drafts are removed (`BlobDraftStore`) */
  readonly blobKeys: ReadonlyArray<string>
}

export class SendStore extends Context.Tag("@mailroom/SendStore")<
  SendStore,
  {
    /** None when the account has no such mailbox. `recipients`: normalized addresses, at least one. */
    readonly facts: (
      accountId: AccountId,
      mailboxId: MailboxId,
      recipients: ReadonlyArray<string>,
    ) => Effect.Effect<Option.Option<SendFacts>>
    /** Locks the account and then the mailbox. None when either is gone. */
    readonly lock: (accountId: AccountId, mailboxId: MailboxId) => Effect.Effect<Option.Option<LockedSender>>
    /** Writes the account, the mailbox, and the message with its threads and attachments. */
    readonly record: (send: NewSend) => Effect.Effect<void>
    /**
     * Locks the account and changes a message from SENDING to SENT. Returns its current thread, which may have changed by a
     * merge. None when the account or message does not exist, or the message is not SENDING.
     */
    readonly markSent: (
      accountId: AccountId,
      id: MessageId,
      sentAt: Instant,
    ) => Effect.Effect<Option.Option<ThreadId>>
    /**
     * Sets `sentAt` of a message that has none, and changes UNKNOWN to SENT. Returns its thread; none when the message does
     * not exist or has a `sentAt`.
     */
    readonly markFoundSent: (id: MessageId, sentAt: Instant) => Effect.Effect<Option.Option<ThreadId>>
    /**
     * Changes the messages that are SENDING to UNKNOWN, and returns them with their current threads. Their accounts must be
     * locked.
     */
    readonly markUnknown: (
      ids: ReadonlyArray<MessageId>,
    ) => Effect.Effect<ReadonlyArray<{ readonly id: MessageId; readonly threadId: ThreadId }>>
    /**
     * Inside a transaction, on a locked account: removes a message that was certainly not sent. False when it does not exist, or is neither
     * SENDING nor, because its process was silent for too long, UNKNOWN.
     */
    readonly withdraw: (id: MessageId) => Effect.Effect<boolean>
    /**
     * The times of the first `limit` automatic turns since `since`, oldest first, including messages that are SENDING: in a
     * thread, or with one correspondent of a mailbox.
     */
    readonly automaticTurns: (
      of: { readonly threadId: ThreadId } | { readonly mailboxId: MailboxId; readonly correspondent: string },
      since: Instant,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Instant>>
    /** When the mailbox last answered a correspondent, at or before `until`. */
    readonly lastAnswer: (
      mailboxId: MailboxId,
      correspondent: string,
      until: Instant,
    ) => Effect.Effect<Option.Option<Instant>>
  }
>() {}
