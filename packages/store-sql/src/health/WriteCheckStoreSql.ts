/** The write that `/readyz` tries, in SQL (docs/decisions/0058). */
import * as SqlClient from "@effect/sql/SqlClient"
import { WriteCheckStore } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { run } from "../database/Table.js"

const make = (sql: SqlClient.SqlClient): WriteCheckStore["Type"] => ({
  write: (now) =>
    run(sql`INSERT INTO write_checks (name, written_at) VALUES ('readiness', ${now})
      ON CONFLICT (name) DO UPDATE SET written_at = excluded.written_at`),
})

export const WriteCheckStoreSql: Layer.Layer<WriteCheckStore, never, SqlClient.SqlClient> = Layer.effect(
  WriteCheckStore,
  Effect.map(SqlClient.SqlClient, make),
)
