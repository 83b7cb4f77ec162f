/** Undoing a claim whose answer was lost. */
import type { SqlClient } from "@effect/sql"
import type { Instant } from "@mailroom/domain"
import type { Effect } from "effect"
import type { LEASED } from "../migrations/leases.js"
import { run } from "./Table.js"
import { transactionOf } from "./transaction.js"

/**
 * Frees the rows of a table that `holder` leased until exactly `leaseUntil`; there are none when the claim was not
 * committed. `attempts`: whether a claim of this table counts an attempt, which is then taken back.
 */
export const abandonClaim =
  (
    sql: SqlClient.SqlClient,
    table: (typeof LEASED)[number],
    holder: string,
    attempts: "counted" | "not counted",
  ) =>
  (leaseUntil: Instant): Effect.Effect<void> =>
    transactionOf(sql).lease(
      run(sql`UPDATE ${sql.literal(table)}
        SET locked_until = 0 ${sql.literal(attempts === "counted" ? ", attempts = attempts - 1" : "")}
        WHERE locked_until > 0 AND locked_until = ${leaseUntil} AND locked_by = ${holder}`),
    )
