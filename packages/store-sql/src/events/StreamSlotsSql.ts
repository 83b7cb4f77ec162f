/** The slots of open event streams in SQL. A slot belongs to a process, and is freed with the leases of the process. */
import { SqlClient } from "@effect/sql"
import type { AccountId } from "@mailroom/domain"
import { StreamSlots } from "@mailroom/engine"
import { Array, Effect, Layer, Option, Schema } from "effect"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { LeaseHolder } from "../database/leases.js"

const slots = rowsOf(Schema.Struct({ slot: Schema.Int }))

const make = (sql: SqlClient.SqlClient, holder: string): StreamSlots["Type"] => {
  const { joinUnsynced } = transactionOf(sql)

  const takeOne = (accountId: AccountId, slot: number) =>
    first(
      slots,
      sql`INSERT INTO stream_places (account_id, place, locked_by) VALUES (${accountId}, ${slot}, ${holder})
        ON CONFLICT (account_id, place) DO NOTHING RETURNING place AS slot`,
    )

  const take = (accountId: AccountId, max: number) =>
    Effect.gen(function* () {
      const rows = yield* all(
        slots,
        sql`SELECT place AS slot FROM stream_places WHERE account_id = ${accountId}`,
      )
      const taken = new Set(rows.map(({ slot }) => slot))
      for (const slot of Array.range(1, max).filter((one) => !taken.has(one))) {
        const got = yield* takeOne(accountId, slot)
        if (Option.isSome(got)) return Option.some(slot)
      }
      return Option.none<number>()
    })

  return {
    take: (accountId, max) => joinUnsynced(take(accountId, max)),
    free: (accountId, slot) =>
      joinUnsynced(
        run(
          sql`DELETE FROM stream_places
            WHERE account_id = ${accountId} AND place = ${slot} AND locked_by = ${holder}`,
        ),
      ),
  }
}

export const StreamSlotsSql: Layer.Layer<StreamSlots, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(StreamSlots, Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make))
