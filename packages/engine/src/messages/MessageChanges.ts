/** Changes of one message: labels, read mark, deletion; and its raw mail (`spec: decisions.messages.patch-labels`). */
import {
  type MailboxId,
  type MessageId,
  type MessagePatch,
  NotFound,
  type OverInboundLimit,
  type Principal,
  type InvalidInput,
  patchFlags,
  releaseStorage,
  type Thread,
  type ThreadId,
  type ThreadPatch,
  viewThread,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { type Blob, Blobs } from "../ports/Blobs.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { type MessagePosition, type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { SendingHealthStore } from "../ports/stores/SendingHealthStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { Messages } from "./Messages.js"

type Refusal = NotFound | OverInboundLimit

/** Messages of a thread that one transaction changes. */
const THREAD_STEP = 200

export class MessageChanges extends Context.Tag("@mailroom/MessageChanges")<
  MessageChanges,
  {
    /** Changes labels and read mark as `patchFlags` says. */
    readonly update: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
      patch: MessagePatch,
    ) => Effect.Effect<MessageRecord, Refusal | InvalidInput>
    /**
     * Changes all visible messages of a thread in steps, oldest first, each in a transaction of its own. It stops at a
     * message that would have too many labels; those before it stay changed. Returns the thread.
     */
    readonly updateThread: (
      principal: Principal,
      mailboxId: MailboxId,
      id: ThreadId,
      patch: ThreadPatch,
    ) => Effect.Effect<Thread, NotFound | InvalidInput>
    /** Removes the message, also a quarantined one, with its attachments and raw mail. It stays counted in the month's received messages. */
    readonly remove: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
    ) => Effect.Effect<void, Refusal>
    /** The raw mail, byte by byte as it was received or sent. `NotFound` as for `Messages.get`. */
    readonly source: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
      withQuarantined?: boolean,
    ) => Effect.Effect<Blob, Refusal>
  }
>() {
  static readonly layer = Layer.effect(
    MessageChanges,
    Effect.gen(function* () {
      const messages = yield* Messages
      const store = yield* MessageStore
      const health = yield* SendingHealthStore
      const rawMails = yield* RawMailStore
      const accounts = yield* AccountStore
      const jobs = yield* JobQueue
      const blobs = yield* Blobs
      const { commit } = yield* UnitOfWork

      return MessageChanges.of({
        update: Effect.fn("MessageChanges.update")(function* (principal, mailboxId, id, patch) {
          const now = yield* Clock.currentTimeMillis
          return yield* commit(
            Effect.gen(function* () {
              yield* accounts.lock([principal.account.id])
              const message = yield* messages.get(principal, mailboxId, id)
              const flags = yield* patchFlags(message, patch, now)
              yield* store.setFlags([{ before: { ...message, id, mailboxId }, after: flags }])
              return { ...message, ...flags }
            }),
          )
        }),

        updateThread: Effect.fn("MessageChanges.updateThread")(function* (principal, mailboxId, id, patch) {
          const now = yield* Clock.currentTimeMillis
          const step = (after: MessagePosition | null) =>
            commit(
              Effect.gen(function* () {
                yield* accounts.lock([principal.account.id])
                // In each step: another thread may have absorbed this one meanwhile.
                const thread = yield* messages.requireThread(principal, mailboxId, id)
                const flagged = yield* store.flagsInThread(thread.id, after, THREAD_STEP)
                const changes = yield* Effect.forEach(flagged, (before) =>
                  Effect.map(patchFlags(before, patch, now), (changed) => ({ before, after: changed })),
                )
                yield* store.setFlags(changes)
                return { thread, last: flagged.length < THREAD_STEP ? null : (flagged.at(-1) ?? null) }
              }),
            )
          let { thread, last } = yield* step(null)
          while (last !== null) ({ thread, last } = yield* step(last))
          return viewThread(thread)
        }),

        remove: Effect.fn("MessageChanges.remove")(function* (principal, mailboxId, id) {
          const now = yield* Clock.currentTimeMillis
          yield* commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([principal.account.id])
              yield* messages.reference(principal, mailboxId, id, true)
              const [sent] = yield* store.sent([id])
              if (sent !== undefined) yield* health.keepRemoved(sent.content, now)
              const { attachmentBytes, blobKeys, emptied } = yield* store.remove(id)
              if (account !== undefined && attachmentBytes > 0)
                yield* accounts.save(releaseStorage(account, attachmentBytes))
              if (blobKeys.length > 0) yield* jobs.add({ kind: "remove-blobs", keys: blobKeys }, now)
              if (emptied !== null) {
                const accountId = principal.account.id
                yield* jobs.add({ kind: "remove-thread", accountId, threadId: emptied }, now)
              }
            }),
          )
        }),

        source: Effect.fn("MessageChanges.source")(
          function* (principal, mailboxId, id, withQuarantined = false) {
            const { rawId } = yield* messages.reference(principal, mailboxId, id, withQuarantined)
            const { content } = yield* Effect.flatten(
              rawId === null ? Effect.succeedNone : rawMails.byId(rawId),
            )
            return content.kind === "inline"
              ? { sizeBytes: content.bytes.length, content: Stream.make(content.bytes) }
              : yield* Effect.flatten(blobs.get(content.key))
          },
          Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "message" })),
        ),
      })
    }),
  )
}
