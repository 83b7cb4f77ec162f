/** Writing to several tables with one statement, where the database can. */
import type { SqlClient, Statement } from "@effect/sql"
import { Effect } from "effect"
import { dialectOf } from "../dialect.js"
import { run, type Table } from "./Table.js"

/** A statement that changes rows and returns none. */
export type Write = Statement.Statement<object>

/** Inserts one or more rows of values in the order of `columns`. */
export const insertion = (
  sql: SqlClient.SqlClient,
  table: string,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  onConflict = "",
): Write =>
  sql`INSERT INTO ${sql.literal(table)} (${sql.literal(columns.join(", "))})
    VALUES ${sql.csv(rows.map((values) => sql`${sql.in(values)}`))} ${sql.literal(onConflict)}`

/** Inserts records; no statement when there are none. */
export const insertions = <A>(
  sql: SqlClient.SqlClient,
  into: Table<A>,
  records: ReadonlyArray<A>,
  onConflict = "",
): ReadonlyArray<Write> =>
  records.length === 0 ? [] : [insertion(sql, into.name, into.columns, records.map(into.values), onConflict)]

/** Overwrites the row that has the id of the record. */
export const replacement = <A extends { readonly id: string }>(
  sql: SqlClient.SqlClient,
  of: Table<A>,
  record: A,
): Write => sql`UPDATE ${sql.literal(of.name)} SET (${sql.literal(of.columns.join(", "))}) = ${sql.in(of.values(record))}
  WHERE id = ${record.id}`

/**
 * Runs the writes; call it inside a transaction. On Postgres they become one statement with data-modifying WITH clauses,
 * which saves round trips. Such writes do not see each other's rows, so no two of them may write the same row. SQLite
 * has no such clauses and no round trips: it runs the writes one after another.
 */
export const together = (sql: SqlClient.SqlClient, writes: ReadonlyArray<Write>): Effect.Effect<void> => {
  const last = writes.at(-1)
  if (last === undefined) return Effect.void
  if (!dialectOf(sql).writesInWith || writes.length === 1)
    return Effect.forEach(writes, run, { discard: true })
  const named = writes.slice(0, -1).map((write, index) => sql`${sql.literal(`w${index}`)} AS (${write})`)
  return run(sql`WITH ${sql.csv(named)} ${last}`)
}
