/** The DKIM keys of the platform domain in SQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import { PlatformKeyRecord } from "@mailroom/domain"
import { PlatformKeyStore } from "@mailroom/engine"
import { Effect, Layer, Option } from "effect"
import { all, first, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"

const keys = table("platform_keys", PlatformKeyRecord)

const make = (sql: SqlClient.SqlClient): PlatformKeyStore["Type"] => {
  const { join } = transactionOf(sql)
  return {
    all: all(keys, sql`SELECT ${sql.literal(keys.selection)} FROM platform_keys`),
    insert: (key) =>
      Effect.map(
        first(
          keys,
          sql`INSERT INTO platform_keys (${sql.literal(keys.columns.join(", "))}) VALUES ${sql.in(keys.values(key))}
            ON CONFLICT (role) DO NOTHING RETURNING ${sql.literal(keys.selection)}`,
        ),
        Option.isSome,
      ),
    promote: (selector) =>
      join(
        Effect.zipRight(
          run(
            sql`DELETE FROM platform_keys WHERE role = 'CURRENT' AND EXISTS (
              SELECT 1 FROM platform_keys AS next WHERE next.selector = ${selector} AND next.role = 'NEXT')`,
          ),
          run(sql`UPDATE platform_keys SET role = 'CURRENT' WHERE selector = ${selector} AND role = 'NEXT'`),
        ),
      ),
  }
}

export const PlatformKeyStoreSql: Layer.Layer<PlatformKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  PlatformKeyStore,
  Effect.map(SqlClient.SqlClient, make),
)
