/** Maps the rows of a table to records, and runs statements that return records. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import { Context, Effect, Option, type ParseResult, Schema, SchemaAST } from "effect"
import { columnOf, type Fields, isFields, windowCounts } from "./columns.js"
import { orStorageFailure } from "./failures.js"

export interface Table<A> {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** the list after SELECT or RETURNING whose rows `decode` reads */
  readonly selection: string
  /**
   * `selection` for a table with this alias. With a `prefix` the fields are named `{prefix}{field}`, so that they can
   * stand beside those of another table, and `prefixed` reads them.
   */
  readonly selectionOf: (alias: string, prefix?: string) => string
  /** Reads the fields that were selected with this prefix. */
  readonly prefixed: (prefix: string) => Pick<Table<A>, "decode">
  readonly decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, ParseResult.ParseError>
  /** The values to store, in the order of `columns`. */
  readonly values: (record: A) => ReadonlyArray<unknown>
}

/** The encoder of a field. Most fields are stored as they are, and skip the schema. */
const encoderOf = ({ ast }: Schema.Schema.All): ((value: unknown) => unknown) =>
  SchemaAST.typeAST(ast) === ast ? (value) => value : Schema.encodeSync(Schema.make(ast))

/** The fields of a row under other names: `names` has pairs of the new name and the old. */
const renamed = (row: unknown, names: ReadonlyArray<readonly [string, string]>): Fields => {
  const fields: Record<string, unknown> = {}
  if (isFields(row)) for (const [name, selected] of names) fields[name] = row[selected]
  return fields
}

/** A table whose columns are named after the fields of `row`. `counts` are the fields of type `WindowCount`. */
export const table = <A extends Fields, I extends Fields>(
  name: string,
  row: Schema.Schema<A, I> & { readonly fields: Readonly<Record<string, Schema.Schema.All>> },
  counts: ReadonlyArray<string> = [],
): Table<A> => {
  const fields = Object.keys(row.fields)
  const stored = fields.flatMap((field) =>
    counts.includes(field) ? [field, windowCounts.countField(field)] : [field],
  )
  const decodeRows = Schema.decodeUnknown(Schema.Array(row))
  const encoders = Object.entries(row.fields).map(([field, schema]) => ({
    field,
    encode: encoderOf(schema),
    isCount: counts.includes(field),
  }))
  const selectionOf = (qualifier: string, prefix = "") =>
    stored.map((field) => `${qualifier}${columnOf(field)} AS "${prefix}${field}"`).join(", ")
  const decode = (rows: ReadonlyArray<unknown>) =>
    decodeRows(counts.length === 0 ? rows : rows.map((row) => windowCounts.fold(row, counts)))
  return {
    name,
    columns: stored.map(columnOf),
    selection: selectionOf(""),
    selectionOf: (alias, prefix) => selectionOf(`${alias}.`, prefix),
    decode,
    prefixed: (prefix) => {
      const names = stored.map((field) => [field, `${prefix}${field}`] as const)
      return { decode: (rows) => decode(rows.map((row) => renamed(row, names))) }
    },
    values: (record) => {
      const values: Array<unknown> = []
      for (const { field, encode, isCount } of encoders) {
        const value = encode(record[field])
        if (isCount) values.push(...windowCounts.unfold(value))
        else values.push(value)
      }
      return values
    },
  }
}

/** A decoder for rows that are not those of a table. Their columns have the names of the fields of `row`. */
export const rowsOf = <A, I>(row: Schema.Schema<A, I>): Pick<Table<A>, "decode"> => ({
  decode: Schema.decodeUnknown(Schema.Array(row)),
})

/**
 * Runs a statement. Inside a transaction it calls the connection directly. The client would look the connection up and
 * open a scope and a span, which costs several times what SQLite needs for most statements.
 */
const execute = <Row extends object>(
  statement: Statement.Statement<Row>,
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  Effect.withFiberRuntime((fiber) =>
    Option.match(Context.getOption(fiber.currentContext, SqlClient.TransactionConnection), {
      onNone: () => statement,
      onSome: ([connection]) => connection.execute(...statement.compile(), undefined),
    }),
  )

/** The records that a statement returns. */
export const all = <A>(
  from: Pick<Table<A>, "decode">,
  statement: Statement.Statement<object>,
): Effect.Effect<ReadonlyArray<A>> => orStorageFailure(Effect.flatMap(execute(statement), from.decode))

/**
 * The rows that a statement returns, without decoding or checking them: `Row` must describe them correctly. For
 * statements that run for every mail, on tables that only this code writes.
 */
export const allAsStored = <Row extends object>(
  statement: Statement.Statement<Row>,
): Effect.Effect<ReadonlyArray<Row>> => orStorageFailure(execute(statement))

/** The first record that a statement returns. */
export const first = <A>(
  from: Pick<Table<A>, "decode">,
  statement: Statement.Statement<object>,
): Effect.Effect<Option.Option<A>> =>
  Effect.map(all(from, statement), (records) => Option.fromNullable(records[0]))

/** Runs a statement and ignores what it returns. */
export const run = (statement: Statement.Statement<object>): Effect.Effect<void> =>
  orStorageFailure(Effect.asVoid(execute(statement)))
