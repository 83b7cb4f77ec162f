/**
 * The windows of sends by which mailboxes are judged (docs/decisions/0068). The sends of a mailbox are numbered from 1. Its
 * window is its last 1,000 sends, and begins again when its sending is resumed. Everything here runs inside a transaction
 * that has locked the account.
 */
import type {
  AccountId,
  Addressed,
  Instant,
  MailboxId,
  MessageContent,
  MessageId,
  SendingWindow,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface CountedSend {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
  readonly messageId: MessageId
  /** recipients that are sends */
  readonly sends: number
  readonly at: Instant
}

export interface MailboxWindow extends SendingWindow {
  readonly mailboxId: MailboxId
  /** whether the owner has been warned since the window was last healthy */
  readonly warned: boolean
}

export interface SendReport {
  readonly messageId: MessageId
  /** how far before the last send of its message the send is */
  readonly distance: number
  readonly outcome: "bounced" | "complained"
}

/** A sent message that was deleted: what reports about it need. */
export interface RemovedSend {
  readonly accountId: AccountId
  readonly content: Addressed & Pick<MessageContent, "id" | "mailboxId">
}

/** The rows of a mailbox are removed with it. */
export class SendingHealthStore extends Context.Tag("@mailroom/SendingHealthStore")<
  SendingHealthStore,
  {
    /**
     * Counts a message that became SENT: adds it to the counters of its mailbox and account (`MailCountStore.add`), and
     * numbers its sends. Returns the sends since the window began, above 1,000 too; none when the mailbox is gone. One
     * statement on Postgres, because it runs for every send.
     */
    readonly countSend: (send: CountedSend) => Effect.Effect<Option.Option<number>>
    /** Without mailboxes that have not sent. */
    readonly windows: (mailboxIds: ReadonlyArray<MailboxId>) => Effect.Effect<ReadonlyArray<MailboxWindow>>
    /**
     * Stores the reports about sends of a window that are not stored yet, and returns those with their mailboxes. Ignores
     * sends before the window and messages without a number. The message may have been removed (`keepRemoved`).
     */
    readonly addReports: (
      reports: ReadonlyArray<SendReport>,
    ) => Effect.Effect<
      ReadonlyArray<{ readonly mailboxId: MailboxId; readonly outcome: SendReport["outcome"] }>
    >
    /** Before a message is removed: keeps what reports about it need. Does nothing for a message without a number. */
    readonly keepRemoved: (content: RemovedSend["content"], at: Instant) => Effect.Effect<void>
    /** The kept ones among these messages, of mailboxes that exist. */
    readonly removed: (messageIds: ReadonlyArray<MessageId>) => Effect.Effect<ReadonlyArray<RemovedSend>>
    /** Removes up to `limit` kept sends whose messages were removed before `before`, and returns how many. */
    readonly forgetRemoved: (before: Instant, limit: number) => Effect.Effect<number>
    readonly setWarned: (mailboxId: MailboxId, warned: boolean) => Effect.Effect<void>
    /** Begins the window after the last send, not warned. */
    readonly restart: (mailboxId: MailboxId) => Effect.Effect<void>
  }
>() {}
