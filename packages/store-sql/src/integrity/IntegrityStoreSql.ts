/** Comparing stored counts with the rows they count, in SQL. Each comparison reads one index. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { AccountId, InboundGate } from "@mailroom/domain"
import { type IntegrityCheck, IntegrityStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { unusedAmong } from "../blobs/unreferenced.js"
import { all, rowsOf, run } from "../database/Table.js"
import { dialectOf } from "../dialect.js"
import { UNLOCKS } from "../messages/gates.js"

const compared = rowsOf(
  Schema.Struct({
    id: Schema.String,
    accountId: AccountId,
    stored: Schema.NullOr(Schema.Int),
    counted: Schema.NullOr(Schema.Int),
  }),
)
const removed = rowsOf(Schema.Struct({ blobKey: Schema.String }))

/** One comparison. In its SQL, `x` is the row with the stored value. */
interface Comparison {
  readonly table: string
  /** column with the stored value; null: the row itself counts as 1, and is removed when the count is 0 */
  readonly column: string | null
  /** SQL for the correct value */
  readonly counted: string
  /** SQL for the rows of the table to compare; default: all */
  readonly where?: string
}

/** Skips threads to which absorbed threads still move: until then their messages carry several thread ids. */
const settled = "NOT EXISTS (SELECT 1 FROM thread_moves WHERE thread_id = x.id)"

const gatedIn = (gate: InboundGate): string =>
  `(SELECT count(*) FROM messages WHERE account_id = x.account_id AND gate IS NOT NULL AND gate = '${gate}'
    AND gate_generation = (SELECT ${UNLOCKS[gate]} FROM accounts WHERE id = x.account_id) AND mailbox_id = x.id)`

const firstWaiting =
  "(SELECT min(due_at) FROM webhook_deliveries WHERE webhook_id = x.id AND status = 'PENDING')"

const comparisons: Readonly<Record<IntegrityCheck, Comparison>> = {
  "thread-messages": {
    table: "threads",
    column: "message_count",
    counted: "(SELECT count(*) FROM messages WHERE thread_id = x.id AND visible = 1)",
    where: settled,
  },
  "thread-activity": {
    table: "threads",
    column: "last_message_at",
    counted: `coalesce((SELECT created_at FROM messages WHERE thread_id = x.id AND visible = 1
      ORDER BY created_at DESC LIMIT 1), x.last_message_at)`,
    where: settled,
  },
  "attachment-message": {
    table: "attachments",
    column: null,
    counted: "(SELECT count(*) FROM messages WHERE id = x.message_id)",
    where: "x.message_id IS NOT NULL",
  },
  "mailbox-gated": {
    table: "mailboxes",
    column: "over_limit_count",
    counted: InboundGate.literals.map(gatedIn).join(" + "),
  },
  "account-gated": {
    table: "accounts",
    column: "over_limit_count",
    counted:
      "(SELECT CAST(coalesce(sum(over_limit_count), 0) AS BIGINT) FROM mailboxes WHERE account_id = x.id)",
  },
  "account-storage": {
    table: "accounts",
    column: "storage_used_bytes",
    counted: `(SELECT CAST(coalesce(sum(size_bytes), 0) AS BIGINT) FROM attachments WHERE account_id = x.id)
      + (SELECT CAST(coalesce(sum(size_bytes), 0) AS BIGINT) FROM drafts WHERE account_id = x.id)`,
  },
  "account-lists": {
    table: "accounts",
    column: "list_entry_count",
    counted: "(SELECT count(*) FROM address_list_entries WHERE account_id = x.id)",
  },
  "account-events": {
    table: "accounts",
    column: "event_seq",
    counted: `(SELECT CASE WHEN last > x.event_seq THEN last ELSE x.event_seq END
      FROM (SELECT coalesce((SELECT max(seq) FROM events WHERE account_id = x.id), 0) AS last) AS newest)`,
  },
  "webhook-due": {
    table: "webhooks",
    column: "next_due_at",
    counted: `CASE WHEN x.next_due_at <= ${firstWaiting} THEN x.next_due_at
      ELSE coalesce(${firstWaiting}, x.next_due_at) END`,
    // Skips leased webhooks, which get their due time at release, and those of suspended accounts, which have none.
    where: `x.status = 'ACTIVE' AND x.locked_until = 0
      AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = x.account_id AND suspended_at IS NOT NULL)`,
  },
}

const make = (sql: SqlClient.SqlClient): IntegrityStore["Type"] => {
  const unused = unusedAmong(sql)
  const forUpdate = sql.literal(dialectOf(sql).forUpdate)

  /** Reads stored and counted values of the rows `x` that meet a condition. `end` is an ORDER BY, if any. */
  const read = (
    { table, column, counted, where }: Comparison,
    rows: Statement.Fragment,
    end: Statement.Fragment = sql.literal(""),
  ) =>
    all(
      compared,
      sql`SELECT x.id, ${sql.literal(table === "accounts" ? "x.id" : "x.account_id")} AS "accountId",
          ${sql.literal(column === null ? "1" : `x.${column}`)} AS stored, ${sql.literal(counted)} AS counted
        FROM ${sql.literal(table)} AS x
        WHERE ${rows} ${sql.literal(where === undefined ? "" : `AND ${where}`)} ${end}`,
    )

  const removeAttachment = (id: string) =>
    Effect.flatMap(
      all(removed, sql`DELETE FROM attachments WHERE id = ${id} RETURNING blob_key AS "blobKey"`),
      (rows) => unused(rows.map(({ blobKey }) => blobKey)),
    )

  const repair = Effect.fnUntraced(function* (check: IntegrityCheck, id: string) {
    const comparison = comparisons[check]
    const table = sql.literal(comparison.table)
    yield* run(sql`SELECT id FROM ${table} WHERE id = ${id} ${forUpdate}`)
    const found = (yield* read(comparison, sql`x.id = ${id}`))[0]
    if (found === undefined || found.stored === found.counted) return { found: null, blobKeys: [] }
    if (comparison.column === null) return { found, blobKeys: yield* removeAttachment(id) }
    yield* run(sql`UPDATE ${table} SET ${sql.literal(comparison.column)} = ${found.counted} WHERE id = ${id}`)
    return { found, blobKeys: [] }
  })

  return {
    compare: (check, after, limit) =>
      read(comparisons[check], sql`x.id > ${after}`, sql`ORDER BY x.id LIMIT ${limit}`),
    mend: repair,
  }
}

export const IntegrityStoreSql: Layer.Layer<IntegrityStore, never, SqlClient.SqlClient> = Layer.effect(
  IntegrityStore,
  Effect.map(SqlClient.SqlClient, make),
)
