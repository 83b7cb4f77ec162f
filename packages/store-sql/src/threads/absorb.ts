/** Merging two threads that turn out to be one conversation. */
import type { SqlClient } from "@effect/sql"
import { mergedThread, type ThreadId, type ThreadRecord } from "@mailroom/domain"
import type { ThreadStore } from "@mailroom/engine"
import { Effect } from "effect"
import { insertInto, replacing } from "../database/batches.js"
import { all, run, type Table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { movesOf } from "./moves.js"

/** `ThreadStore.absorb` */
export const absorbOf = (
  sql: SqlClient.SqlClient,
  threads: Table<ThreadRecord>,
): ThreadStore["Type"]["absorb"] => {
  const { join } = transactionOf(sql)
  const moves = movesOf(sql)
  const save = insertInto(sql, threads, replacing(threads))
  const forUpdate = sql.literal(dialectOf(sql).forUpdate)

  /** Replaces the two rows by one. Returns the removed row. */
  const mergeRows = (from: ThreadId, into: ThreadId) =>
    Effect.gen(function* () {
      const both = yield* all(
        threads,
        sql`SELECT ${sql.literal(threads.selection)} FROM threads WHERE id IN ${sql.in([from, into])}
          ORDER BY id ${forUpdate}`,
      )
      const old = both.find(({ id }) => id === from)
      if (old === undefined) return
      const kept = both.find(({ id }) => id === into) ?? { ...old, id: into, messageCount: 0 }
      yield* save([mergedThread(kept, old)])
      yield* run(sql`DELETE FROM threads WHERE id = ${from}`)
      return old
    })

  const absorb = Effect.fnUntraced(function* (from: ThreadId, into: ThreadId, limit: number) {
    const old = yield* mergeRows(from, into)
    if (old === undefined) return { rows: 0, done: true }
    const moved = limit > 0 ? yield* moves.some(from, into, limit) : { rows: 0, done: false }
    // Threads that still move to `from` now move to `into`, so that one lookup finds the thread of any row.
    yield* run(sql`UPDATE thread_moves SET thread_id = ${into} WHERE thread_id = ${from}`)
    if (!moved.done)
      yield* run(
        sql`INSERT INTO thread_moves (old_id, thread_id, mailbox_id) VALUES (${from}, ${into}, ${old.mailboxId})`,
      )
    yield* run(
      sql`INSERT INTO thread_aliases (old_id, thread_id) VALUES (${from}, ${into})
        ON CONFLICT (old_id) DO UPDATE SET thread_id = excluded.thread_id`,
    )
    return moved
  })

  return (from, into, limit) =>
    from === into ? Effect.succeed({ rows: 0, done: true }) : join(absorb(from, into, limit))
}
