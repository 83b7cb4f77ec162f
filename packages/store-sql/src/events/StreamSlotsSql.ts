/** The slots of event streams and of waiting requests in SQL. A slot belongs to a process, and is freed with the leases of the process. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { AccountId } from "@mailroom/domain"
import { type Slots, StreamSlots, WaitSlots } from "@mailroom/engine"
import { Array, Effect, Layer, Option, Schema } from "effect"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { LeaseHolder } from "../database/leases.js"
import type { SLOTS } from "../migrations/leases.js"

const slots = rowsOf(Schema.Struct({ slot: Schema.Int }))
const taken = rowsOf(Schema.Struct({ slot: Schema.Int, lockedBy: Schema.String }))

/** The slots in a table. */
const slotsIn =
  (name: (typeof SLOTS)[number]) =>
  (sql: SqlClient.SqlClient, holder: string): Slots => {
    const table = sql.literal(name)
    const { joinUnsynced } = transactionOf(sql)

    const takeOne = (accountId: AccountId, slot: number) =>
      first(
        slots,
        sql`INSERT INTO ${table} (account_id, place, locked_by) VALUES (${accountId}, ${slot}, ${holder})
        ON CONFLICT (account_id, place) DO NOTHING RETURNING place AS slot`,
      )

    const free = (accountId: AccountId, slot: number) =>
      run(
        sql`DELETE FROM ${table} WHERE account_id = ${accountId} AND place = ${slot} AND locked_by = ${holder}`,
      )

    /**
     * Frees the account's slots of processes that died while they were not in `processes`, for nobody else does. Only a process that
     * is there itself knows that all others would be: on SQLite none is. Returns whether there were any.
     */
    const freeOrphaned = (accountId: AccountId) =>
      Effect.map(
        all(
          slots,
          sql`DELETE FROM ${table} WHERE account_id = ${accountId}
            AND NOT EXISTS (SELECT 1 FROM processes WHERE id = locked_by)
            AND EXISTS (SELECT 1 FROM processes WHERE id = ${holder})
            RETURNING place AS slot`,
        ),
        (freed) => freed.length > 0,
      )

    const takeFree = (accountId: AccountId, max: number, held: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const rows = yield* all(
          taken,
          sql`SELECT place AS slot, locked_by AS "lockedBy" FROM ${table} WHERE account_id = ${accountId}`,
        )
        const [left, lost] = Array.partition(
          rows,
          ({ slot, lockedBy }) => lockedBy === holder && !held.includes(slot),
        )
        for (const { slot } of lost) yield* free(accountId, slot)
        const full = new Set(left.map(({ slot }) => slot))
        for (const slot of Array.range(1, max).filter((one) => !full.has(one))) {
          const got = yield* takeOne(accountId, slot)
          if (Option.isSome(got)) return Option.some(slot)
        }
        return Option.none<number>()
      })

    const take = (accountId: AccountId, max: number, held: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const slot = yield* takeFree(accountId, max, held)
        if (Option.isSome(slot) || !(yield* freeOrphaned(accountId))) return slot
        return yield* takeFree(accountId, max, held)
      })

    return {
      take: (accountId, max, held) => joinUnsynced(take(accountId, max, held)),
      free: (accountId, slot) => joinUnsynced(free(accountId, slot)),
    }
  }

export const StreamSlotsSql: Layer.Layer<StreamSlots, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(StreamSlots, Effect.zipWith(SqlClient.SqlClient, LeaseHolder, slotsIn("stream_places")))

export const WaitSlotsSql: Layer.Layer<WaitSlots, never, SqlClient.SqlClient | LeaseHolder> = Layer.effect(
  WaitSlots,
  Effect.zipWith(SqlClient.SqlClient, LeaseHolder, slotsIn("wait_slots")),
)
