/**
 * The statements of a send. They are few because each is a round trip to a database server and most run while the
 * account is locked (docs/decisions/0043). Everything here but `facts` runs inside a transaction.
 */
import type {
  AccountId,
  AccountRecord,
  AttachmentId,
  AttachmentRecord,
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

/** What the rules of a send look at before anything is locked. */
export interface SendFacts {
  readonly mailbox: MailboxRecord
  /** the recipients on the account's suppression list, lower-case, in no order */
  readonly suppressed: ReadonlySet<string>
  /** the mailboxes of this service among the recipients */
  readonly inside: ReadonlyArray<RecipientFacts>
}

export interface Sender {
  readonly account: AccountRecord
  readonly mailbox: MailboxRecord
}

/** A message that is about to be relayed, with all that is stored with it. */
export interface NewSend extends Sender {
  readonly raw: RawMail
  /** SENDING */
  readonly message: MessageRecord
  /** the normalized address that wrote what the message answers; null when it answers nothing that came in */
  readonly correspondent: string | null
  /** written over those with the same id */
  readonly threads: ReadonlyArray<ThreadRecord>
  readonly links: ReadonlyArray<ThreadLink>
  /** attachments that come into being with the message */
  readonly attachments: ReadonlyArray<AttachmentRecord>
  /** uploads that become the message's own */
  readonly uploaded: ReadonlyArray<AttachmentId>
  /** blobs that this send wrote and names from now on: drafts no more (`BlobDraftStore`) */
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
    readonly lock: (accountId: AccountId, mailboxId: MailboxId) => Effect.Effect<Option.Option<Sender>>
    /** Writes the account, the mailbox, and the message with everything of it. */
    readonly record: (send: NewSend) => Effect.Effect<void>
    /**
     * Locks the account and makes a SENDING message SENT. Returns the message's thread, which may be another one than
     * when it was recorded. None when the account or the message is gone, or the message is not SENDING any more.
     */
    readonly markSent: (
      accountId: AccountId,
      id: MessageId,
      sentAt: Instant,
    ) => Effect.Effect<Option.Option<ThreadId>>
    /**
     * Sets the time of sending of a message that has none, and makes it SENT if it is UNKNOWN. Returns its thread; none
     * when the message is gone or has a time of sending.
     */
    readonly markFoundSent: (id: MessageId, sentAt: Instant) => Effect.Effect<Option.Option<ThreadId>>
    /**
     * Makes those of the messages UNKNOWN that are SENDING, and returns these with their threads as they are now. The
     * accounts of the messages have to be locked.
     */
    readonly markUnknown: (
      ids: ReadonlyArray<MessageId>,
    ) => Effect.Effect<ReadonlyArray<{ readonly id: MessageId; readonly threadId: ThreadId }>>
    /** Removes a message that is SENDING: it was not sent. True when it was there and SENDING. */
    readonly withdraw: (id: MessageId) => Effect.Effect<boolean>
    /**
     * When the first `limit` automatic turns since `since` were, those being sent too; oldest first. Turns of a thread,
     * or with a correspondent of a mailbox.
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
