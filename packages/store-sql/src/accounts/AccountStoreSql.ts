/** Accounts in SQL. No lookup finds a deleted account (`deleted_at`), but its email and its slug stay taken. */
import * as SqlClient from "@effect/sql/SqlClient"
import { AccountId, AccountRecord } from "@mailroom/domain"
import { AccountStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { inLists, isAmong, updateById, updateRows } from "../database/batches.js"
import { Flag } from "../database/columns.js"
import { orStorageFailure } from "../database/failures.js"
import { insertUnlessTaken } from "../database/insertUnlessTaken.js"
import { all, first, rowsOf, table } from "../database/Table.js"
import { dialectOf } from "../dialect.js"

/** Without `event_seq`, which `EventStoreSql` uses, and `deleted_at`, which `AccountRemovalStoreSql` uses. */
export const accounts = table(
  "accounts",
  Schema.Struct({ ...AccountRecord.fields, lapsed: Flag, unlocking: Flag, sendingPaused: Flag }),
  ["sentDay", "sentMonth", "receivedDay", "receivedMonth", "bouncedDay"],
)

/** The columns that receiving mail changes. */
const RECEIVED = [
  { column: "received_day", type: "text", change: "set" },
  { column: "received_day_count", type: "bigint", change: "set" },
  { column: "received_month", type: "text", change: "set" },
  { column: "received_month_count", type: "bigint", change: "set" },
  { column: "trial_receives", type: "bigint", change: "set" },
  { column: "storage_used_bytes", type: "bigint", change: "set" },
  { column: "over_limit_count", type: "bigint", change: "set" },
  { column: "over_limit_month", type: "text", change: "set" },
] as const

const ids = rowsOf(Schema.Struct({ id: AccountId }))

const make = (sql: SqlClient.SqlClient): AccountStore["Type"] => {
  const updateReceived = updateRows(sql, "accounts", RECEIVED)
  const selected = sql.literal(accounts.selection)
  const forUpdate = sql.literal(dialectOf(sql).forUpdate)
  return {
    insert: insertUnlessTaken(sql, accounts, (account) => [
      { what: "email", value: account.email, column: "email" },
      { what: "slug", value: account.slug, column: "slug" },
    ]),
    byId: (id) =>
      first(accounts, sql`SELECT ${selected} FROM accounts WHERE id = ${id} AND deleted_at IS NULL`),
    byEmail: (email) =>
      first(accounts, sql`SELECT ${selected} FROM accounts WHERE email = ${email} AND deleted_at IS NULL`),
    bySlug: (slug) =>
      first(accounts, sql`SELECT ${selected} FROM accounts WHERE slug = ${slug} AND deleted_at IS NULL`),
    byBillingReference: (reference) =>
      first(
        accounts,
        sql`SELECT ${selected} FROM accounts WHERE billing_reference = ${reference} AND deleted_at IS NULL`,
      ),
    openAmong: (among, orSuspended = false) =>
      among.length === 0
        ? Effect.succeed([])
        : Effect.map(
            all(
              ids,
              sql`SELECT id FROM accounts
                WHERE id ${isAmong(sql, among)} AND deleted_at IS NULL
                  ${orSuspended ? sql`` : sql`AND suspended_at IS NULL`}`,
            ),
            (open) => open.map(({ id }) => id),
          ),
    page: (after, limit) =>
      all(
        accounts,
        sql`SELECT ${selected} FROM accounts WHERE id > ${after} AND deleted_at IS NULL ORDER BY id LIMIT ${limit}`,
      ),
    slugTaken: (slug) =>
      Effect.map(
        orStorageFailure(sql`SELECT 1 AS taken FROM accounts WHERE slug = ${slug}`),
        (rows) => rows.length > 0,
      ),
    // Every transaction locks rows in the order of their ids, so that no two of them deadlock.
    lock: (ids) =>
      inLists([...ids].sort(), (list) =>
        all(
          accounts,
          sql`SELECT ${selected} FROM accounts WHERE id IN ${sql.in(list)} AND deleted_at IS NULL
            ORDER BY id ${forUpdate}`,
        ),
      ),
    save: updateById(sql, accounts),
    saveReceived: (changed) =>
      Effect.asVoid(
        updateReceived(
          changed.map((account) => [
            account.id,
            account.receivedDay.window,
            account.receivedDay.count,
            account.receivedMonth.window,
            account.receivedMonth.count,
            account.trialReceives,
            account.storageUsedBytes,
            account.overLimitCount,
            account.overLimitMonth,
          ]),
        ),
      ),
  }
}

export const AccountStoreSql: Layer.Layer<AccountStore, never, SqlClient.SqlClient> = Layer.effect(
  AccountStore,
  Effect.map(SqlClient.SqlClient, make),
)
