/** The places of open streams in SQL. */
import { SqlClient } from "@effect/sql"
import type { AccountId } from "@mailroom/domain"
import { StreamPlaces } from "@mailroom/engine"
import { Array, Effect, Layer, Option, Schema } from "effect"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { LeaseHolder } from "../LeaseHolder.js"

const places = rowsOf(Schema.Struct({ place: Schema.Int }))

const make = (sql: SqlClient.SqlClient, holder: string): StreamPlaces["Type"] => {
  const { lease } = transactionOf(sql)

  const takeOne = (accountId: AccountId, place: number) =>
    first(
      places,
      sql`INSERT INTO stream_places (account_id, place, locked_by) VALUES (${accountId}, ${place}, ${holder})
        ON CONFLICT (account_id, place) DO NOTHING RETURNING place`,
    )

  const take = (accountId: AccountId, max: number) =>
    Effect.gen(function* () {
      const rows = yield* all(places, sql`SELECT place FROM stream_places WHERE account_id = ${accountId}`)
      const taken = new Set(rows.map(({ place }) => place))
      for (const place of Array.range(1, max).filter((one) => !taken.has(one))) {
        const got = yield* takeOne(accountId, place)
        if (Option.isSome(got)) return Option.some(place)
      }
      return Option.none<number>()
    })

  return {
    take: (accountId, max) => lease(take(accountId, max)),
    free: (accountId, place) =>
      lease(
        run(
          sql`DELETE FROM stream_places
            WHERE account_id = ${accountId} AND place = ${place} AND locked_by = ${holder}`,
        ),
      ),
  }
}

export const StreamPlacesSql: Layer.Layer<StreamPlaces, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(StreamPlaces, Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make))
