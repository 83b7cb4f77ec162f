/** Raw mail goes when the last message and the last queue entry that refer to it are gone. */
import type { SqlClient } from "@effect/sql"
import type { RawMailId } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { inLists } from "../database/batches.js"
import { all, rowsOf } from "../database/Table.js"

const removed = rowsOf(Schema.Struct({ blobKey: Schema.NullOr(Schema.String) }))

/** Removes those of these raw mails that nothing refers to, and returns the blobs that held them. */
export const removeUnusedRawMails =
  (sql: SqlClient.SqlClient) =>
  (ids: ReadonlyArray<RawMailId>): Effect.Effect<ReadonlyArray<string>> =>
    Effect.map(
      inLists(ids, (list) =>
        all(
          removed,
          sql`DELETE FROM raw_mails WHERE id IN ${sql.in(list)}
            AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.raw_id = raw_mails.id)
            AND NOT EXISTS (SELECT 1 FROM inbound_queue WHERE inbound_queue.raw_id = raw_mails.id)
            RETURNING blob_key AS "blobKey"`,
        ),
      ),
      (rows) => rows.flatMap(({ blobKey }) => (blobKey === null ? [] : [blobKey])),
    )
