/** A table's rows as records: which columns, and how to read and write them. */
import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import { Effect, Option, type ParseResult, Schema, SchemaAST } from "effect"
import { columnOf, type Fields, windowCounts } from "./columns.js"
import { orStorageFailure } from "./failures.js"

export interface Table<A> {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** what to SELECT, or to RETURN, so that `decode` understands it */
  readonly selection: string
  /** the same of a table that goes by `alias` in the statement */
  readonly selectionOf: (alias: string) => string
  readonly decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, ParseResult.ParseError>
  /** in the order of `columns` */
  readonly values: (record: A) => ReadonlyArray<unknown>
}

/** Whether a field is stored as it is. A table of such fields alone spends no time on encoding. */
const isStoredAsIs = (field: Schema.Struct.Field): boolean =>
  Schema.isSchema(field) && SchemaAST.typeAST(field.ast) === field.ast

/** A table whose columns are named after the fields of `row`; `counts` are its fields that are a `WindowCount`. */
export const table = <A extends Fields, I extends Fields>(
  name: string,
  row: Schema.Schema<A, I> & { readonly fields: Schema.Struct.Fields },
  counts: ReadonlyArray<string> = [],
): Table<A> => {
  const fields = Object.keys(row.fields)
  const stored = fields.flatMap((field) =>
    counts.includes(field) ? [field, windowCounts.countField(field)] : [field],
  )
  const decodeRows = Schema.decodeUnknown(Schema.Array(row))
  const asIs = Object.values(row.fields).every(isStoredAsIs)
  const encode = Schema.encodeSync(row)
  const selectionOf = (prefix: string) =>
    stored.map((field) => `${prefix}${columnOf(field)} AS "${field}"`).join(", ")
  return {
    name,
    columns: stored.map(columnOf),
    selection: selectionOf(""),
    selectionOf: (alias) => selectionOf(`${alias}.`),
    decode: (rows) =>
      decodeRows(counts.length === 0 ? rows : rows.map((row) => windowCounts.fold(row, counts))),
    values: (record) => {
      const encoded: Fields = asIs ? record : encode(record)
      return fields.flatMap((field) =>
        counts.includes(field) ? windowCounts.unfold(encoded[field]) : [encoded[field]],
      )
    },
  }
}

/** Rows of a statement that are no table's: their columns are named as `row` names them. */
export const rowsOf = <A, I>(row: Schema.Schema<A, I>): Pick<Table<A>, "decode"> => ({
  decode: Schema.decodeUnknown(Schema.Array(row)),
})

/**
 * Runs a statement. Inside a transaction it goes straight to the connection: the way of the client, which looks for one
 * and opens a scope and a span, costs several times what SQLite needs for most statements.
 */
const execute = (
  statement: Statement.Statement<object>,
): Effect.Effect<ReadonlyArray<object>, SqlError.SqlError> =>
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

/** The first record that a statement returns. */
export const first = <A>(
  from: Pick<Table<A>, "decode">,
  statement: Statement.Statement<object>,
): Effect.Effect<Option.Option<A>> =>
  Effect.map(all(from, statement), (records) => Option.fromNullable(records[0]))

/** Runs a statement for what it does. */
export const run = (statement: Statement.Statement<object>): Effect.Effect<void> =>
  orStorageFailure(Effect.asVoid(execute(statement)))
