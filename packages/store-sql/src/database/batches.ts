/**
 * Statements over many values. Each is prepared once and kept, so its text must not change with the number of values:
 * inserts come in few sizes, lists of ids are filled up to a power of two by repeating the last.
 */
import type { SqlClient, Statement } from "@effect/sql"
import { Effect } from "effect"
import { dialectOf } from "../dialect.js"
import { allAsStored, run, type Table } from "./Table.js"
import { transactionOf } from "./transaction.js"

/** rows of one INSERT; times the columns of the widest table it stays below SQLite's 32,766 parameters */
const MAX_ROWS = 64
/** values of one IN list */
const MAX_LIST = 256

/** Up to here a number of rows has a statement of its own, for an INSERT costs as much as ten of its rows. */
const FEW_ROWS = 16

/** How many of `count` rows the next INSERT takes. */
const rowsAtOnce = (count: number): number =>
  count <= FEW_ROWS ? count : 2 ** Math.floor(Math.log2(Math.min(count, MAX_ROWS)))

/** The values of one row, in the order of the statement's columns. */
type Values = ReadonlyArray<unknown>

/**
 * Runs a statement for all rows or none, and returns what it returns. `textOf` writes the statement for so many rows of
 * one of the few sizes.
 */
const forRows = (sql: SqlClient.SqlClient, textOf: (count: number) => string) => {
  const { join } = transactionOf(sql)
  const texts = new Map<number, string>()
  const keptTextOf = (count: number): string => {
    const known = texts.get(count)
    if (known !== undefined) return known
    const text = textOf(count)
    texts.set(count, text)
    return text
  }
  return <Row extends object>(rows: ReadonlyArray<Values>): Effect.Effect<ReadonlyArray<Row>> => {
    const statements: Array<Effect.Effect<ReadonlyArray<Row>>> = []
    for (let start = 0; start < rows.length;) {
      const count = rowsAtOnce(rows.length - start)
      statements.push(
        allAsStored<Row>(sql.unsafe(keptTextOf(count), rows.slice(start, start + count).flat())),
      )
      start += count
    }
    const all = Effect.map(Effect.all(statements), (found) => found.flat())
    return statements.length > 1 ? join(all) : all
  }
}

export type Insert<A> = (records: ReadonlyArray<A>) => Effect.Effect<void>

/** Inserts rows given as values in the order of `columns`, all or none; `onConflict` ends the statement. */
export const insertValues = (
  sql: SqlClient.SqlClient,
  table: string,
  columns: ReadonlyArray<string>,
  onConflict = "",
): Insert<Values> => {
  const { placeholder } = dialectOf(sql)
  const insert = forRows(sql, (count) => {
    const rows = Array.from(
      { length: count },
      (_, row) => `(${columns.map((_, column) => placeholder(row * columns.length + column + 1)).join(",")})`,
    )
    return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${rows.join(",")} ${onConflict}`
  })
  return (rows) => Effect.asVoid(insert(rows))
}

/** Inserts records: all or none. */
export const insertInto = <A>(sql: SqlClient.SqlClient, into: Table<A>, onConflict = ""): Insert<A> => {
  const insert = insertValues(sql, into.name, into.columns, onConflict)
  return (records) => insert(records.map(into.values))
}

/** `ON CONFLICT` that replaces the row with the same id. */
export const replacing = <A>(into: Table<A>): string =>
  `ON CONFLICT (id) DO UPDATE SET ${into.columns
    .filter((column) => column !== "id")
    .map((column) => `${column} = excluded.${column}`)
    .join(", ")}`

/** Writes a record over the row with its id. */
export const updateById = <A extends { readonly id: string }>(sql: SqlClient.SqlClient, of: Table<A>) => {
  const { placeholder } = dialectOf(sql)
  const changes = of.columns
    .map((column, index) => [column, index] as const)
    .filter(([column]) => column !== "id")
  const assignments = changes.map(([column], index) => `${column} = ${placeholder(index + 1)}`).join(", ")
  const text = `UPDATE ${of.name} SET ${assignments} WHERE id = ${placeholder(changes.length + 1)}`
  return (record: A): Effect.Effect<void> => {
    const values = of.values(record)
    return run(sql.unsafe(text, [...changes.map(([, index]) => values[index]), record.id]))
  }
}

/** A column of `updateRows`, and the SQL type of its values. */
export interface UpdatedColumn {
  readonly column: string
  readonly type: "text" | "bigint"
}

/** How `updateRows` changes a column: set to the value, or raised by it. */
type Change = UpdatedColumn & { readonly change: "set" | "add" }

/**
 * Updates many rows by id with one statement for every `MAX_ROWS` of them: each row is its id and the values of
 * `changes`, in their order. Returns the `returning` columns of the rows that exist.
 */
export const updateRows = (
  sql: SqlClient.SqlClient,
  table: string,
  changes: ReadonlyArray<Change>,
  returning = "id",
) => {
  const { placeholder, typed } = dialectOf(sql)
  const types = ["text" as const, ...changes.map(({ type }) => type)]
  // A VALUES list names its columns column1, column2, … on both databases.
  const assignments = changes.map(
    ({ column, change }, index) =>
      `${column} = ${change === "add" ? `${table}.${column} + ` : ""}given.column${index + 2}`,
  )
  return forRows(sql, (count) => {
    const rows = Array.from(
      { length: count },
      (_, row) =>
        `(${types.map((type, at) => typed(placeholder(row * types.length + at + 1), type)).join(",")})`,
    )
    return `UPDATE ${table} SET ${assignments.join(", ")} FROM (VALUES ${rows.join(",")}) AS given
      WHERE ${table}.id = given.column1 RETURNING ${returning}`
  })
}

/** The same values, of which the last repeats until their number is a power of two: a statement has few lengths. */
export const padded = <V>(values: ReadonlyArray<V>): ReadonlyArray<V> => {
  const missing = 2 ** Math.ceil(Math.log2(values.length)) - values.length
  return [...values, ...values.slice(-1).flatMap((last) => Array.from({ length: missing }, () => last))]
}

/** Follows a column: it has one of the values. One parameter, whatever their number, and so one prepared statement. */
export const isAmong = (sql: SqlClient.SqlClient, values: ReadonlyArray<string>): Statement.Fragment => {
  const [before, after] = dialectOf(sql).among
  return sql`${sql.literal(before)}${JSON.stringify([...new Set(values)])}${sql.literal(after)}`
}

/**
 * Runs `statement` for lists of the given values, of a few stable lengths: the last may stand in its list more than
 * once.
 */
export const inLists = <V, A>(
  values: ReadonlyArray<V>,
  statement: (list: ReadonlyArray<V>) => Effect.Effect<ReadonlyArray<A>>,
): Effect.Effect<ReadonlyArray<A>> => {
  const unique = [...new Set(values)]
  const lists: Array<ReadonlyArray<V>> = []
  for (let start = 0; start < unique.length; start += MAX_LIST) {
    lists.push(padded(unique.slice(start, start + MAX_LIST)))
  }
  return Effect.map(Effect.forEach(lists, statement), (found) => found.flat())
}

/** The same for statements that return nothing. */
export const forLists = <V>(
  values: ReadonlyArray<V>,
  statement: (list: ReadonlyArray<V>) => Effect.Effect<void>,
): Effect.Effect<void> => Effect.asVoid(inLists(values, (list) => Effect.as(statement(list), [])))
