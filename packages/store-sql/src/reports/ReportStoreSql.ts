/** Reports about sent messages (bounces, complaints), in SQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import { Instant, MessageId, Reported } from "@mailroom/domain"
import { ReportStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { inLists } from "../database/batches.js"
import { all, table } from "../database/Table.js"

const reports = table(
  "message_reports",
  Schema.Struct({
    messageId: MessageId,
    recipient: Schema.String,
    outcome: Schema.Literal(...Reported.literals, "hard-bounced"),
    reportedAt: Instant,
  }),
)

const make = (sql: SqlClient.SqlClient): ReportStore["Type"] => ({
  insertNew: (found) =>
    inLists(found, (list) =>
      all(
        reports,
        sql`INSERT INTO message_reports (${sql.literal(reports.columns.join(", "))})
          VALUES ${sql.csv(list.map((report) => sql`${sql.in(reports.values(report))}`))}
          ON CONFLICT DO NOTHING RETURNING ${sql.literal(reports.selection)}`,
      ),
    ),
})

export const ReportStoreSql: Layer.Layer<ReportStore, never, SqlClient.SqlClient> = Layer.effect(
  ReportStore,
  Effect.map(SqlClient.SqlClient, make),
)
