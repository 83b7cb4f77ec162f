/** Custom domains in SQL. */
import { SqlClient } from "@effect/sql"
import { DomainRecord } from "@mailroom/domain"
import { DomainStore } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { insertInto } from "../database/batches.js"
import { first, table } from "../database/Table.js"

const domains = table("domains", DomainRecord)

const make = (sql: SqlClient.SqlClient): DomainStore["Type"] => {
  const insert = insertInto(sql, domains)
  return {
    insert: (domain) => insert([domain]),
    byId: (accountId, id) =>
      first(
        domains,
        sql`SELECT ${sql.literal(domains.selection)} FROM domains
          WHERE id = ${id} AND account_id = ${accountId}`,
      ),
  }
}

export const DomainStoreSql: Layer.Layer<DomainStore, never, SqlClient.SqlClient> = Layer.effect(
  DomainStore,
  Effect.map(SqlClient.SqlClient, make),
)
