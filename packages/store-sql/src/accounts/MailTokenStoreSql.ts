/** Tokens from mails in SQL. */
import { SqlClient } from "@effect/sql"
import { AccountId, Instant } from "@mailroom/domain"
import { MailTokenStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { removeExpired } from "../database/removeSome.js"
import { all, first, rowsOf, table } from "../database/Table.js"

const tokens = table(
  "mail_tokens",
  Schema.Struct({
    hash: Schema.String,
    accountId: AccountId,
    purpose: Schema.Literal("verify-email", "reset-password"),
    expiresAt: Instant,
  }),
)

const redeemed = rowsOf(Schema.Struct({ hash: Schema.String }))

const make = (sql: SqlClient.SqlClient): MailTokenStore["Type"] => {
  const insert = insertInto(sql, tokens)
  return {
    insert: (token) => insert([token]),
    byHash: (hash, purpose) =>
      first(
        tokens,
        sql`SELECT ${sql.literal(tokens.selection)} FROM mail_tokens
          WHERE hash = ${hash} AND purpose = ${purpose}`,
      ),
    redeem: (accountId, hash, purpose) =>
      Effect.map(
        all(
          redeemed,
          sql`DELETE FROM mail_tokens WHERE account_id = ${accountId} AND purpose = ${purpose} RETURNING hash`,
        ),
        (removed) => removed.some((token) => token.hash === hash),
      ),
    removeExpired: removeExpired(sql, "mail_tokens", "hash"),
  }
}

export const MailTokenStoreSql: Layer.Layer<MailTokenStore, never, SqlClient.SqlClient> = Layer.effect(
  MailTokenStore,
  Effect.map(SqlClient.SqlClient, make),
)
