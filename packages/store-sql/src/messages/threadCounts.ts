/** The count and the time of a thread, when one of its visible messages is removed or hidden. */
import type { SqlClient } from "@effect/sql"
import type { ThreadId } from "@mailroom/domain"
import type { Effect } from "effect"
import { run } from "../database/Table.js"
import { carriedIds } from "../threads/moves.js"

/** Subtracts a visible message from a thread. Costs one index lookup for each thread id that its messages carry. */
export const subtractionOf =
  (sql: SqlClient.SqlClient) =>
  (threadId: ThreadId): Effect.Effect<void> =>
    run(
      sql`UPDATE threads SET message_count = message_count - 1, last_message_at = coalesce(
          (SELECT max(newest) FROM (
            SELECT (SELECT created_at FROM messages WHERE messages.thread_id = carried.id AND visible = 1
              ORDER BY created_at DESC LIMIT 1) AS newest
            FROM ${carriedIds(sql, threadId)} AS carried) AS times),
          last_message_at)
        WHERE id = ${threadId}`,
    )
