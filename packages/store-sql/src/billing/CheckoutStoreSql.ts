/** Checkouts in SQL, found by the hash of their token. */
import * as SqlClient from "@effect/sql/SqlClient"
import { CheckoutRecord } from "@mailroom/domain"
import { CheckoutStore } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { insertInto } from "../database/batches.js"
import { orStorageFailure } from "../database/failures.js"
import { removeExpired } from "../database/removeSome.js"
import { first, table } from "../database/Table.js"

const checkouts = table("checkouts", CheckoutRecord)

const make = (sql: SqlClient.SqlClient): CheckoutStore["Type"] => {
  const insert = insertInto(sql, checkouts)
  return {
    insert: (checkout) => insert([checkout]),
    byTokenHash: (tokenHash) =>
      first(
        checkouts,
        sql`SELECT ${sql.literal(checkouts.selection)} FROM checkouts WHERE token_hash = ${tokenHash}`,
      ),
    openFor: ({ accountId, plan, period }, until) =>
      first(
        checkouts,
        sql`SELECT ${sql.literal(checkouts.selection)} FROM checkouts
          WHERE account_id = ${accountId} AND plan = ${plan} AND period = ${period} AND completed_at IS NULL
            AND expires_at > ${until}
            AND expires_at = (
              SELECT max(expires_at) FROM checkouts
              WHERE account_id = ${accountId} AND plan = ${plan} AND period = ${period} AND completed_at IS NULL
            )
          LIMIT 1`,
      ),
    shorten: (tokenHash, expiresAt) =>
      Effect.asVoid(
        orStorageFailure(
          sql`UPDATE checkouts SET expires_at = ${expiresAt}
            WHERE token_hash = ${tokenHash} AND completed_at IS NULL AND expires_at > ${expiresAt}`,
        ),
      ),
    complete: (tokenHash, at) =>
      Effect.map(
        orStorageFailure(
          sql`UPDATE checkouts SET completed_at = ${at}
            WHERE token_hash = ${tokenHash} AND completed_at IS NULL
            RETURNING token_hash`,
        ),
        (rows) => rows.length > 0,
      ),
    removeExpired: removeExpired(sql, "checkouts", "token_hash"),
  }
}

export const CheckoutStoreSql: Layer.Layer<CheckoutStore, never, SqlClient.SqlClient> = Layer.effect(
  CheckoutStore,
  Effect.map(SqlClient.SqlClient, make),
)
