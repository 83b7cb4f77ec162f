/** Removing messages with what they held: one, or what is left of a mailbox, a few at a time so that nobody waits. */
import type { SqlClient } from "@effect/sql"
import { type MailboxId, MessageId, RawMailId, ThreadId } from "@mailroom/domain"
import type { MessageStore } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { unusedAmong } from "../attachments/unusedAmong.js"
import { forLists, inLists } from "../database/batches.js"
import { all, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { removeUnusedRawMails } from "../rawMail/removeUnused.js"

const removedMessages = rowsOf(
  Schema.Struct({ id: MessageId, threadId: ThreadId, rawId: Schema.NullOr(RawMailId) }),
)
const removedAttachments = rowsOf(Schema.Struct({ blobKey: Schema.String, sizeBytes: Schema.Int }))
const emptyThreads = rowsOf(Schema.Struct({ id: ThreadId }))

/** `MessageStore.remove` and `MessageStore.purge` */
export const removalOf = (sql: SqlClient.SqlClient): Pick<MessageStore["Type"], "remove" | "purge"> => {
  const { join } = transactionOf(sql)
  const removeUnused = removeUnusedRawMails(sql)
  const unusedBlobs = unusedAmong(sql)

  const removeAttachments = (messages: ReadonlyArray<MessageId>) =>
    inLists(messages, (list) =>
      all(
        removedAttachments,
        sql`DELETE FROM attachments WHERE message_id IN ${sql.in(list)}
          RETURNING blob_key AS "blobKey", size_bytes AS "sizeBytes"`,
      ),
    )

  /** Removes threads whose last message is gone. */
  const removeThreads = (threads: ReadonlyArray<ThreadId>) =>
    Effect.flatMap(
      inLists(threads, (list) =>
        all(
          emptyThreads,
          sql`SELECT id FROM threads WHERE id IN ${sql.in(list)}
            AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.thread_id = threads.id)`,
        ),
      ),
      (empty) =>
        forLists(
          empty.map(({ id }) => id),
          (list) =>
            Effect.all(
              [
                run(sql`DELETE FROM thread_links WHERE thread_id IN ${sql.in(list)}`),
                run(sql`DELETE FROM thread_aliases WHERE thread_id IN ${sql.in(list)}`),
                run(sql`DELETE FROM threads WHERE id IN ${sql.in(list)}`),
              ],
              { discard: true },
            ),
        ),
    )

  /** What is left when no message is: threads that lost theirs before. */
  const removeRest = (mailboxId: MailboxId) =>
    Effect.all([
      run(
        sql`DELETE FROM thread_aliases WHERE thread_id IN (SELECT id FROM threads WHERE mailbox_id = ${mailboxId})`,
      ),
      run(sql`DELETE FROM thread_links WHERE mailbox_id = ${mailboxId}`),
      run(sql`DELETE FROM threads WHERE mailbox_id = ${mailboxId}`),
    ])

  /** What is left when `removed` messages are gone. */
  const removeHeld = (removed: Effect.Effect.Success<ReturnType<typeof removedMessages.decode>>) =>
    Effect.gen(function* () {
      const attachments = yield* removeAttachments(removed.map(({ id }) => id))
      const attachmentBlobs = yield* unusedBlobs(attachments.map(({ blobKey }) => blobKey))
      const rawBlobs = yield* removeUnused(removed.flatMap(({ rawId }) => (rawId === null ? [] : [rawId])))
      yield* removeThreads(removed.map(({ threadId }) => threadId))
      return {
        removed: removed.length,
        blobKeys: [...attachmentBlobs, ...rawBlobs],
        attachmentBytes: attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      }
    })

  const recount = (threads: ReadonlyArray<ThreadId>) =>
    forLists(threads, (list) =>
      run(
        sql`UPDATE threads SET
            message_count = (SELECT count(*) FROM messages WHERE thread_id = threads.id AND visible = 1),
            last_message_at = coalesce(
              (SELECT max(created_at) FROM messages WHERE thread_id = threads.id AND visible = 1), last_message_at)
          WHERE id IN ${sql.in(list)}`,
      ),
    )

  return {
    remove: (id) =>
      join(
        Effect.gen(function* () {
          const removed = yield* all(
            removedMessages,
            sql`DELETE FROM messages WHERE id = ${id} RETURNING id, thread_id AS "threadId", raw_id AS "rawId"`,
          )
          const held = yield* removeHeld(removed)
          yield* recount(removed.map(({ threadId }) => threadId))
          return held
        }),
      ),
    purge: (mailboxId, limit) =>
      join(
        Effect.gen(function* () {
          const removed = yield* all(
            removedMessages,
            sql`DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE mailbox_id = ${mailboxId} LIMIT ${limit})
              RETURNING id, thread_id AS "threadId", raw_id AS "rawId"`,
          )
          const held = yield* removeHeld(removed)
          if (removed.length < limit) yield* removeRest(mailboxId)
          return held
        }),
      ),
  }
}
