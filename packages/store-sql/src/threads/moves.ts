/**
 * Threads that were absorbed by another. Their messages, links and aliases move to the new thread in steps. Until a row
 * has moved, `thread_moves` maps its thread id to the new thread. The table never holds a chain, so one lookup is enough,
 * and is empty most of the time (docs/decisions/0044).
 */
import type { SqlClient } from "@effect/sql"
import { ThreadId } from "@mailroom/domain"
import type { MovedRows, ThreadStore } from "@mailroom/engine"
import { Effect, Option, Schema } from "effect"
import { inLists } from "../database/batches.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { removeEmptyOf } from "./emptyThreads.js"

const moves = rowsOf(Schema.Struct({ oldId: ThreadId, threadId: ThreadId }))
const targets = rowsOf(Schema.Struct({ threadId: ThreadId }))
const oldIds = rowsOf(Schema.Struct({ oldId: ThreadId }))
const threadIds = rowsOf(Schema.Struct({ id: ThreadId }))
const changed = rowsOf(Schema.Struct({ key: Schema.String }))

/** SQL for the current thread of a row of `alias`, a table with a `thread_id`. */
export const currentThread = (alias: string): string =>
  `coalesce((SELECT thread_id FROM thread_moves WHERE old_id = ${alias}.thread_id), ${alias}.thread_id)`

/** SQL for the thread with this id, or the thread that absorbed it. */
export const resolved = (sql: SqlClient.SqlClient, id: ThreadId) =>
  sql`coalesce(
    (SELECT mv.thread_id FROM thread_aliases AS al JOIN thread_moves AS mv ON mv.old_id = al.thread_id
      WHERE al.old_id = ${id}),
    (SELECT thread_id FROM thread_aliases WHERE old_id = ${id}),
    ${id})`

/** `ThreadStore.currentIds` */
export const currentIdsOf = (sql: SqlClient.SqlClient): ThreadStore["Type"]["currentIds"] => {
  const moving = movesOf(sql).among
  const aliased = (ids: ReadonlyArray<ThreadId>) =>
    inLists(ids, (list) =>
      all(
        moves,
        sql`SELECT old_id AS "oldId", thread_id AS "threadId" FROM thread_aliases WHERE old_id IN ${sql.in(list)}`,
      ),
    )
  return (ids) =>
    Effect.gen(function* () {
      const aliases = new Map((yield* aliased(ids)).map(({ oldId, threadId }) => [oldId, threadId]))
      const now = yield* moving([...aliases.values()])
      return new Map(
        ids.map((id) => {
          const target = aliases.get(id) ?? id
          return [id, now.get(target) ?? target]
        }),
      )
    })
}

/** SQL for the thread ids in the rows of a thread: its own, and those of threads that still move to it. */
export const carriedIds = (sql: SqlClient.SqlClient, id: ThreadId) =>
  sql`(SELECT id FROM threads WHERE id = ${resolved(sql, id)}
    UNION ALL SELECT old_id FROM thread_moves WHERE thread_id = ${resolved(sql, id)})`

export interface Moves {
  /** Maps those of the given threads that still move to the thread they move to. */
  readonly among: (ids: ReadonlyArray<ThreadId>) => Effect.Effect<ReadonlyMap<ThreadId, ThreadId>>
  /** The thread that a thread still moves to; itself when it does not move. */
  readonly current: (id: ThreadId) => Effect.Effect<ThreadId>
  /** The threads that still move to this one. */
  readonly movingTo: (id: ThreadId) => Effect.Effect<ReadonlyArray<ThreadId>>
  /** All thread ids in the rows of a thread. `id` may be that of an absorbed thread. */
  readonly carried: (id: ThreadId) => Effect.Effect<ReadonlyArray<ThreadId>>
  /** Moves up to `limit` rows of each kind from one thread to another. */
  readonly some: (from: ThreadId, into: ThreadId, limit: number) => Effect.Effect<MovedRows>
  /** One step of a move that has begun. Returns true when nothing is left to move. */
  readonly step: (from: ThreadId, limit: number) => Effect.Effect<boolean>
}

export const movesOf = (sql: SqlClient.SqlClient): Moves => {
  const removeEmpty = removeEmptyOf(sql)

  const some: Moves["some"] = (from, into, limit) =>
    Effect.map(
      Effect.forEach(
        [
          sql`UPDATE messages SET thread_id = ${into} WHERE id IN (
              SELECT id FROM messages WHERE thread_id = ${from} LIMIT ${limit})
            RETURNING id AS key`,
          sql`UPDATE thread_links SET thread_id = ${into} WHERE (mailbox_id, rfc_id) IN (
              SELECT mailbox_id, rfc_id FROM thread_links WHERE thread_id = ${from} LIMIT ${limit})
            RETURNING rfc_id AS key`,
          sql`UPDATE thread_aliases SET thread_id = ${into} WHERE old_id IN (
              SELECT old_id FROM thread_aliases WHERE thread_id = ${from} LIMIT ${limit})
            RETURNING old_id AS key`,
        ],
        (statement) => all(changed, statement),
      ),
      (moved) => ({
        rows: moved.reduce((sum, rows) => sum + rows.length, 0),
        done: moved.every((rows) => rows.length < limit),
      }),
    )

  const among: Moves["among"] = (ids) =>
    Effect.map(
      inLists(ids, (list) =>
        all(
          moves,
          sql`SELECT old_id AS "oldId", thread_id AS "threadId" FROM thread_moves WHERE old_id IN ${sql.in(list)}`,
        ),
      ),
      (found) => new Map(found.map(({ oldId, threadId }) => [oldId, threadId])),
    )

  return {
    among,
    current: (id) => Effect.map(among([id]), (moving) => moving.get(id) ?? id),
    movingTo: (id) =>
      Effect.map(
        all(oldIds, sql`SELECT old_id AS "oldId" FROM thread_moves WHERE thread_id = ${id}`),
        (found) => found.map(({ oldId }) => oldId),
      ),
    carried: (id) =>
      Effect.map(all(threadIds, sql`SELECT id FROM ${carriedIds(sql, id)} AS carried`), (found) => [
        ...new Set([id, ...found.map((thread) => thread.id)]),
      ]),
    some,
    step: (from, limit) =>
      Effect.gen(function* () {
        const into = yield* first(
          targets,
          sql`SELECT thread_id AS "threadId" FROM thread_moves WHERE old_id = ${from}`,
        )
        if (Option.isNone(into)) return true
        const { threadId } = into.value
        const { done } = yield* some(from, threadId, limit)
        // The messages may all have been removed during the move.
        if (!done || !(yield* removeEmpty(threadId, limit, from))) return false
        yield* run(sql`DELETE FROM thread_moves WHERE old_id = ${from}`)
        return true
      }),
  }
}
