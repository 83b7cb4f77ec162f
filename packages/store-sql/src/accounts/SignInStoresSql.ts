/** What proves the identity of an owner without an API key: sessions, tokens from mails, and known networks. */
import * as SqlClient from "@effect/sql/SqlClient"
import { AccountId, Instant } from "@mailroom/domain"
import { MailTokenStore, SessionStore, SignInNetworkStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { insertInto, isAmong } from "../database/batches.js"
import { removeExpired } from "../database/removeSome.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"

const sessions = table(
  "sessions",
  Schema.Struct({ hash: Schema.String, accountId: AccountId, expiresAt: Instant }),
)

const sessionHashes = rowsOf(Schema.Struct({ hash: Schema.String }))

const makeSessions = (sql: SqlClient.SqlClient): SessionStore["Type"] => {
  const insert = insertInto(sql, sessions)
  return {
    insert: (session) => insert([session]),
    byHash: (hash) =>
      first(sessions, sql`SELECT ${sql.literal(sessions.selection)} FROM sessions WHERE hash = ${hash}`),
    validAmong: (hashes, now) =>
      hashes.length === 0
        ? Effect.succeed([])
        : Effect.map(
            all(
              sessionHashes,
              sql`SELECT hash FROM sessions WHERE hash ${isAmong(sql, hashes)} AND expires_at > ${now}`,
            ),
            (valid) => valid.map(({ hash }) => hash),
          ),
    remove: (hash) => run(sql`DELETE FROM sessions WHERE hash = ${hash}`),
    removeAll: (accountId) => run(sql`DELETE FROM sessions WHERE account_id = ${accountId}`),
    removeExpired: removeExpired(sql, "sessions", "hash"),
  }
}

export const SessionStoreSql: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(
  SessionStore,
  Effect.map(SqlClient.SqlClient, makeSessions),
)

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

const makeMailTokens = (sql: SqlClient.SqlClient): MailTokenStore["Type"] => {
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
  Effect.map(SqlClient.SqlClient, makeMailTokens),
)

const networks = rowsOf(Schema.Struct({ network: Schema.String }))

const makeNetworks = (sql: SqlClient.SqlClient): SignInNetworkStore["Type"] => {
  const { join } = transactionOf(sql)
  return {
    isKnown: (email, network) =>
      Effect.map(
        first(
          networks,
          sql`SELECT n.network FROM sign_in_networks AS n JOIN accounts AS a ON a.id = n.account_id
            WHERE a.email = ${email} AND n.network = ${network} AND a.deleted_at IS NULL`,
        ),
        Option.isSome,
      ),
    remember: (accountId, network, now) =>
      run(
        sql`INSERT INTO sign_in_networks (account_id, network, seen_at) VALUES (${accountId}, ${network}, ${now})
          ON CONFLICT (account_id, network) DO UPDATE SET seen_at = ${now}`,
      ),
    removeUnseen: (before, limit) =>
      join(
        Effect.map(
          all(
            networks,
            sql`DELETE FROM sign_in_networks WHERE (account_id, network) IN (
                SELECT account_id, network FROM sign_in_networks WHERE seen_at <= ${before}
                ORDER BY seen_at LIMIT ${limit})
              RETURNING network`,
          ),
          (removed) => removed.length,
        ),
      ),
  }
}

export const SignInNetworkStoreSql: Layer.Layer<SignInNetworkStore, never, SqlClient.SqlClient> =
  Layer.effect(SignInNetworkStore, Effect.map(SqlClient.SqlClient, makeNetworks))
