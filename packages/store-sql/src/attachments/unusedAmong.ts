/** Blobs may be shared: one mail to several mailboxes keeps the bytes of its attachments once. */
import type { SqlClient } from "@effect/sql"
import { blobsAmong } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { forLists, inLists } from "../database/batches.js"
import { all, rowsOf, run } from "../database/Table.js"
import { dialectOf } from "../dialect.js"

const used = rowsOf(Schema.Struct({ blobKey: Schema.String }))

/**
 * Those of the given blobs that no attachment refers to; places in raw mails are none. Of two transactions that remove the last attachments of a
 * blob at once, the second has to see what the first removed, so one waits for the other.
 */
export const unusedAmong = (
  sql: SqlClient.SqlClient,
): ((keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>) => {
  const { lockText } = dialectOf(sql)
  const passAlone = (keys: ReadonlyArray<string>) =>
    lockText === null
      ? Effect.void
      : forLists([...keys].sort(), (list) =>
          run(
            sql`SELECT ${sql.literal(lockText("key"))} FROM (VALUES ${sql.csv(list.map((key) => sql`(${key})`))}) AS keys (key)`,
          ),
        )

  return (places) =>
    Effect.gen(function* () {
      const keys = blobsAmong(places)
      yield* passAlone(keys)
      const found = yield* inLists(keys, (list) =>
        all(
          used,
          sql`SELECT blob_key AS "blobKey" FROM attachments WHERE blob_key IN ${sql.in(list)} GROUP BY blob_key`,
        ),
      )
      const inUse = new Set(found.map(({ blobKey }) => blobKey))
      return [...new Set(keys)].filter((key) => !inUse.has(key))
    })
}
