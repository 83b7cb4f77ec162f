/** Raw mail goes when the last message and the last queue entry that refer to it are gone. */
import type { SqlClient } from "@effect/sql"
import type { RawMailId } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { forLists, inLists } from "../database/batches.js"
import { all, rowsOf, run } from "../database/Table.js"
import { dialectOf } from "../dialect.js"

const removed = rowsOf(Schema.Struct({ blobKey: Schema.NullOr(Schema.String) }))

/**
 * Removes those of these raw mails that nothing refers to, and returns the blobs that held them. Of two transactions
 * that remove the last references to a mail at once, the second has to see what the first removed, so one waits for
 * the other.
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
            RETURNING blob_key AS "blobKey"`,
        ),
      )
      return rows.flatMap(({ blobKey }) => (blobKey === null ? [] : [blobKey]))
    })
}
