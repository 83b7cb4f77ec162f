/** Jobs in SQL. */
import { SqlClient } from "@effect/sql"
import { AccountId, Instant } from "@mailroom/domain"
import { isSystemMail, JobSpec, JobStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { all, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { LeaseHolder } from "../LeaseHolder.js"

const job = { id: Schema.String, spec: JsonText(JobSpec), dueAt: Instant, since: Instant }
const newJobs = table("jobs", Schema.Struct({ ...job, accountId: Schema.NullOr(AccountId) }))
const jobs = table("jobs", Schema.Struct({ ...job, attempts: Schema.Int }))

const make = (sql: SqlClient.SqlClient, holder: string): JobStore["Type"] => {
  const insert = insertInto(sql, newJobs)
  return {
    add: (added) =>
      insert(
        added.map(({ id, spec, dueAt }) => ({
          id,
          spec,
          dueAt,
          since: dueAt,
          accountId: isSystemMail(spec) ? spec.accountId : null,
        })),
      ),
    claim: (limit, now, leaseUntil) =>
      Effect.map(
        transactionOf(sql).lease(
          all(
            jobs,
            sql`UPDATE jobs SET attempts = attempts + 1, locked_until = ${leaseUntil}, locked_by = ${holder} WHERE id IN (
            SELECT id FROM jobs WHERE due_at <= ${now} AND locked_until <= ${now}
            ORDER BY due_at, id LIMIT ${limit} ${sql.literal(dialectOf(sql).skipLocked)})
          RETURNING ${sql.literal(jobs.selection)}`,
          ),
        ),
        (claimed) => [...claimed].sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1)),
      ),
    done: (id) => run(sql`DELETE FROM jobs WHERE id = ${id}`),
    retry: (id, at) => run(sql`UPDATE jobs SET due_at = ${at}, locked_until = 0 WHERE id = ${id}`),
  }
}

export const JobStoreSql: Layer.Layer<JobStore, never, SqlClient.SqlClient | LeaseHolder> = Layer.effect(
  JobStore,
  Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make),
)
