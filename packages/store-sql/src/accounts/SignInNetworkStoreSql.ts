/** Networks that accounts know, in SQL. */
import { SqlClient } from "@effect/sql"
import { SignInNetworkStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"

const networks = rowsOf(Schema.Struct({ network: Schema.String }))

const make = (sql: SqlClient.SqlClient): SignInNetworkStore["Type"] => {
  const { join } = transactionOf(sql)
  return {
    isKnown: (email, network) =>
      Effect.map(
        first(
          networks,
          sql`SELECT n.network FROM sign_in_networks AS n JOIN accounts AS a ON a.id = n.account_id
            WHERE a.email = ${email} AND n.network = ${network} AND a.deleted_at IS NULL`,
        ),
        Option.isSome,
      ),
    remember: (accountId, network, now) =>
      run(
        sql`INSERT INTO sign_in_networks (account_id, network, seen_at) VALUES (${accountId}, ${network}, ${now})
          ON CONFLICT (account_id, network) DO UPDATE SET seen_at = ${now}`,
      ),
    removeUnseen: (before, limit) =>
      join(
        Effect.map(
          all(
            networks,
            sql`DELETE FROM sign_in_networks WHERE (account_id, network) IN (
                SELECT account_id, network FROM sign_in_networks WHERE seen_at <= ${before}
                ORDER BY seen_at LIMIT ${limit})
              RETURNING network`,
          ),
          (removed) => removed.length,
        ),
      ),
  }
}

export const SignInNetworkStoreSql: Layer.Layer<SignInNetworkStore, never, SqlClient.SqlClient> =
  Layer.effect(SignInNetworkStore, Effect.map(SqlClient.SqlClient, make))
