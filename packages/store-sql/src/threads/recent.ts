/** Threads of an account by activity. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { MailboxId, type ThreadRecord } from "@mailroom/domain"
import type { ThreadsQuery, ThreadStore } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { inLists, unionAll } from "../database/batches.js"
import { all, rowsOf, type Table } from "../database/Table.js"
import { dialectOf } from "../dialect.js"

const mailboxes = rowsOf(Schema.Struct({ id: MailboxId }))

const newestFirst = (a: ThreadRecord, b: ThreadRecord): number =>
  b.lastMessageAt - a.lastMessageAt || (a.id < b.id ? 1 : -1)

/** `ThreadStore.recent` */
export const recentOf = (
  sql: SqlClient.SqlClient,
  threads: Table<ThreadRecord>,
): ThreadStore["Type"]["recent"] => {
  const { indexedBy } = dialectOf(sql)
  const selected = sql.literal(threads.selection)

  /** The first threads of one index, and one more. */
  const range = ({ after, limit }: ThreadsQuery, index: string, owner: Statement.Fragment) => {
    const behind =
      after === null
        ? sql.literal("")
        : sql`AND (last_message_at, id) < (${after.lastMessageAt}, ${after.id})`
    return sql`SELECT * FROM (SELECT ${selected} FROM threads ${sql.literal(indexedBy(index))}
      WHERE ${owner} AND message_count > 0 ${behind}
      ORDER BY last_message_at DESC, id DESC LIMIT ${limit + 1}) AS range`
  }

  /** Threads of a removed mailbox stay until a job removes them. */
  const withMailbox = (found: ReadonlyArray<ThreadRecord>) =>
    Effect.map(
      inLists(
        found.map(({ mailboxId }) => mailboxId),
        (list) => all(mailboxes, sql`SELECT id FROM mailboxes WHERE id IN ${sql.in(list)}`),
      ),
      (rows) => {
        const ids = new Set(rows.map(({ id }) => id))
        return found.filter(({ mailboxId }) => ids.has(mailboxId))
      },
    )

  return Effect.fnUntraced(function* (query) {
    const { accountId, mailboxIds, limit } = query
    if (mailboxIds?.length === 0) return { threads: [], next: null }
    const ranges =
      mailboxIds === null
        ? [range(query, "threads_account", sql`account_id = ${accountId}`)]
        : mailboxIds.map((id) =>
            range(query, "threads_active", sql`mailbox_id = ${id} AND account_id = ${accountId}`),
          )
    const found = [...(yield* all(threads, sql`${unionAll(ranges)}`))].sort(newestFirst)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return {
      threads: mailboxIds === null ? yield* withMailbox(page) : page,
      next: last === undefined ? null : { lastMessageAt: last.lastMessageAt, id: last.id },
    }
  })
}
