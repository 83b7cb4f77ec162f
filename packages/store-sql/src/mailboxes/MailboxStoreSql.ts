/** Mailboxes in SQL, with the counts of their sent, received and gated messages. */
import * as SqlClient from "@effect/sql/SqlClient"
import { DomainId, MailboxId, MailboxRecord, noMailboxes, oldestFirst } from "@mailroom/domain"
import { MailboxStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { inLists, updateById, updateRows } from "../database/batches.js"
import { Flag } from "../database/columns.js"
import { insertUnlessTaken } from "../database/insertUnlessTaken.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { dialectOf } from "../dialect.js"
import { gatedCountsOf } from "../messages/gates.js"
import { RECIPIENT, recipientFacts, RecipientRow } from "./recipientFacts.js"
import { StoredPolicies } from "./storedPolicies.js"

/** Mailboxes in a list, as the port says. */
const LIST_MAX = 1000

export const mailboxes = table(
  "mailboxes",
  Schema.Struct({
    ...MailboxRecord.fields,
    pausedByBilling: Flag,
    provisioned: Flag,
    policies: StoredPolicies,
  }),
  ["sentDay", "sentMonth", "receivedMonth", "sentMinute"],
)

/** The columns of `MailboxCounts`. */
export const countsByStatus = `count(*) AS total,
  coalesce(sum(CASE WHEN status <> 'paused' THEN 1 ELSE 0 END), 0) AS unpaused,
  coalesce(sum(CASE WHEN status = 'ACTIVE' THEN 1 ELSE 0 END), 0) AS active`
export const CountsByStatus = Schema.Struct({ total: Schema.Int, unpaused: Schema.Int, active: Schema.Int })
const counted = rowsOf(CountsByStatus)

const recipients = rowsOf(RecipientRow)

const onDomainCount = rowsOf(Schema.Struct({ count: Schema.Int }))
const ids = rowsOf(Schema.Struct({ id: MailboxId }))
const onDomain = rowsOf(Schema.Struct({ domainId: DomainId }))

/** The columns that receiving mail changes. */
const RECEIVED = [
  { column: "received_month", type: "text", change: "set" },
  { column: "received_month_count", type: "bigint", change: "set" },
  { column: "over_limit_count", type: "bigint", change: "set" },
] as const

/** The columns that unlocking gated messages changes. */
const GATED = [{ column: "over_limit_count", type: "bigint", change: "set" }] as const

const make = (sql: SqlClient.SqlClient): MailboxStore["Type"] => {
  const updateReceived = updateRows(sql, "mailboxes", RECEIVED)
  const updateGated = updateRows(sql, "mailboxes", GATED)
  const selected = sql.literal(mailboxes.selection)
  const forUpdate = sql.literal(dialectOf(sql).forUpdate)

  // Every transaction locks rows in the order of their ids, so that no two of them deadlock.
  const lock: MailboxStore["Type"]["lock"] = (wanted) =>
    inLists([...wanted].sort(), (list) =>
      all(
        mailboxes,
        sql`SELECT ${selected} FROM mailboxes WHERE id IN ${sql.in(list)} ORDER BY id ${forUpdate}`,
      ),
    )

  return {
    insert: insertUnlessTaken(sql, mailboxes, (mailbox) => [
      { what: "address", value: mailbox.fullAddress, column: "full_address" },
    ]),
    byId: (accountId, id) =>
      first(mailboxes, sql`SELECT ${selected} FROM mailboxes WHERE id = ${id} AND account_id = ${accountId}`),
    recipients: (fullAddresses) =>
      Effect.map(
        inLists(fullAddresses, (list) =>
          all(
            recipients,
            sql`SELECT ${sql.literal(RECIPIENT)} FROM mailboxes m JOIN accounts a ON a.id = m.account_id
              WHERE m.full_address IN ${sql.in(list)} AND a.deleted_at IS NULL`,
          ),
        ),
        (found) => found.map(recipientFacts),
      ),
    byAddresses: (fullAddresses) =>
      inLists(fullAddresses, (list) =>
        all(mailboxes, sql`SELECT ${selected} FROM mailboxes WHERE full_address IN ${sql.in(list)}`),
      ),
    list: (accountId, scope) =>
      scope === null
        ? all(
            mailboxes,
            sql`SELECT ${selected} FROM mailboxes WHERE account_id = ${accountId}
              ORDER BY created_at, id LIMIT ${LIST_MAX}`,
          )
        : Effect.map(
            inLists(scope, (list) =>
              all(
                mailboxes,
                sql`SELECT ${selected} FROM mailboxes WHERE id IN ${sql.in(list)} AND account_id = ${accountId}`,
              ),
            ),
            (found) => [...found].sort(oldestFirst).slice(0, LIST_MAX),
          ),
    counts: (accountId) =>
      Effect.map(
        first(
          counted,
          sql`SELECT ${sql.literal(countsByStatus)} FROM mailboxes WHERE account_id = ${accountId}`,
        ),
        Option.getOrElse(() => noMailboxes),
      ),
    domainsInUse: (accountId) =>
      Effect.map(
        all(
          onDomain,
          sql`SELECT domain_id AS "domainId" FROM mailboxes
            WHERE account_id = ${accountId} AND status <> 'paused' AND domain_id IS NOT NULL`,
        ),
        (rows) => [...new Set(rows.map(({ domainId }) => domainId))],
      ),
    countOnDomain: (domainId) =>
      Effect.map(
        first(onDomainCount, sql`SELECT count(*) AS count FROM mailboxes WHERE domain_id = ${domainId}`),
        Option.match({ onNone: () => 0, onSome: ({ count }) => count }),
      ),
    onOtherClaims: (domain, claim) =>
      Effect.map(
        all(
          ids,
          sql`SELECT m.id FROM domains d JOIN mailboxes m ON m.domain_id = d.id
            WHERE d.domain = ${domain} AND d.id <> ${claim}`,
        ),
        (rows) => rows.map(({ id }) => id),
      ),
    lock,
    save: updateById(sql, mailboxes),
    saveReceived: (changed) =>
      Effect.asVoid(
        updateReceived(
          changed.map(({ id, receivedMonth, overLimitCount }) => [
            id,
            receivedMonth.window,
            receivedMonth.count,
            overLimitCount,
          ]),
        ),
      ),
    recountGated: (accountId) =>
      Effect.gen(function* () {
        const counting = yield* all(
          ids,
          sql`SELECT id FROM mailboxes WHERE account_id = ${accountId} AND over_limit_count > 0`,
        )
        if (counting.length === 0) return 0
        yield* lock(counting.map(({ id }) => id))
        const gated = yield* gatedCountsOf(sql)(accountId)
        const counts = counting.map(({ id }) => ({ id, count: gated.get(id) ?? 0 }))
        yield* updateGated(counts.map(({ id, count }) => [id, count]))
        return counts.reduce((sum, { count }) => sum + count, 0)
      }),
    remove: (id) => run(sql`DELETE FROM mailboxes WHERE id = ${id}`),
  }
}

export const MailboxStoreSql: Layer.Layer<MailboxStore, never, SqlClient.SqlClient> = Layer.effect(
  MailboxStore,
  Effect.map(SqlClient.SqlClient, make),
)
