/** Tokens from mails in SQL. */
import { SqlClient } from "@effect/sql"
import { AccountId, Instant } from "@mailroom/domain"
import { MailTokenStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { first, table } from "../database/Table.js"

const tokens = table(
  "mail_tokens",
  Schema.Struct({
    hash: Schema.String,
    accountId: AccountId,
    purpose: Schema.Literal("verify-email"),
    expiresAt: Instant,
  }),
)

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
  }
}

export const MailTokenStoreSql: Layer.Layer<MailTokenStore, never, SqlClient.SqlClient> = Layer.effect(
  MailTokenStore,
  Effect.map(SqlClient.SqlClient, make),
)
