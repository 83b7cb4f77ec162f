/** Reads messages and threads (docs/specification/messages.md, threads.md). */
import {
  inboundQuota,
  type MailboxId,
  type MailboxRecord,
  type Message,
  type MessageId,
  nextMonth,
  NotFound,
  OverInboundLimit,
  type Principal,
  type Thread,
  type ThreadId,
  type ThreadRecord,
  timestamp,
  timestampOrNull,
  viewQuarantine,
  viewThread,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, type Option } from "effect"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import {
  type MessageJson,
  type MessageRecord,
  type MessageReference,
  MessageStore,
} from "../ports/stores/MessageStore.js"
import { ThreadStore } from "../ports/stores/ThreadStore.js"

/** A thread resource shows this many of its newest messages. */
const THREAD_MESSAGES_MAX = 500

/** What hides a message. */
type Hidden = Pick<MessageRecord, "status" | "gate" | "quarantine">

/** The message resource. */
export const viewMessage = (message: MessageRecord): Message => ({
  ...message.content,
  threadId: message.threadId,
  status: message.status,
  overLimit: message.gate !== null,
  labels: message.labels,
  readAt: timestampOrNull(message.readAt),
  sentAt: timestampOrNull(message.sentAt),
  claim: message.claim,
  quarantined: viewQuarantine(message.quarantine),
  headers: message.headers,
})

export class Messages extends Context.Tag("@mailroom/Messages")<
  Messages,
  {
    /**
     * One message with its whole bodies. `OverInboundLimit` while it is gated; `NotFound` while it is quarantined, unless
     * `withQuarantined`.
     */
    readonly get: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
      withQuarantined?: boolean,
    ) => Effect.Effect<MessageRecord, NotFound | OverInboundLimit>
    /** As `get`, in a mailbox that the caller has read. */
    readonly getIn: (
      principal: Principal,
      mailbox: Pick<MailboxRecord, "id">,
      id: MessageId,
    ) => Effect.Effect<MessageRecord, NotFound | OverInboundLimit>
    /** Where the raw mail of a message is and how large its bodies are. Fails as `get` does. Reads no bodies. */
    readonly reference: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
      withQuarantined?: boolean,
    ) => Effect.Effect<MessageReference, NotFound | OverInboundLimit>
    /**
     * A thread with its newest 500 visible messages, oldest first. `id` may be of a thread that was merged into
     * another.
     */
    readonly thread: (
      principal: Principal,
      mailboxId: MailboxId,
      id: ThreadId,
    ) => Effect.Effect<{ readonly thread: Thread; readonly messages: ReadonlyArray<MessageJson> }, NotFound>
    /** A thread with visible messages. `id` may be of a thread that was merged into another. */
    readonly requireThread: (
      principal: Principal,
      mailboxId: MailboxId,
      id: ThreadId,
    ) => Effect.Effect<ThreadRecord, NotFound>
    /** Fails with the error of a gated resource. */
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

      /** A message that is neither SENDING, gated nor quarantined, in a mailbox that the principal may read. `find` reads it. */
      const visibleIn = <A extends Hidden>(
        principal: Principal,
        mailboxId: MailboxId,
        id: MessageId,
        find: (mailboxId: MailboxId, id: MessageId) => Effect.Effect<Option.Option<A>>,
        withQuarantined: boolean,
      ) =>
        Effect.gen(function* () {
          const message = yield* Effect.flatten(find(mailboxId, id))
          if (message.status === "SENDING") return yield* new NotFound({ resource: "message" })
          if (message.gate !== null) return yield* overLimit(principal, message.gate, { type: "message", id })
          if (message.quarantine !== null && !withQuarantined)
            return yield* new NotFound({ resource: "message" })
          return message
        }).pipe(Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "message" })))

      const visible = <A extends Hidden>(
        principal: Principal,
        mailboxId: MailboxId,
        id: MessageId,
        find: (mailboxId: MailboxId, id: MessageId) => Effect.Effect<Option.Option<A>>,
        withQuarantined: boolean,
      ) =>
        Effect.zipRight(
          mailboxes.require(principal, mailboxId),
          visibleIn(principal, mailboxId, id, find, withQuarantined),
        )

      const requireThread = Effect.fnUntraced(
        function* (principal: Principal, mailboxId: MailboxId, id: ThreadId) {
          yield* mailboxes.require(principal, mailboxId)
          const thread = yield* Effect.flatten(threads.byId(mailboxId, id))
          if (thread.messageCount === 0) return yield* new NotFound({ resource: "thread" })
          return thread
        },
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "thread" })),
      )

      return Messages.of({
        overLimit,

        get: Effect.fn("Messages.get")((principal, mailboxId, id, withQuarantined = false) =>
          visible(principal, mailboxId, id, messages.byId, withQuarantined),
        ),

        getIn: (principal, mailbox, id) => visibleIn(principal, mailbox.id, id, messages.byId, false),

        reference: Effect.fn("Messages.reference")((principal, mailboxId, id, withQuarantined = false) =>
          visible(principal, mailboxId, id, messages.referenceById, withQuarantined),
        ),

        requireThread,

        thread: Effect.fn("Messages.thread")(function* (principal, mailboxId, id) {
          const thread = yield* requireThread(principal, mailboxId, id)
          return {
            thread: viewThread(thread),
            messages: yield* messages.inThread(thread.id, THREAD_MESSAGES_MAX),
          }
        }),
      })
    }),
  )
}
