/** The operator's lists and searches across accounts, in SQL. Ids sort by creation time, so newest first is by id. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import {
  AccountId,
  EventRecord,
  Instant,
  lowestIdAt,
  MailboxId,
  noMailboxes,
  SendingStopReason,
} from "@mailroom/domain"
import { AdminStore, type Countable } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { accounts } from "../accounts/AccountStoreSql.js"
import { inLists } from "../database/batches.js"
import { all, first, rowsOf } from "../database/Table.js"
import { dialectOf } from "../dialect.js"
import { events } from "../events/EventStoreSql.js"
import { countsByStatus, CountsByStatus } from "../mailboxes/MailboxStoreSql.js"

/** Greater than every id, instant and character. A list without a start uses them, so it needs no statement of its own. */
const LAST_ID = AccountId.make("ffffffff-ffff-ffff-ffff-ffffffffffff")
const LAST_INSTANT = Number.MAX_SAFE_INTEGER
const LAST_CHARACTER = "\u{10ffff}"

const accountIds = rowsOf(Schema.Struct({ id: AccountId }))
const mailboxCounts = rowsOf(Schema.Struct({ accountId: AccountId, ...CountsByStatus.fields }))
const complaintRows = rowsOf(Schema.Struct({ ...EventRecord.fields, slug: Schema.String }))
const stoppedRows = rowsOf(
  Schema.Struct({
    accountId: AccountId,
    slug: Schema.String,
    mailboxId: MailboxId,
    address: Schema.String,
    stoppedAt: Instant,
    reason: SendingStopReason,
  }),
)
const counted = rowsOf(Schema.Struct({ count: Schema.Int }))

const make = (sql: SqlClient.SqlClient): AdminStore["Type"] => {
  const { bytewise, indexedBy } = dialectOf(sql)
  const selectedAccounts = sql.literal(accounts.selection)
  const selectedEvents = sql.literal(events.selectionOf("e"))
  const complaintsIndex = sql.literal(indexedBy("events_complaints"))
  const stoppedIndex = sql.literal(indexedBy("mailboxes_stopped"))

  const ids = (statement: Statement.Statement<object>) =>
    Effect.map(all(accountIds, statement), (rows) => rows.map(({ id }) => id))

  const startingWith = (column: "email" | "slug", prefix: string, max: number) => {
    const compared = sql.literal(`${column} ${bytewise}`)
    return ids(
      sql`SELECT id FROM accounts WHERE ${compared} >= ${prefix} AND ${compared} < ${prefix + LAST_CHARACTER}
        AND deleted_at IS NULL LIMIT ${max}`,
    )
  }

  const entriesOf = (what: Countable): Statement.Fragment => {
    switch (what.kind) {
      case "accounts":
        return sql`accounts`
      case "suspended accounts":
        return sql`accounts WHERE suspended_at IS NOT NULL`
      case "mailboxes":
        return sql`mailboxes`
      case "stopped mailboxes":
        return sql`mailboxes WHERE sending_stopped_at IS NOT NULL`
      case "messages":
        return sql`messages WHERE id >= ${lowestIdAt(what.since)}`
      case "waiting deliveries":
        return sql`webhook_deliveries WHERE status = 'PENDING'`
      case "waiting jobs":
        return sql`jobs`
    }
  }

  return {
    newestAccounts: (before, limit) =>
      ids(
        sql`SELECT id FROM accounts WHERE id < ${before ?? LAST_ID} AND deleted_at IS NULL
          ORDER BY id DESC LIMIT ${limit}`,
      ),
    accountsStartingWith: (prefix, max) =>
      Effect.map(
        Effect.zip(startingWith("email", prefix, max), startingWith("slug", prefix, max)),
        ([byEmail, bySlug]) => [...new Set([...byEmail, ...bySlug])],
      ),
    accounts: (wanted) =>
      Effect.gen(function* () {
        const found = yield* inLists(wanted, (list) =>
          all(
            accounts,
            sql`SELECT ${selectedAccounts} FROM accounts WHERE id IN ${sql.in(list)} AND deleted_at IS NULL`,
          ),
        )
        const counts = yield* inLists(wanted, (list) =>
          all(
            mailboxCounts,
            sql`SELECT account_id AS "accountId", ${sql.literal(countsByStatus)}
              FROM mailboxes WHERE account_id IN ${sql.in(list)} GROUP BY account_id`,
          ),
        )
        const countsOf = new Map(counts.map(({ accountId, ...count }) => [accountId, count]))
        return [...found]
          .sort((a, b) => (a.id < b.id ? 1 : -1))
          .map((account) => ({ account, mailboxes: countsOf.get(account.id) ?? noMailboxes }))
      }),
    accountOfMailbox: (id) =>
      Effect.map(
        first(accountIds, sql`SELECT account_id AS id FROM mailboxes WHERE id = ${id}`),
        Option.map((row) => row.id),
      ),
    complaints: (before, limit) =>
      Effect.map(
        all(
          complaintRows,
          sql`SELECT ${selectedEvents}, a.slug FROM events e ${complaintsIndex} JOIN accounts a ON a.id = e.account_id
            WHERE e.kind = 'message.complaint' AND (e.created_at, e.account_id, e.seq)
              < (${before?.createdAt ?? LAST_INSTANT}, ${before?.accountId ?? LAST_ID}, ${before?.seq ?? 0})
            ORDER BY e.created_at DESC, e.account_id DESC, e.seq DESC LIMIT ${limit}`,
        ),
        (rows) => rows.map(({ slug, ...event }) => ({ slug, event })),
      ),
    stoppedMailboxes: (before, limit) =>
      all(
        stoppedRows,
        sql`SELECT m.account_id AS "accountId", a.slug, m.id AS "mailboxId", m.full_address AS address,
            m.sending_stopped_at AS "stoppedAt", m.sending_stop_reason AS reason
          FROM mailboxes m ${stoppedIndex} JOIN accounts a ON a.id = m.account_id
          WHERE m.sending_stopped_at IS NOT NULL AND a.deleted_at IS NULL
            AND (m.sending_stopped_at, m.id) < (${before?.stoppedAt ?? LAST_INSTANT}, ${before?.mailboxId ?? LAST_ID})
          ORDER BY m.sending_stopped_at DESC, m.id DESC LIMIT ${limit}`,
      ),
    count: (what, max) =>
      Effect.map(
        first(
          counted,
          sql`SELECT count(*) AS count FROM (SELECT 1 AS entry FROM ${entriesOf(what)} LIMIT ${max}) AS counted`,
        ),
        Option.match({ onNone: () => 0, onSome: ({ count }) => count }),
      ),
  }
}

export const AdminStoreSql: Layer.Layer<AdminStore, never, SqlClient.SqlClient> = Layer.effect(
  AdminStore,
  Effect.map(SqlClient.SqlClient, make),
)
