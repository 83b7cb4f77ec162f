/** Custom domains in SQL. Several accounts may have a row for a name; a unique index lets one of them be VERIFIED. */
import * as SqlClient from "@effect/sql/SqlClient"
import { AccountId, AlreadyTaken, DomainRecord } from "@mailroom/domain"
import { DomainStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { inLists, inRowsOf, padded, updateById } from "../database/batches.js"
import { isUniqueViolation } from "../database/failures.js"
import { insertUnlessTaken } from "../database/insertUnlessTaken.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { abandonClaim, LeaseHolder } from "../database/leases.js"

/** Domains in a list, as the port says. */
const LIST_MAX = 1000

/** Without the columns of the lease, which only this store uses. */
const domains = table("domains", DomainRecord)

const counted = rowsOf(Schema.Struct({ count: Schema.Int }))
const taken = rowsOf(Schema.Struct({ taken: Schema.Int }))
const owners = rowsOf(Schema.Struct({ accountId: AccountId }))
const named = rowsOf(Schema.Struct({ domain: Schema.String }))
const sealed = rowsOf(Schema.Struct({ sealedKey: Schema.String }))

const make = (sql: SqlClient.SqlClient, holder: string): DomainStore["Type"] => {
  const transaction = transactionOf(sql)
  const selected = sql.literal(domains.selection)
  const update = updateById(sql, domains)
  return {
    insert: insertUnlessTaken(sql, domains, ({ domain }) => [
      { what: "domain", value: domain, column: "domain" },
    ]),
    byId: (accountId, id) =>
      first(domains, sql`SELECT ${selected} FROM domains WHERE id = ${id} AND account_id = ${accountId}`),
    list: (accountId) =>
      all(
        domains,
        sql`SELECT ${selected} FROM domains WHERE account_id = ${accountId}
          ORDER BY created_at, id LIMIT ${LIST_MAX}`,
      ),
    count: (accountId) =>
      Effect.map(
        first(counted, sql`SELECT count(*) AS count FROM domains WHERE account_id = ${accountId}`),
        Option.match({ onNone: () => 0, onSome: ({ count }) => count }),
      ),
    isTaken: (accountId, name) =>
      Effect.map(
        first(
          taken,
          sql`SELECT 1 AS taken WHERE
            EXISTS (SELECT 1 FROM domains WHERE domain = ${name} AND account_id = ${accountId})
            OR EXISTS (SELECT 1 FROM domains WHERE domain = ${name} AND status = 'VERIFIED')`,
        ),
        Option.isSome,
      ),
    ownerOf: (name) =>
      Effect.map(
        first(
          owners,
          sql`SELECT account_id AS "accountId" FROM domains WHERE domain = ${name} AND status = 'VERIFIED'`,
        ),
        Option.map(({ accountId }) => accountId),
      ),
    verifiedAmong: (names) =>
      Effect.map(
        inLists(names, (list) =>
          all(named, sql`SELECT domain FROM domains WHERE domain IN ${sql.in(list)} AND status = 'VERIFIED'`),
        ),
        (found) => found.map(({ domain }) => domain),
      ),
    anySealedKey: Effect.map(
      first(
        sealed,
        sql`SELECT sealed_dkim_key AS "sealedKey" FROM domains WHERE id = (SELECT min(id) FROM domains)`,
      ),
      Option.map(({ sealedKey }) => sealedKey),
    ),
    // A savepoint: on Postgres a failed statement aborts the transaction around it.
    save: (domain) =>
      transaction
        .run(update(domain))
        .pipe(
          Effect.catchSomeDefect((defect) =>
            isUniqueViolation(defect)
              ? Option.some(new AlreadyTaken({ what: "domain", value: domain.domain }))
              : Option.none(),
          ),
        ),
    remove: (id) => run(sql`DELETE FROM domains WHERE id = ${id}`),
    claim: (limit, now, leaseUntil, except) =>
      Effect.map(
        transaction.joinUnsynced(
          all(
            domains,
            sql`UPDATE domains SET locked_until = ${leaseUntil}, locked_by = ${holder} WHERE id ${inRowsOf(
              sql,
              sql`SELECT id FROM domains WHERE next_check_at <= ${now} AND locked_until <= ${now}
                ${except.length === 0 ? sql.literal("") : sql`AND account_id NOT IN ${sql.in(padded(except))}`}
                ORDER BY next_check_at, id LIMIT ${limit} ${sql.literal(dialectOf(sql).skipLocked)}`,
            )}
            RETURNING ${selected}`,
          ),
        ),
        (claimed) =>
          [...claimed].sort((a, b) => (a.nextCheckAt ?? 0) - (b.nextCheckAt ?? 0) || (a.id < b.id ? -1 : 1)),
      ),
    abandonClaim: abandonClaim(sql, "domains", holder, "not counted"),
  }
}

export const DomainStoreSql: Layer.Layer<DomainStore, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(DomainStore, Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make))
