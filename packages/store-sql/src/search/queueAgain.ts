/** Queues messages for the search index again, because what search finds of them, or their place in the index, has changed. */
import type { SqlClient } from "@effect/sql"
import type { MessageId } from "@mailroom/domain"
import { forLists } from "../database/batches.js"
import { run } from "../database/Table.js"

/**
 * The caller has locked the messages. They stay in the index as they are until the indexer replaces them. When one is queued
 * already, the indexer may have read it before the change: the next revision has it read again.
 */
export const queueAgainIn = (sql: SqlClient.SqlClient) => (ids: ReadonlyArray<MessageId>) =>
  forLists(ids, (list) =>
    run(
      sql`INSERT INTO search_queue (created_at, message_id, account_id, revision)
        SELECT created_at, id, account_id, 1 FROM messages WHERE id IN ${sql.in(list)}
        ON CONFLICT (created_at, message_id) DO UPDATE SET revision = search_queue.revision + 1`,
    ),
  )
