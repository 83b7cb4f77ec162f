/** Suppression lists in SQL: the addresses to which an account does not send. */
import * as SqlClient from "@effect/sql/SqlClient"
import { SuppressionRecord } from "@mailroom/domain"
import { SuppressionStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { inLists, insertInto } from "../database/batches.js"
import { all, first, rowsOf, table } from "../database/Table.js"

const suppressions = table("suppressions", SuppressionRecord)

const listed = rowsOf(Schema.Struct({ email: Schema.String }))

const make = (sql: SqlClient.SqlClient): SuppressionStore["Type"] => {
  const selected = sql.literal(suppressions.selection)
  const noCondition = sql.literal("")
  const insert = insertInto(sql, suppressions, "ON CONFLICT (account_id, email) DO NOTHING")
  return {
    insert: (suppression) => insert([suppression]),
    among: (accountId, emails) =>
      Effect.map(
        inLists(emails, (list) =>
          all(
            listed,
            sql`SELECT email FROM suppressions WHERE account_id = ${accountId} AND email IN ${sql.in(list)}`,
          ),
        ),
        (found) => found.map(({ email }) => email),
      ),
    byEmail: (accountId, email) =>
      first(
        suppressions,
        sql`SELECT ${selected} FROM suppressions WHERE account_id = ${accountId} AND email = ${email}`,
      ),
    page: (accountId, before, limit) =>
      all(
        suppressions,
        sql`SELECT ${selected} FROM suppressions WHERE account_id = ${accountId}
          ${before === null ? noCondition : sql`AND (created_at, id) < (${before.createdAt}, ${before.id})`}
          ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      ),
    remove: (accountId, id) =>
      first(
        suppressions,
        sql`DELETE FROM suppressions WHERE id = ${id} AND account_id = ${accountId} RETURNING ${selected}`,
      ),
  }
}

export const SuppressionStoreSql: Layer.Layer<SuppressionStore, never, SqlClient.SqlClient> = Layer.effect(
  SuppressionStore,
  Effect.map(SqlClient.SqlClient, make),
)
