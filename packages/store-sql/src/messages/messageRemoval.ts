/** Removing messages with their attachments and raw mails: a single one, or those of a mailbox a few at a time. */
import type { SqlClient } from "@effect/sql"
import { DraftId, type MailboxId, type MessageId, RawMailId, ThreadId, totalBytes } from "@mailroom/domain"
import type { MessageStore } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { removeUnusedRawMails, unusedAmong } from "../blobs/unreferenced.js"
import { forLists, inLists } from "../database/batches.js"
import { Flag } from "../database/columns.js"
import { all, rowsOf, run } from "../database/Table.js"
import { removeSome } from "../database/removeSome.js"
import { transactionOf } from "../database/transaction.js"
import { removeEmptyOf } from "../threads/emptyThreads.js"
import { movesOf } from "../threads/moves.js"
import { INDEXED, Indexed, termIndexOf } from "./terms.js"
import { subtractionOf } from "./threadCounts.js"

const removedMessages = rowsOf(
  Schema.Struct({
    ...Indexed.fields,
    threadId: ThreadId,
    rawId: Schema.NullOr(RawMailId),
    visible: Flag,
  }),
)
type RemovedMessage = Effect.Effect.Success<ReturnType<typeof removedMessages.decode>>[number]

const removedAttachments = rowsOf(Schema.Struct({ blobKey: Schema.String, sizeBytes: Schema.Int }))
const removedDrafts = rowsOf(Schema.Struct({ id: DraftId, sizeBytes: Schema.Int }))
const removedThreads = rowsOf(Schema.Struct({ id: ThreadId }))

const REMOVED = `${INDEXED}, thread_id AS "threadId", raw_id AS "rawId", visible`

/** Links of an emptied thread that the removal of its last message removes too; a job removes the rest. */
const LINKS_AT_ONCE = 200

/** `MessageStore.remove` and `MessageStore.purge` */
export const removalOf = (sql: SqlClient.SqlClient): Pick<MessageStore["Type"], "remove" | "purge"> => {
  const { join } = transactionOf(sql)
  const removeUnused = removeUnusedRawMails(sql)
  const unusedBlobs = unusedAmong(sql)
  const removeEmpty = removeEmptyOf(sql)
  const moves = movesOf(sql)
  const terms = termIndexOf(sql)
  const subtract = subtractionOf(sql)

  const removeAttachments = (messages: ReadonlyArray<MessageId>) =>
    inLists(messages, (list) =>
      all(
        removedAttachments,
        sql`DELETE FROM attachments WHERE message_id IN ${sql.in(list)}
          RETURNING blob_key AS "blobKey", size_bytes AS "sizeBytes"`,
      ),
    )

  /** Removes the terms, attachments and raw mails of removed messages. */
  const removeParts = (removed: ReadonlyArray<RemovedMessage>) =>
    Effect.gen(function* () {
      yield* terms.remove(removed)
      const attachments = yield* removeAttachments(removed.map(({ id }) => id))
      const attachmentBlobs = yield* unusedBlobs(attachments.map(({ blobKey }) => blobKey))
      const rawBlobs = yield* removeUnused(removed.flatMap(({ rawId }) => (rawId === null ? [] : [rawId])))
      return {
        blobKeys: [...attachmentBlobs, ...rawBlobs],
        attachmentBytes: totalBytes(attachments),
      }
    })

  const remove = (id: MessageId) =>
    Effect.gen(function* () {
      const removed = yield* all(
        removedMessages,
        sql`DELETE FROM messages WHERE id = ${id} RETURNING ${sql.literal(REMOVED)}`,
      )
      const held = yield* removeParts(removed)
      const [message] = removed
      if (message === undefined) return { ...held, removed: 0, emptied: null }
      const current = yield* moves.current(message.threadId)
      if (message.visible) yield* subtract(current)
      const complete = yield* removeEmpty(current, LINKS_AT_ONCE)
      return { ...held, removed: 1, emptied: complete ? null : current }
    })

  const removeMessages = (mailboxId: MailboxId, limit: number) =>
    Effect.gen(function* () {
      const removed = yield* all(
        removedMessages,
        sql`DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE mailbox_id = ${mailboxId} LIMIT ${limit})
          RETURNING ${sql.literal(REMOVED)}`,
      )
      return { ...(yield* removeParts(removed)), removed: removed.length }
    })

  /** Removes threads of a mailbox that has no messages and no links any more. */
  const removeThreads = (mailboxId: MailboxId, limit: number) =>
    Effect.gen(function* () {
      const removed = yield* all(
        removedThreads,
        sql`DELETE FROM threads WHERE id IN (SELECT id FROM threads WHERE mailbox_id = ${mailboxId} LIMIT ${limit})
          RETURNING id`,
      )
      yield* forLists(
        removed.map(({ id }) => id),
        (list) => run(sql`DELETE FROM thread_aliases WHERE thread_id IN ${sql.in(list)}`),
      )
      return removed.length
    })

  /** Removes drafts of a mailbox with their files. `attachmentBytes`: also the bytes of their contents. */
  const removeDrafts = (mailboxId: MailboxId, limit: number) =>
    Effect.gen(function* () {
      const removed = yield* all(
        removedDrafts,
        sql`DELETE FROM drafts WHERE id IN (SELECT id FROM drafts WHERE mailbox_id = ${mailboxId} LIMIT ${limit})
          RETURNING id, size_bytes AS "sizeBytes"`,
      )
      const files = yield* inLists(
        removed.map(({ id }) => id),
        (list) =>
          all(
            removedAttachments,
            sql`DELETE FROM attachments WHERE draft_id IN ${sql.in(list)}
              RETURNING blob_key AS "blobKey", size_bytes AS "sizeBytes"`,
          ),
      )
      return {
        removed: removed.length,
        blobKeys: yield* unusedBlobs(files.map(({ blobKey }) => blobKey)),
        attachmentBytes: totalBytes([...removed, ...files]),
      }
    })

  const purge = (mailboxId: MailboxId, limit: number) =>
    Effect.gen(function* () {
      const drafts = yield* removeDrafts(mailboxId, limit)
      if (drafts.removed === limit) return drafts
      const held = yield* removeMessages(mailboxId, limit - drafts.removed)
      let removed = drafts.removed + held.removed
      const ofMailbox = sql`mailbox_id = ${mailboxId}`
      if (removed < limit)
        removed += yield* removeSome(sql, "thread_links", "rfc_id", ofMailbox, limit - removed)
      if (removed < limit)
        removed += yield* removeSome(sql, "thread_moves", "old_id", ofMailbox, limit - removed)
      if (removed < limit)
        removed += yield* removeSome(sql, "correspondents", "address", ofMailbox, limit - removed)
      if (removed < limit)
        removed += yield* removeSome(sql, "correspondent_domains", "domain", ofMailbox, limit - removed)
      if (removed < limit)
        removed += yield* removeSome(sql, "unread_correspondents", "mailbox_id", ofMailbox, limit - removed)
      if (removed < limit)
        removed += yield* removeSome(sql, "removed_sends", "message_id", ofMailbox, limit - removed)
      if (removed < limit) removed += yield* removeThreads(mailboxId, limit - removed)
      // Last: a send that has not ended yet counts as long as its message exists.
      if (removed < limit)
        removed += yield* removeSome(sql, "mail_counts", "at", sql`owner_id = ${mailboxId}`, limit - removed)
      return {
        removed,
        blobKeys: [...drafts.blobKeys, ...held.blobKeys],
        attachmentBytes: drafts.attachmentBytes + held.attachmentBytes,
      }
    })

  return {
    remove: (id) => join(remove(id)),
    purge: (mailboxId, limit) => join(purge(mailboxId, limit)),
  }
}
