/** Blobs may be shared: one mail to several mailboxes keeps the bytes of its attachments once. */
import type { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { inLists } from "../database/batches.js"
import { all, rowsOf } from "../database/Table.js"

const used = rowsOf(Schema.Struct({ blobKey: Schema.String }))

/** Those of the given blobs that no attachment refers to. */
export const unusedAmong =
  (sql: SqlClient.SqlClient) =>
  (keys: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
    Effect.map(
      inLists(keys, (list) =>
        all(
          used,
          sql`SELECT blob_key AS "blobKey" FROM attachments WHERE blob_key IN ${sql.in(list)} GROUP BY blob_key`,
        ),
      ),
      (found) => {
        const inUse = new Set(found.map(({ blobKey }) => blobKey))
        return [...new Set(keys)].filter((key) => !inUse.has(key))
      },
    )
