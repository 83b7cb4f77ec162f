/** Claims of messages (docs/specification/sharing.md). A transaction locks the row of a message before it changes its claim. */
import type { ClaimRecord, Direction, Instant, MailboxId, MessageId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"
import type { MatchedMessage } from "./ArrivalStore.js"
import type { MessagePosition } from "./MessageStore.js"

/** A message and its claim, locked until the transaction ends. */
export interface ClaimedMessage {
  readonly id: MessageId
  readonly mailboxId: MailboxId
  readonly direction: Direction
  readonly createdAt: Instant
  /** null: it was never claimed */
  readonly claim: ClaimRecord | null
}

/** Messages that may be claimed, oldest first. */
export interface FreePage {
  readonly messages: ReadonlyArray<MatchedMessage>
  /** position of the next page; null on the last */
  readonly next: MessagePosition | null
}

export class ClaimStore extends Context.Tag("@mailroom/ClaimStore")<
  ClaimStore,
  {
    /**
     * Inside a transaction: makes up to `limit` messages of a mailbox free whose lease has ended, and returns how many.
     * Skips messages that another transaction has locked.
     */
    readonly freeEnded: (mailboxId: MailboxId, now: Instant, limit: number) => Effect.Effect<number>
    /**
     * Inside a transaction: locks the oldest visible inbound message of a mailbox that is free, skipping those that other
     * transactions have locked. Costs the same however many messages were claimed and completed before it.
     */
    readonly lockOldest: (mailboxId: MailboxId) => Effect.Effect<Option.Option<ClaimedMessage>>
    /** As `lockOldest`, but only among these messages, in their order. */
    readonly lockFirst: (
      mailboxId: MailboxId,
      ids: ReadonlyArray<MessageId>,
    ) => Effect.Effect<Option.Option<ClaimedMessage>>
    /** Inside a transaction: locks a message, claimed or not, gated or not. None when it is absent or SENDING. */
    readonly lock: (mailboxId: MailboxId, id: MessageId) => Effect.Effect<Option.Option<ClaimedMessage>>
    /** Inside a transaction that has locked the message: stores its claim. */
    readonly save: (message: ClaimedMessage, claim: ClaimRecord) => Effect.Effect<void>
    /**
     * Visible inbound messages that are free, oldest first, after a position. Leases that ended must be freed before. A page
     * has at most `limit` messages, and 8 MB of their listings unless the first is larger.
     */
    readonly free: (
      mailboxId: MailboxId,
      after: MessagePosition | null,
      limit: number,
    ) => Effect.Effect<FreePage>
    /** When the first lease of a mailbox ends; none when no message is claimed. */
    readonly nextEnd: (mailboxId: MailboxId) => Effect.Effect<Option.Option<Instant>>
  }
>() {}
