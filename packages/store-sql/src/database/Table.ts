/** A table's rows as records: which columns, and how to read and write them. */
import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import { Effect, Option, type ParseResult, Schema, SchemaAST } from "effect"
import { columnOf, type Fields, isFields, windowCounts } from "./columns.js"
import { orStorageFailure } from "./failures.js"

export interface Table<A> {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** what to SELECT, or to RETURN, so that `decode` understands it */
  readonly selection: string
  /**
   * The same of a table that goes by `alias` in the statement. With a `prefix` its fields are selected as
   * `{prefix}{field}`, beside those of another table: `withPrefix` reads them back.
   */
  readonly selectionOf: (alias: string, prefix?: string) => string
  readonly decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, ParseResult.ParseError>
  /** in the order of `columns` */
  readonly values: (record: A) => ReadonlyArray<unknown>
}

/** How a field's value is stored: most are as they are, and spend no time on encoding. */
const encoderOf = ({ ast }: Schema.Schema.All): ((value: unknown) => unknown) =>
  SchemaAST.typeAST(ast) === ast ? (value) => value : Schema.encodeSync(Schema.make(ast))

/** A table whose columns are named after the fields of `row`; `counts` are its fields that are a `WindowCount`. */
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
  return {
    name,
    columns: stored.map(columnOf),
    selection: selectionOf(""),
    selectionOf: (alias, prefix) => selectionOf(`${alias}.`, prefix),
    decode: (rows) =>
      decodeRows(counts.length === 0 ? rows : rows.map((row) => windowCounts.fold(row, counts))),
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

/** The fields of rows that were selected with this prefix, without it. */
export const withPrefix = (rows: ReadonlyArray<unknown>, prefix: string): ReadonlyArray<Fields> =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(isFields(row) ? row : {}).flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
      ),
    ),
  )

/** Rows of a statement that are no table's: their columns are named as `row` names them. */
export const rowsOf = <A, I>(row: Schema.Schema<A, I>): Pick<Table<A>, "decode"> => ({
  decode: Schema.decodeUnknown(Schema.Array(row)),
})

/**
 * Runs a statement. Inside a transaction it goes straight to the connection: the way of the client, which looks for one
 * and opens a scope and a span, costs several times what SQLite needs for most statements.
 */
const execute = <Row extends object>(
  statement: Statement.Statement<Row>,
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  Effect.flatMap(
    Effect.serviceOption(SqlClient.TransactionConnection),
    Option.match({
      onNone: () => statement,
      onSome: ([connection]) => connection.execute(...statement.compile(), undefined),
    }),
  )

/** What a statement returns, as records. */
export const all = <A>(
  from: Pick<Table<A>, "decode">,
  statement: Statement.Statement<object>,
): Effect.Effect<ReadonlyArray<A>> => orStorageFailure(Effect.flatMap(execute(statement), from.decode))

/**
 * What a statement returns, as it is stored: for what runs with every mail, and nobody but this code writes. The type
 * that the statement was given is taken at its word.
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

/** Runs a statement for what it does. */
export const run = (statement: Statement.Statement<object>): Effect.Effect<void> =>
  orStorageFailure(Effect.asVoid(execute(statement)))
