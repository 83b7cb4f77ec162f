/** The billing mode in SQL, in a table of one row. */
import * as SqlClient from "@effect/sql/SqlClient"
import { BillingModeStore } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { orStorageFailure } from "../database/failures.js"

const make = (sql: SqlClient.SqlClient): BillingModeStore["Type"] => ({
  change: (mode) =>
    Effect.map(
      orStorageFailure(
        sql`INSERT INTO billing_modes (id, mode) VALUES (1, ${mode})
          ON CONFLICT (id) DO UPDATE SET mode = excluded.mode WHERE billing_modes.mode <> excluded.mode
          RETURNING mode`,
      ),
      (rows) => rows.length > 0,
    ),
})

export const BillingModeStoreSql: Layer.Layer<BillingModeStore, never, SqlClient.SqlClient> = Layer.effect(
  BillingModeStore,
  Effect.map(SqlClient.SqlClient, make),
)
