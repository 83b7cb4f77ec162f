/** Removing threads without messages. */
import type { SqlClient } from "@effect/sql"
import type { ThreadId } from "@mailroom/domain"
import { Effect, Option, Schema } from "effect"
import { all, first, rowsOf, run } from "../database/Table.js"

const emptyThreads = rowsOf(Schema.Struct({ id: Schema.String }))
const removedLinks = rowsOf(Schema.Struct({ rfcId: Schema.String }))

/** `ThreadStore.removeEmpty`. `moved`: a thread that has moved to this one, and has no rows any more. */
export const removeEmptyOf = (
  sql: SqlClient.SqlClient,
): ((id: ThreadId, limit: number, moved?: ThreadId) => Effect.Effect<boolean>) =>
  Effect.fnUntraced(function* (id, limit, moved) {
    const empty = yield* first(
      emptyThreads,
      // A thread to which others still move may have messages under their ids. The last step of the move checks again.
      sql`SELECT id FROM threads WHERE id = ${id}
        AND NOT EXISTS (SELECT 1 FROM messages WHERE thread_id = ${id})
        AND NOT EXISTS (SELECT 1 FROM thread_moves WHERE thread_id = ${id} AND old_id <> ${moved ?? ""})`,
    )
    if (Option.isNone(empty)) return true
    const removed = yield* all(
      removedLinks,
      sql`DELETE FROM thread_links WHERE (mailbox_id, rfc_id) IN (
          SELECT mailbox_id, rfc_id FROM thread_links WHERE thread_id = ${id} LIMIT ${limit})
        RETURNING rfc_id AS "rfcId"`,
    )
    if (removed.length === limit) return false
    yield* run(sql`DELETE FROM thread_aliases WHERE thread_id = ${id}`)
    yield* run(sql`DELETE FROM threads WHERE id = ${id}`)
    return true
  })
