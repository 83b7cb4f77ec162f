/** API keys in SQL, found by their hash. `mailbox_ids` is null for full access, `permissions` for the default. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { type AccountId, ApiKeyRecord, KeyId, MailboxId, Permission } from "@mailroom/domain"
import { ApiKeyStore } from "@mailroom/engine"
import { Array, Effect, Layer, Option, Schema } from "effect"
import { accounts } from "../accounts/AccountStoreSql.js"
import { insertInto, isAmong } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { removeSome } from "../database/removeSome.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"

/** Keys in a list, as the port says. */
const LIST_MAX = 1000

const keys = table(
  "api_keys",
  Schema.Struct({
    ...ApiKeyRecord.fields,
    mailboxIds: Schema.NullOr(JsonText(Schema.Array(MailboxId))),
    permissions: Schema.NullOr(JsonText(Schema.Array(Permission))),
  }),
)

/** Prefix of an account's fields in a row that also holds its key. */
const ACCOUNT = "account."

const owners = accounts.prefixed(ACCOUNT)

const withAccounts = {
  decode: (rows: ReadonlyArray<unknown>) =>
    Effect.zipWith(keys.decode(rows), owners.decode(rows), (found, owning) =>
      Array.zipWith(found, owning, (key, account) => ({ key, account })),
    ),
}

const counted = rowsOf(Schema.Struct({ count: Schema.Int }))

const ids = rowsOf(Schema.Struct({ id: KeyId }))

const make = (sql: SqlClient.SqlClient): ApiKeyStore["Type"] => {
  const selected = sql.literal(keys.selection)
  const selectedWithAccounts = sql.literal(`${keys.selectionOf("k")}, ${accounts.selectionOf("a", ACCOUNT)}`)
  const insert = insertInto(sql, keys)
  const newest = (accountId: AccountId, isRevoked: boolean, max: number) =>
    all(
      keys,
      sql`SELECT ${selected} FROM api_keys
        WHERE account_id = ${accountId} AND revoked_at ${isRevoked ? sql`IS NOT NULL` : sql`IS NULL`}
        ORDER BY created_at DESC, id DESC LIMIT ${max}`,
    )
  const countActive = (accountId: AccountId, which: Statement.Fragment) =>
    Effect.map(
      first(
        counted,
        sql`SELECT count(*) AS count FROM api_keys WHERE account_id = ${accountId} AND revoked_at IS NULL${which}`,
      ),
      Option.match({ onNone: () => 0, onSome: ({ count }) => count }),
    )
  return {
    insert: (key) => insert([key]),
    byHash: (hash) =>
      first(
        withAccounts,
        sql`SELECT ${selectedWithAccounts} FROM api_keys AS k JOIN accounts AS a ON a.id = k.account_id
          WHERE k.hash = ${hash} AND a.deleted_at IS NULL`,
      ),
    byId: (accountId, id) =>
      first(keys, sql`SELECT ${selected} FROM api_keys WHERE id = ${id} AND account_id = ${accountId}`),
    activeAmong: (among) =>
      among.length === 0
        ? Effect.succeed([])
        : Effect.map(
            all(ids, sql`SELECT id FROM api_keys WHERE id ${isAmong(sql, among)} AND revoked_at IS NULL`),
            (active) => active.map(({ id }) => id),
          ),
    list: (accountId) =>
      Effect.gen(function* () {
        const active = yield* newest(accountId, false, LIST_MAX)
        const revoked = yield* newest(accountId, true, LIST_MAX - active.length)
        return [...active, ...revoked]
      }),
    countActive: (accountId) => countActive(accountId, sql``),
    countActiveFull: (accountId) =>
      countActive(
        accountId,
        sql` AND mailbox_ids IS NULL AND (permissions IS NULL OR permissions LIKE '%"manage"%')`,
      ),
    removeRevoked: (start, limit) => removeSome(sql, "api_keys", "id", sql`revoked_at < ${start}`, limit),
    // Revoking a key twice keeps the first time.
    revoke: (id, at) =>
      run(sql`UPDATE api_keys SET revoked_at = ${at} WHERE id = ${id} AND revoked_at IS NULL`),
    // The time of last use is informational, so its commit does not wait for the disk.
    touch: (id, at) =>
      transactionOf(sql).joinUnsynced(run(sql`UPDATE api_keys SET last_used_at = ${at} WHERE id = ${id}`)),
  }
}

export const ApiKeyStoreSql: Layer.Layer<ApiKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  ApiKeyStore,
  Effect.map(SqlClient.SqlClient, make),
)
