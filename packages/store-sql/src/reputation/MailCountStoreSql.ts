/** Counters of mail in SQL. Every count is in four rows: those of the mailbox and its account, by hour and by day. */
import * as SqlClient from "@effect/sql/SqlClient"
import { addMetrics, Instant, MetricCounts, noMetrics, periodStart } from "@mailroom/domain"
import { type MailCount, MailCountStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertValues } from "../database/batches.js"
import { all, rowsOf } from "../database/Table.js"
import { insertion, type Write } from "../database/together.js"
import { transactionOf } from "../database/transaction.js"

const COUNTERS = [
  "received",
  "sent",
  "delivered",
  "bounced",
  "complained",
  "gated",
  "quarantined",
] as const satisfies ReadonlyArray<keyof MetricCounts>
const PERIODS = ["hour", "day"] as const
const COLUMNS = ["owner_id", "period", "at", ...COUNTERS]
const ADDING = `ON CONFLICT (owner_id, period, at) DO UPDATE SET ${COUNTERS.map(
  (counter) => `${counter} = mail_counts.${counter} + excluded.${counter}`,
).join(", ")}`

/** The rows to add, one for each owner and period, in the order of the key: so no two transactions deadlock. */
const rowsToAdd = (counts: ReadonlyArray<MailCount>, at: Instant): ReadonlyArray<ReadonlyArray<unknown>> => {
  const owners = new Map<string, MetricCounts>()
  for (const { accountId, mailboxId, ...added } of counts)
    for (const owner of [accountId, mailboxId])
      owners.set(owner, addMetrics(owners.get(owner) ?? noMetrics, added))
  return [...owners]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([owner, sums]) =>
      PERIODS.map((period) => [
        owner,
        period,
        periodStart(at, period),
        ...COUNTERS.map((counter) => sums[counter]),
      ]),
    )
}

/** `MailCountStore.add` of one mailbox, as a statement to run together with others. */
export const countWrite = (sql: SqlClient.SqlClient, count: MailCount, at: Instant): Write =>
  insertion(sql, "mail_counts", COLUMNS, rowsToAdd([count], at), ADDING)

const points = rowsOf(Schema.Struct({ at: Instant, ...MetricCounts.fields }))
const removed = rowsOf(Schema.Struct({ at: Instant }))

const make = (sql: SqlClient.SqlClient): MailCountStore["Type"] => {
  const { join } = transactionOf(sql)
  const insert = insertValues(sql, "mail_counts", COLUMNS, ADDING)
  const counters = sql.literal(COUNTERS.join(", "))
  return {
    add: (counts, at) => insert(rowsToAdd(counts, at)),
    read: (owner, { period, from, to }) =>
      all(
        points,
        sql`SELECT at, ${counters} FROM mail_counts
          WHERE owner_id = ${owner} AND period = ${period} AND at >= ${from} AND at < ${to} ORDER BY at`,
      ),
    removeBefore: (period, before, limit) =>
      join(
        Effect.map(
          all(
            removed,
            sql`DELETE FROM mail_counts WHERE (owner_id, period, at) IN (
                SELECT owner_id, period, at FROM mail_counts WHERE period = ${period} AND at < ${before}
                ORDER BY at LIMIT ${limit})
              RETURNING at`,
          ),
          (rows) => rows.length,
        ),
      ),
  }
}

export const MailCountStoreSql: Layer.Layer<MailCountStore, never, SqlClient.SqlClient> = Layer.effect(
  MailCountStore,
  Effect.map(SqlClient.SqlClient, make),
)
