/** Inserting rows whose values must be unique. */
import type { SqlClient, Statement } from "@effect/sql"
import { AlreadyTaken } from "@mailroom/domain"
import { StorageFailure } from "@mailroom/engine"
import { Effect } from "effect"
import { orStorageFailure } from "./failures.js"
import type { Table } from "./Table.js"

export interface UniqueValue {
  readonly what: AlreadyTaken["what"]
  readonly value: string
  readonly column: string
}

/**
 * Inserts a row. Fails with `AlreadyTaken` when one of its unique values is in use. Uses ON CONFLICT DO NOTHING, because
 * on Postgres a failed statement aborts the transaction around it.
 */
export const insertUnlessTaken = <A>(
  sql: SqlClient.SqlClient,
  into: Table<A>,
  unique: (record: A) => ReadonlyArray<UniqueValue>,
) => {
  const insert = (record: A): Statement.Statement<object> =>
    sql`INSERT INTO ${sql(into.name)} (${sql.literal(into.columns.join(", "))})
      VALUES ${sql.in(into.values(record))} ON CONFLICT DO NOTHING RETURNING id`

  const isTaken = ({ column, value }: UniqueValue) =>
    Effect.map(
      orStorageFailure(sql`SELECT 1 AS taken FROM ${sql(into.name)} WHERE ${sql(column)} = ${value}`),
      (rows) => rows.length > 0,
    )

  return (record: A): Effect.Effect<void, AlreadyTaken> =>
    Effect.gen(function* () {
      const inserted = yield* orStorageFailure(insert(record))
      if (inserted.length > 0) return
      for (const candidate of unique(record))
        if (yield* isTaken(candidate))
          return yield* new AlreadyTaken({ what: candidate.what, value: candidate.value })
      return yield* Effect.die(
        new StorageFailure({ reason: "unexpected", cause: new Error(`the row is already in ${into.name}`) }),
      )
    })
}
