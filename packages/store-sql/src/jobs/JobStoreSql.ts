/**
 * The job queue in SQL, fair among accounts by start-time fair queueing. Each account has a line. A new job gets the
 * virtual start time `line_at`: 10 seconds after the last job of its line, or its due time when the line is empty. Claims
 * take the smallest `line_at` first, so the job of an account with few jobs overtakes those of an account with many.
 * `line_at` only orders: a due job never waits while a worker is free.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { AccountId, domainOf, Instant, RawMailId, SECOND } from "@mailroom/domain"
import { isSystemMail, JobSpec, JobStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { inRowsOf, insertInto } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { abandonClaim, LeaseHolder } from "../database/leases.js"

/** Milliseconds between two jobs of a line: longer than most jobs take. */
const LINE_STEP = 10 * SECOND

const job = { id: Schema.String, spec: JsonText(JobSpec), dueAt: Instant, since: Instant, lineAt: Instant }
const newJobs = table(
  "jobs",
  Schema.Struct({
    ...job,
    accountId: Schema.NullOr(AccountId),
    rawId: Schema.NullOr(RawMailId),
    line: Schema.String,
  }),
)
const jobs = table("jobs", Schema.Struct({ ...job, spec: Schema.String, attempts: Schema.Int }))
/** None for a job of a later version, which runs beside this one or ran before it. */
const specIn = Schema.decodeOption(JsonText(JobSpec))
const lines = rowsOf(Schema.Struct({ line: Schema.NullOr(Schema.String), last: Schema.NullOr(Instant) }))

type NewJob = Parameters<JobStore["Type"]["addOnce"]>[0]

const make = (sql: SqlClient.SqlClient, holder: string): JobStore["Type"] => {
  const { join, joinUnsynced } = transactionOf(sql)
  const insert = insertInto(sql, newJobs)
  const text = (value: string) => sql`CAST(${value} AS TEXT)`

  /** The line of a job: that of its account. Mails to the owner have a second line, so that no purge delays them. */
  const lineOf = (spec: JobSpec): Statement.Fragment => {
    switch (spec.kind) {
      case "provision-mailbox":
        return sql`(SELECT account_id FROM mailboxes WHERE id = ${spec.mailboxId})`
      case "purge-webhook":
      case "fail-deliveries":
        return sql`(SELECT account_id FROM webhooks WHERE id = ${spec.webhookId})`
      case "send-verification":
      case "send-welcome":
      case "send-password-reset":
      case "send-sending-stopped":
      case "send-review-notice":
        return text(`mail to ${spec.accountId}`)
      case "remove-account":
      case "purge-mailbox":
      case "show-unlocked":
      case "move-thread":
      case "remove-thread":
        return text(spec.accountId)
      // The account is not recorded, and nobody waits for this job.
      case "remove-blobs":
        return text("blobs")
      // So that a flood to one role address delays no other.
      case "pass-on":
        return text(`role mail of ${domainOf(spec.to)}`)
      case "cancel-subscription":
        return text(spec.reference)
      case "end-billing":
        return text("end of billing")
      case "index-messages":
        return text("index of messages")
      case "read-correspondents":
        return text("correspondents")
      case "check-integrity":
        return text("integrity")
    }
  }

  const endOfLine = (spec: JobSpec) =>
    Effect.map(
      first(
        lines,
        sql`SELECT own.line AS "line", (SELECT max(line_at) FROM jobs WHERE line = own.line) AS "last"
          FROM (SELECT ${lineOf(spec)} AS line) own`,
      ),
      Option.match({
        onNone: () => ({ line: "", last: null }),
        onSome: ({ line, last }) => ({ line: line ?? "", last }),
      }),
    )

  const addWith = (write: typeof insert) =>
    Effect.fnUntraced(function* ({ id, spec, dueAt }: NewJob) {
      const { line, last } = yield* endOfLine(spec)
      const lineAt = last === null ? dueAt : Math.max(dueAt, last + LINE_STEP)
      const accountId = isSystemMail(spec) ? spec.accountId : null
      const rawId = spec.kind === "pass-on" ? spec.rawId : null
      yield* write([{ id, spec, dueAt, since: dueAt, accountId, rawId, line, lineAt }])
    })
  const add = addWith(insert)
  const addOnce = addWith(insertInto(sql, newJobs, "ON CONFLICT (id) DO NOTHING"))

  return {
    add: (added) => join(Effect.forEach(added, add, { discard: true })),
    addOnce: (job) => join(addOnce(job)),
    claim: (limit, now, leaseUntil) =>
      Effect.map(
        joinUnsynced(
          all(
            jobs,
            sql`UPDATE jobs SET attempts = attempts + 1, locked_until = ${leaseUntil}, locked_by = ${holder} WHERE id ${inRowsOf(
              sql,
              sql`SELECT id FROM jobs WHERE due_at <= ${now} AND locked_until <= ${now}
              ORDER BY line_at, id LIMIT ${limit} ${sql.literal(dialectOf(sql).skipLocked)}`,
            )}
          RETURNING ${sql.literal(jobs.selection)}`,
          ),
        ),
        (claimed) =>
          [...claimed]
            .sort((a, b) => a.lineAt - b.lineAt || (a.id < b.id ? -1 : 1))
            // Jobs of an unknown kind keep their lease, so that this version claims others meanwhile.
            .flatMap((claim) =>
              Option.toArray(Option.map(specIn(claim.spec), (spec) => ({ ...claim, spec }))),
            )
            .map(Struct.omit("lineAt")),
      ),
    abandonClaim: abandonClaim(sql, "jobs", holder, "counted"),
    done: (id) => run(sql`DELETE FROM jobs WHERE id = ${id}`),
    retry: (id, at) =>
      run(sql`UPDATE jobs SET due_at = ${at}, line_at = ${at}, locked_until = 0
        WHERE id = ${id} AND locked_by = ${holder}`),
  }
}

export const JobStoreSql: Layer.Layer<JobStore, never, SqlClient.SqlClient | LeaseHolder> = Layer.effect(
  JobStore,
  Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make),
)
