/** Leases: the name under which this process takes them, and giving back a claim whose answer was lost. */
import type { SqlClient } from "@effect/sql"
import type { Instant } from "@mailroom/domain"
import { Context, type Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { LEASED } from "../migrations/leases.js"
import { run } from "./Table.js"
import { transactionOf } from "./transaction.js"

/** The name of this process in `locked_by`: a random UUID, so that no other process has it or ever had it. */
export class LeaseHolder extends Context.Tag("@mailroom/store-sql/LeaseHolder")<LeaseHolder, string>() {
  static readonly layer: Layer.Layer<LeaseHolder> = Layer.sync(LeaseHolder, randomUUID)
}

/**
 * Frees the rows of a table that `holder` leased until exactly `leaseUntil`. Does nothing when the claim was never
 * committed. `attempts`: whether a claim of this table counts an attempt; if so, the attempt is subtracted again.
 */
export const abandonClaim =
  (
    sql: SqlClient.SqlClient,
    table: (typeof LEASED)[number],
    holder: string,
    attempts: "counted" | "not counted",
  ) =>
  (leaseUntil: Instant): Effect.Effect<void> =>
    transactionOf(sql).joinUnsynced(
      run(sql`UPDATE ${sql.literal(table)}
        SET locked_until = 0 ${sql.literal(attempts === "counted" ? ", attempts = attempts - 1" : "")}
        WHERE locked_until > 0 AND locked_until = ${leaseUntil} AND locked_by = ${holder}`),
    )
