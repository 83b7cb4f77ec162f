/** Reading messages and threads (spec, Messages, Threads). */
import {
  inboundQuota,
  inboundUsage,
  type InboundUsage,
  type MailboxId,
  type MailboxRecord,
  type MessageId,
  nextMonth,
  NotFound,
  OverInboundLimit,
  type Principal,
  type Thread,
  type ThreadId,
  THREADS_MAX,
  timestamp,
  type Upgrade,
  upgradeIfSold,
  viewThread,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Settings } from "../ports/Settings.js"
import {
  type MessageJson,
  type MessagePage,
  type MessageQuery,
  type MessageRecord,
  type MessageReference,
  MessageStore,
} from "../ports/stores/MessageStore.js"
import { ThreadStore } from "../ports/stores/ThreadStore.js"

/** A read of one thread shows this many of its messages, the newest ones. */
const THREAD_MESSAGES_MAX = 500

/** What a list says of the messages it does not show (decisions §2, metadata). */
export interface LimitMetadata {
  readonly overLimitCount: number
  /** present when something is hidden */
  readonly upgrade: Upgrade | null
  /** present from 50 % of the cap on */
  readonly limitHint: InboundUsage | null
}

export class Messages extends Context.Tag("@mailroom/Messages")<
  Messages,
  {
    /** Visible messages, newest first; those of a thread also by the id of one that became part of it. */
    readonly list: (
      principal: Principal,
      query: MessageQuery,
    ) => Effect.Effect<{ readonly page: MessagePage; readonly limits: LimitMetadata }, NotFound>
    /** One message, whole; 402 while it is gated. */
    readonly get: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
    ) => Effect.Effect<MessageRecord, NotFound | OverInboundLimit>
    /** The same in a mailbox that was read already. */
    readonly getIn: (
      principal: Principal,
      mailbox: Pick<MailboxRecord, "id">,
      id: MessageId,
    ) => Effect.Effect<MessageRecord, NotFound | OverInboundLimit>
    /** Where the source of a message is and how large its bodies are; refused as `get` refuses. Reads no bodies. */
    readonly reference: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
    ) => Effect.Effect<MessageReference, NotFound | OverInboundLimit>
    /** Up to 50 visible threads, newest visible activity first. */
    readonly threads: (
      principal: Principal,
      mailboxId: MailboxId,
    ) => Effect.Effect<{ readonly threads: ReadonlyArray<Thread>; readonly limits: LimitMetadata }, NotFound>
    /** A thread with its visible messages, oldest first; also by the id of a thread that became part of it. */
    readonly thread: (
      principal: Principal,
      mailboxId: MailboxId,
      id: ThreadId,
    ) => Effect.Effect<{ readonly thread: Thread; readonly messages: ReadonlyArray<MessageJson> }, NotFound>
    /** The refusal that a gated resource answers with. */
    readonly overLimit: (
      principal: Principal,
      gate: OverInboundLimit["gate"],
      resource: OverInboundLimit["resource"],
    ) => Effect.Effect<never, OverInboundLimit>
  }
>() {
  static readonly layer = Layer.effect(
    Messages,
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const messages = yield* MessageStore
      const threads = yield* ThreadStore
      const { baseUrl, billing } = yield* Settings

      const limitsOf = ({ account, state }: Principal, mailbox: MailboxRecord) =>
        Effect.map(Clock.currentTimeMillis, (now): LimitMetadata => ({
          overLimitCount: mailbox.overLimitCount,
          upgrade: mailbox.overLimitCount > 0 ? upgradeIfSold(baseUrl, billing) : null,
          limitHint: inboundUsage(inboundQuota(account, state, now), now),
        }))

      const overLimit = Effect.fnUntraced(function* (
        { account, state }: Principal,
        gate: OverInboundLimit["gate"],
        resource: OverInboundLimit["resource"],
      ) {
        const now = yield* Clock.currentTimeMillis
        const resetAt = nextMonth(now)
        return yield* new OverInboundLimit({
          gate,
          resource,
          quota: inboundQuota(account, state, now),
          resetAt: timestamp(resetAt),
          retryAfter: Math.ceil((resetAt - now) / 1000),
        })
      })

      /** The id a thread has now, by any that it ever had. */
      const currentId = (mailboxId: MailboxId, id: ThreadId) =>
        Effect.map(
          threads.byId(mailboxId, id),
          Option.match({ onNone: () => id, onSome: (thread) => thread.id }),
        )

      /** A message that the principal may read, as `find` finds it in a mailbox of theirs. */
      const visibleIn = <A extends Pick<MessageRecord, "status" | "gate">>(
        principal: Principal,
        mailboxId: MailboxId,
        id: MessageId,
        find: (mailboxId: MailboxId, id: MessageId) => Effect.Effect<Option.Option<A>>,
      ) =>
        Effect.gen(function* () {
          const message = yield* Effect.flatten(find(mailboxId, id))
          if (message.status === "SENDING") return yield* new NotFound({ resource: "message" })
          return message.gate === null
            ? message
            : yield* overLimit(principal, message.gate, { type: "message", id })
        }).pipe(Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "message" })))

      const visible = <A extends Pick<MessageRecord, "status" | "gate">>(
        principal: Principal,
        mailboxId: MailboxId,
        id: MessageId,
        find: (mailboxId: MailboxId, id: MessageId) => Effect.Effect<Option.Option<A>>,
      ) => Effect.zipRight(mailboxes.require(principal, mailboxId), visibleIn(principal, mailboxId, id, find))

      return Messages.of({
        overLimit,

        list: Effect.fn("Messages.list")(function* (principal, query) {
          const mailbox = yield* mailboxes.require(principal, query.mailboxId)
          const threadId = query.threadId === null ? null : yield* currentId(query.mailboxId, query.threadId)
          const page = yield* messages.page({ ...query, threadId }, principal.account.unlocking)
          return { page, limits: yield* limitsOf(principal, mailbox) }
        }),

        get: Effect.fn("Messages.get")((principal, mailboxId, id) =>
          visible(principal, mailboxId, id, messages.byId),
        ),

        getIn: (principal, mailbox, id) => visibleIn(principal, mailbox.id, id, messages.byId),

        reference: Effect.fn("Messages.reference")((principal, mailboxId, id) =>
          visible(principal, mailboxId, id, messages.referenceById),
        ),

        threads: Effect.fn("Messages.threads")(function* (principal, mailboxId) {
          const mailbox = yield* mailboxes.require(principal, mailboxId)
          const found = yield* threads.list(mailboxId, THREADS_MAX)
          return { threads: found.map(viewThread), limits: yield* limitsOf(principal, mailbox) }
        }),

        thread: Effect.fn("Messages.thread")(
          function* (principal, mailboxId, id) {
            yield* mailboxes.require(principal, mailboxId)
            const thread = yield* Effect.flatten(threads.byId(mailboxId, id))
            if (thread.messageCount === 0) return yield* new NotFound({ resource: "thread" })
            return {
              thread: viewThread(thread),
              messages: yield* messages.inThread(thread.id, THREAD_MESSAGES_MAX),
            }
          },
          Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "thread" })),
        ),
      })
    }),
  )
}
