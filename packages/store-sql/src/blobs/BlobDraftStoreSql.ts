/** Blob drafts in SQL: keys of blobs that no row may refer to yet (docs/decisions/0042). */
import * as SqlClient from "@effect/sql/SqlClient"
import { BlobDraftStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { forLists, inLists, inRowsOf } from "../database/batches.js"
import { all, rowsOf, run } from "../database/Table.js"
import { dialectOf } from "../dialect.js"
import { filesInQueue } from "./unreferenced.js"

const drafts = rowsOf(Schema.Struct({ blobKey: Schema.String }))

const make = (sql: SqlClient.SqlClient): BlobDraftStore["Type"] => {
  const waiting = filesInQueue(sql)
  const skipLocked = sql.literal(dialectOf(sql).skipLocked)
  const keysOf = (found: ReadonlyArray<{ readonly blobKey: string }>) => found.map(({ blobKey }) => blobKey)

  return {
    add: (keys, dueAt) =>
      forLists(keys, (list) =>
        run(
          sql`INSERT INTO blob_drafts (blob_key, due_at)
            VALUES ${sql.csv([...new Set(list)].map((key) => sql`(${key}, ${dueAt})`))}
            ON CONFLICT (blob_key) DO UPDATE SET due_at = excluded.due_at`,
        ),
      ),
    remove: (keys) =>
      forLists(keys, (list) => run(sql`DELETE FROM blob_drafts WHERE blob_key IN ${sql.in(list)}`)),
    claim: (limit, now, nextDueAt) =>
      all(
        drafts,
        sql`UPDATE blob_drafts SET due_at = ${nextDueAt} WHERE blob_key ${inRowsOf(
          sql,
          sql`SELECT blob_key FROM blob_drafts WHERE due_at <= ${now}
            ORDER BY due_at, blob_key LIMIT ${limit} ${skipLocked}`,
        )}
            RETURNING blob_key AS "blobKey"`,
      ).pipe(
        Effect.map(keysOf),
        Effect.flatMap((keys) =>
          Effect.map(waiting(keys), (inQueue) => keys.filter((key) => !inQueue.has(key))),
        ),
      ),
    unnamedAmong: (keys) =>
      Effect.map(
        inLists(keys, (list) =>
          all(
            drafts,
            sql`SELECT blob_key AS "blobKey" FROM attachments WHERE blob_key IN ${sql.in(list)}
              UNION SELECT blob_key FROM raw_mails WHERE blob_key IN ${sql.in(list)}`,
          ),
        ),
        (found) => {
          const named = new Set(keysOf(found))
          return keys.filter((key) => !named.has(key))
        },
      ),
  }
}

export const BlobDraftStoreSql: Layer.Layer<BlobDraftStore, never, SqlClient.SqlClient> = Layer.effect(
  BlobDraftStore,
  Effect.map(SqlClient.SqlClient, make),
)
