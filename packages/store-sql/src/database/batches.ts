/**
 * Statements over many values. Statements stay prepared, so few different texts may exist: multi-row statements come in
 * few sizes, and lists of ids are padded to a power of two by repeating the last id.
 */
import { type SqlClient, Statement } from "@effect/sql"
import { Effect } from "effect"
import { dialectOf } from "../dialect.js"
import { allAsStored, run, type Table } from "./Table.js"
import { transactionOf } from "./transaction.js"

/** Rows of one statement. With the columns of the widest table this stays below SQLite's 32,766 parameters. */
const MAX_ROWS = 64
/** Values of one IN list. */
const MAX_LIST = 256

/** Up to this many rows, each number of rows has a statement of its own: a second INSERT costs as much as ten rows. */
const FEW_ROWS = 16

/** The size of the next statement when `count` rows are left. */
const rowsAtOnce = (count: number, max: number): number =>
  count <= FEW_ROWS ? count : 2 ** Math.floor(Math.log2(Math.min(count, max)))

/** Runs statements one after another, most often a single one, and returns the rows of all. */
const rowsOfAll = <Row>(
  statements: ReadonlyArray<Effect.Effect<ReadonlyArray<Row>>>,
): Effect.Effect<ReadonlyArray<Row>> => {
  const [first] = statements
  if (first === undefined) return Effect.succeed([])
  return statements.length === 1 ? first : Effect.map(Effect.all(statements), (found) => found.flat())
}

/** The values of one row, in the order of the statement's columns. */
type Values = ReadonlyArray<unknown>

/**
 * Runs a statement for all rows or none, split into statements of the few sizes, and returns their rows. `textOf` writes
 * the statement for `count` rows.
 */
const forRows = (sql: SqlClient.SqlClient, textOf: (count: number) => string, max = MAX_ROWS) => {
  const { join } = transactionOf(sql)
  const texts = new Map<number, string>()
  const cachedTextOf = (count: number): string => {
    const known = texts.get(count)
    if (known !== undefined) return known
    const text = textOf(count)
    texts.set(count, text)
    return text
  }
  return <Row extends object>(rows: ReadonlyArray<Values>): Effect.Effect<ReadonlyArray<Row>> => {
    const statements: Array<Effect.Effect<ReadonlyArray<Row>>> = []
    for (let start = 0; start < rows.length;) {
      const count = rowsAtOnce(rows.length - start, max)
      statements.push(
        allAsStored<Row>(sql.unsafe(cachedTextOf(count), rows.slice(start, start + count).flat())),
      )
      start += count
    }
    const all = rowsOfAll(statements)
    return statements.length > 1 ? join(all) : all
  }
}

export type Insert<A> = (records: ReadonlyArray<A>) => Effect.Effect<void>

/** `INSERT` of `count` rows of values in the order of `columns`. `end` is the end of the statement. */
const insertText = (
  sql: SqlClient.SqlClient,
  table: string,
  columns: ReadonlyArray<string>,
  end: string,
): ((count: number) => string) => {
  const { placeholder } = dialectOf(sql)
  return (count) => {
    const rows = Array.from(
      { length: count },
      (_, row) => `(${columns.map((_, column) => placeholder(row * columns.length + column + 1)).join(",")})`,
    )
    return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${rows.join(",")} ${end}`
  }
}

/**
 * Inserts rows of values in the order of `columns`, all or none. `onConflict` is the end of the statement, `max` the rows
 * of one statement, a power of two.
 */
export const insertValues = (
  sql: SqlClient.SqlClient,
  table: string,
  columns: ReadonlyArray<string>,
  onConflict = "",
  max = MAX_ROWS,
): Insert<Values> => {
  const insert = forRows(sql, insertText(sql, table, columns, onConflict), max)
  return (rows) => Effect.asVoid(insert(rows))
}

/** Inserts records, all or none, and returns the `returning` columns of their rows, in no order. */
export const insertReturning = <A, Row extends object>(
  sql: SqlClient.SqlClient,
  into: Table<A>,
  returning: string,
): ((records: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Row>>) => {
  const insert = forRows(sql, insertText(sql, into.name, into.columns, `RETURNING ${returning}`))
  return (records) => insert<Row>(records.map(into.values))
}

/** Inserts records, all or none. */
export const insertInto = <A>(sql: SqlClient.SqlClient, into: Table<A>, onConflict = ""): Insert<A> => {
  const insert = insertValues(sql, into.name, into.columns, onConflict)
  return (records) => insert(records.map(into.values))
}

/** The `ON CONFLICT` clause that overwrites the row with the same id. */
export const replacing = <A>(into: Table<A>): string =>
  `ON CONFLICT (id) DO UPDATE SET ${into.columns
    .filter((column) => column !== "id")
    .map((column) => `${column} = excluded.${column}`)
    .join(", ")}`

/** Overwrites the row that has the id of the record. */
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

/** How `updateRows` changes a column: `set` assigns the value, `add` adds it, `raise` assigns it if it is larger. */
type Change = UpdatedColumn & { readonly change: "set" | "add" | "raise" }

/**
 * Updates many rows by id, `MAX_ROWS` with one statement. Each row of parameters is the id and then the values of
 * `changes` in their order. Returns the `returning` columns of the rows that exist.
 */
export const updateRows = (
  sql: SqlClient.SqlClient,
  table: string,
  changes: ReadonlyArray<Change>,
  returning = "id",
) => {
  const { placeholder, typed } = dialectOf(sql)
  const types = ["text" as const, ...changes.map(({ type }) => type)]
  // Both databases name the columns of a VALUES list column1, column2, …
  const assignments = changes.map(({ column, change }, index) => {
    const [stored, given] = [`${table}.${column}`, `given.column${index + 2}`]
    switch (change) {
      case "set":
        return `${column} = ${given}`
      case "add":
        return `${column} = ${stored} + ${given}`
      case "raise":
        return `${column} = CASE WHEN ${stored} > ${given} THEN ${stored} ELSE ${given} END`
    }
  })
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

/** The values, with the last one repeated until their number is a power of two. */
export const padded = <V>(values: ReadonlyArray<V>): ReadonlyArray<V> => {
  const missing = 2 ** Math.ceil(Math.log2(values.length)) - values.length
  return [...values, ...values.slice(-1).flatMap((last) => Array.from({ length: missing }, () => last))]
}

/** Table with one row for each value, in the column `value`. Takes one parameter. */
export const elementsOf = (sql: SqlClient.SqlClient, values: ReadonlyArray<string>): Statement.Fragment => {
  const [before, after] = dialectOf(sql).elements
  return sql`${sql.literal(before)}${JSON.stringify(values)}${sql.literal(after)}`
}

/** Condition: the JSON array of strings that a column stores has one of the values. Takes one parameter. */
export const hasAnyOf = (
  sql: SqlClient.SqlClient,
  column: string,
  values: ReadonlyArray<string>,
): Statement.Fragment => {
  const [before, after] = dialectOf(sql).hasAnyOf(column)
  return sql`${sql.literal(before)}${JSON.stringify(values)}${sql.literal(after)}`
}

/**
 * Condition after a column: it equals a row of the subquery, which is read once. Postgres may read `IN (SELECT … LIMIT n FOR UPDATE SKIP
 * LOCKED)` once for each row of the table, and each time it skips what the statement has changed: it would change all rows.
 */
export const inRowsOf = (sql: SqlClient.SqlClient, subquery: Statement.Fragment): Statement.Fragment => {
  const [before, after] = dialectOf(sql).inRows
  return sql`${sql.literal(before)}${subquery}${sql.literal(after)}`
}

/** Condition after a column: it has one of the values. Takes one parameter, so all numbers of values share a statement. */
export const isAmong = (sql: SqlClient.SqlClient, values: ReadonlyArray<string>): Statement.Fragment =>
  inRowsOf(sql, sql`SELECT value FROM ${elementsOf(sql, [...new Set(values)])}`)

/**
 * Removes duplicates, splits the values into lists of at most 256, and runs `statement` for each. A list is padded to a
 * power of two, so its last value may occur more than once.
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
  return rowsOfAll(lists.map(statement))
}

/** `inLists` for statements that return nothing. */
export const forLists = <V>(
  values: ReadonlyArray<V>,
  statement: (list: ReadonlyArray<V>) => Effect.Effect<void>,
): Effect.Effect<void> => Effect.asVoid(inLists(values, (list) => Effect.as(statement(list), [])))

/** Queries whose rows are those of all of them. */
export const unionAll = Statement.join(" UNION ALL ", false)
