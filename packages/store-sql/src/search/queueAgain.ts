/** Queues a message for the search index again, because what search finds of it has changed. */
import type { SqlClient } from "@effect/sql"
import type { MessageId } from "@mailroom/domain"
import { run } from "../database/Table.js"

/**
 * The caller has locked the message. It stays in the index as it is until the indexer replaces it. When it is queued already,
 * the indexer may have read it before the change: the next revision has it read again.
 */
export const queueAgainIn = (sql: SqlClient.SqlClient) => (id: MessageId) =>
  run(
    sql`INSERT INTO search_queue (created_at, message_id, account_id, revision)
      SELECT created_at, id, account_id, 1 FROM messages WHERE id = ${id}
      ON CONFLICT (created_at, message_id) DO UPDATE SET revision = search_queue.revision + 1`,
  )
