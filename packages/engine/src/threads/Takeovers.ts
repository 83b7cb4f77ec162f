/** A person takes threads over, and releases them (docs/specification/threads.md). */
import {
  type AuditAction,
  byCaller,
  type EventEnvelope,
  type Instant,
  type MailboxRecord,
  NotFound,
  type Principal,
  releasedEvent,
  takenOverEvent,
  type Thread,
  type ThreadId,
  type ThreadRecord,
  viewThread,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { AuditLog } from "../audit/AuditLog.js"
import { EventRecorder } from "../events/EventRecorder.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { ThreadStore } from "../ports/stores/ThreadStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

/** What a change of a thread writes beside the thread. */
interface Change {
  readonly takenOverAt: Instant | null
  readonly action: AuditAction
  readonly event: (thread: ThreadRecord, mailbox: MailboxRecord, at: Instant) => EventEnvelope
}

export class Takeovers extends Context.Tag("@mailroom/Takeovers")<
  Takeovers,
  {
    /**
     * From now on a person answers the thread: sends of keys into it fail with `ThreadTakenOver` (`admitToThread`). Changes
     * nothing in a thread that is taken over. `NotFound` for a thread without visible messages, or out of scope.
     */
    readonly takeOver: (principal: Principal, id: ThreadId) => Effect.Effect<Thread, NotFound>
    /** Keys may send into the thread again. Changes nothing in one that is not taken over. Fails as `takeOver`. */
    readonly release: (principal: Principal, id: ThreadId) => Effect.Effect<Thread, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Takeovers,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const audit = yield* AuditLog
      const events = yield* EventRecorder
      const mailboxes = yield* Mailboxes
      const threads = yield* ThreadStore
      const { commit } = yield* UnitOfWork

      const missing = () => new NotFound({ resource: "thread" })

      /** A thread with visible messages, and its mailbox. `NotFound` out of scope. */
      const find = Effect.fnUntraced(
        function* (principal: Principal, id: ThreadId) {
          const thread = yield* Effect.flatten(threads.ofAccount(principal.account.id, id))
          if (thread.messageCount === 0) return yield* missing()
          return { thread, mailbox: yield* mailboxes.require(principal, thread.mailboxId) }
        },
        Effect.catchTag("NoSuchElementException", missing),
        Effect.mapError(missing),
      )

      /** Changes a thread once: when `isDone`, it is returned as it is. */
      const change = (
        principal: Principal,
        id: ThreadId,
        isDone: (thread: ThreadRecord) => boolean,
        changeAt: (at: Instant) => Change,
      ) =>
        commit(
          Effect.gen(function* () {
            const account = yield* lockAccount(accounts, principal.account.id)
            // Read under the lock, as the time of an approval is.
            const at = yield* Clock.currentTimeMillis
            const { thread, mailbox } = yield* find(principal, id)
            if (isDone(thread)) return viewThread(thread)
            const { takenOverAt, action, event } = changeAt(at)
            const changed = { ...thread, takenOverAt }
            yield* threads.save([changed])
            const envelope = event(changed, mailbox, at)
            yield* events.record([{ accountId: account.id, mailboxId: mailbox.id, envelope, at }])
            yield* audit.record({
              ...byCaller(principal),
              action,
              target: thread.id,
              detail: { mailboxId: mailbox.id },
            })
            return viewThread(changed)
          }),
        )

      return {
        takeOver: Effect.fn("Takeovers.takeOver")((principal, id) =>
          change(
            principal,
            id,
            ({ takenOverAt }) => takenOverAt !== null,
            (at) => ({ takenOverAt: at, action: "thread.taken_over", event: takenOverEvent }),
          ),
        ),
        release: Effect.fn("Takeovers.release")((principal, id) =>
          change(
            principal,
            id,
            ({ takenOverAt }) => takenOverAt === null,
            () => ({ takenOverAt: null, action: "thread.released", event: releasedEvent }),
          ),
        ),
      }
    }),
  )
}
