/** The audit trails in SQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import { AuditDetail, AuditRecord } from "@mailroom/domain"
import { AuditStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { removeSome } from "../database/removeSome.js"
import { all, table } from "../database/Table.js"

const entries = table(
  "audit_entries",
  Schema.Struct({ ...AuditRecord.fields, detail: JsonText(AuditDetail) }),
)

const make = (sql: SqlClient.SqlClient): AuditStore["Type"] => {
  const selected = sql.literal(entries.selection)
  const noCondition = sql.literal("")
  const insert = insertInto(sql, entries)
  return {
    insert: (entry) => insert([entry]),
    page: (accountId, before, limit) =>
      all(
        entries,
        sql`SELECT ${selected} FROM audit_entries
          WHERE ${accountId === null ? sql`account_id IS NULL` : sql`account_id = ${accountId}`}
          ${before === null ? noCondition : sql`AND (created_at, id) < (${before.createdAt}, ${before.id})`}
          ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      ),
    removeBefore: (start, limit) => removeSome(sql, "audit_entries", "id", sql`created_at < ${start}`, limit),
  }
}

export const AuditStoreSql: Layer.Layer<AuditStore, never, SqlClient.SqlClient> = Layer.effect(
  AuditStore,
  Effect.map(SqlClient.SqlClient, make),
)
