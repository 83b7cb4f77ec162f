/**
 * Removing what no row refers to any more. Several messages, queue entries and jobs may share one raw mail, and several
 * attachments one blob: one mail to several mailboxes stores its bytes once.
 */
import type { SqlClient } from "@effect/sql"
import { blobsAmong, queueEntryOf, type RawMailId } from "@mailroom/domain"
import { Array, Effect, Option, Schema } from "effect"
import { forLists, inLists } from "../database/batches.js"
import { all, rowsOf, run } from "../database/Table.js"
import { dialectOf } from "../dialect.js"

const removed = rowsOf(Schema.Struct({ blobKey: Schema.NullOr(Schema.String) }))

/**
 * Removes those of the given raw mails that no message, no queue entry and no job refers to, and returns the keys of their blobs.
 * Locks the raw mails first: when two transactions remove the last two references at once, the second waits until it can
 * see what the first removed.
 */
export const removeUnusedRawMails = (
  sql: SqlClient.SqlClient,
): ((ids: ReadonlyArray<RawMailId>) => Effect.Effect<ReadonlyArray<string>>) => {
  const { forUpdate } = dialectOf(sql)
  const lock = (ids: ReadonlyArray<RawMailId>) =>
    forUpdate === ""
      ? Effect.void
      : forLists([...ids].sort(), (list) =>
          run(
            sql`SELECT id FROM raw_mails WHERE id IN ${sql.in(list)} ORDER BY id ${sql.literal(forUpdate)}`,
          ),
        )

  return (ids) =>
    Effect.gen(function* () {
      yield* lock(ids)
      const rows = yield* inLists(ids, (list) =>
        all(
          removed,
          sql`DELETE FROM raw_mails WHERE id IN ${sql.in(list)}
            AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.raw_id = raw_mails.id)
            AND NOT EXISTS (SELECT 1 FROM inbound_queue WHERE inbound_queue.raw_id = raw_mails.id)
            AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.raw_id = raw_mails.id)
            RETURNING blob_key AS "blobKey"`,
        ),
      )
      return rows.flatMap(({ blobKey }) => (blobKey === null ? [] : [blobKey]))
    })
}

const referenced = rowsOf(Schema.Struct({ blobKey: Schema.String }))
const queued = rowsOf(Schema.Struct({ id: Schema.String }))

/** Returns those of the given blob keys that are files of a mail which is still in the queue. */
export const filesInQueue = (
  sql: SqlClient.SqlClient,
): ((keys: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>) =>
  Effect.fnUntraced(function* (keys) {
    const entries = Array.filterMap(keys, (key) => Option.fromNullable(queueEntryOf(key)))
    const waiting = yield* inLists(entries, (list) =>
      all(queued, sql`SELECT id FROM inbound_queue WHERE id IN ${sql.in(list)}`),
    )
    const inQueue = new Set<string | null>(waiting.map(({ id }) => id))
    return new Set(keys.filter((key) => inQueue.has(queueEntryOf(key))))
  })

/**
 * Returns those of the given blob keys that no attachment refers to, and none of a mail that is still in the queue: of a
 * large mail for many recipients some have their message already, and the others get theirs with the same files. Keys that
 * point into a raw mail are no blobs and are ignored. Locks the keys first, for the same reason.
 */
export const unusedAmong = (
  sql: SqlClient.SqlClient,
): ((keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>) => {
  const { lockText } = dialectOf(sql)
  const waiting = filesInQueue(sql)
  const lock = (keys: ReadonlyArray<string>) =>
    lockText === null
      ? Effect.void
      : forLists([...keys].sort(), (list) =>
          run(
            sql`SELECT ${sql.literal(lockText("key"))} FROM (VALUES ${sql.csv(list.map((key) => sql`(${key})`))}) AS keys (key)`,
          ),
        )

  return (wanted) =>
    Effect.gen(function* () {
      const keys = blobsAmong(wanted)
      yield* lock(keys)
      // First: the transaction that takes a mail from the queue stores the rows of its files.
      const inQueue = yield* waiting(keys)
      const found = yield* inLists(keys, (list) =>
        all(
          referenced,
          sql`SELECT blob_key AS "blobKey" FROM attachments WHERE blob_key IN ${sql.in(list)} GROUP BY blob_key`,
        ),
      )
      const inUse = new Set(found.map(({ blobKey }) => blobKey))
      return [...new Set(keys)].filter((key) => !inUse.has(key) && !inQueue.has(key))
    })
}
