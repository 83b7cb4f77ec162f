/** Addresses that one mailbox must not send to, in SQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import { AccountId, MailboxSuppressionRecord } from "@mailroom/domain"
import { MailboxSuppressionStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { Flag } from "../database/columns.js"
import { removeSome } from "../database/removeSome.js"
import { all, first, rowsOf, table } from "../database/Table.js"

const suppressions = table("mailbox_suppressions", MailboxSuppressionRecord)

const facts = rowsOf(Schema.Struct({ accountId: AccountId, fullAddress: Schema.String, isSuppressed: Flag }))

const make = (sql: SqlClient.SqlClient): MailboxSuppressionStore["Type"] => {
  const selected = sql.literal(suppressions.selection)
  const noCondition = sql.literal("")
  const insert = insertInto(sql, suppressions, "ON CONFLICT (mailbox_id, email) DO NOTHING")
  return {
    insert: (suppression) => insert([suppression]),
    byEmail: (mailboxId, email) =>
      first(
        suppressions,
        sql`SELECT ${selected} FROM mailbox_suppressions WHERE mailbox_id = ${mailboxId} AND email = ${email}`,
      ),
    facts: (mailboxId, email) =>
      first(
        facts,
        sql`SELECT m.account_id AS "accountId", m.full_address AS "fullAddress",
            CASE WHEN s.id IS NULL THEN 0 ELSE 1 END AS "isSuppressed"
          FROM mailboxes AS m JOIN accounts AS a ON a.id = m.account_id
          LEFT JOIN mailbox_suppressions AS s ON s.mailbox_id = m.id AND s.email = ${email}
          WHERE m.id = ${mailboxId} AND a.deleted_at IS NULL`,
      ),
    page: (accountId, email, before, limit) =>
      all(
        suppressions,
        sql`SELECT ${selected} FROM mailbox_suppressions WHERE account_id = ${accountId}
          ${email === null ? noCondition : sql`AND email = ${email}`}
          ${before === null ? noCondition : sql`AND (created_at, id) < (${before.createdAt}, ${before.id})`}
          ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      ),
    remove: (accountId, id) =>
      first(
        suppressions,
        sql`DELETE FROM mailbox_suppressions WHERE id = ${id} AND account_id = ${accountId} RETURNING ${selected}`,
      ),
    purge: (mailboxId, limit) =>
      removeSome(sql, "mailbox_suppressions", "id", sql`mailbox_id = ${mailboxId}`, limit),
  }
}

export const MailboxSuppressionStoreSql: Layer.Layer<MailboxSuppressionStore, never, SqlClient.SqlClient> =
  Layer.effect(MailboxSuppressionStore, Effect.map(SqlClient.SqlClient, make))
