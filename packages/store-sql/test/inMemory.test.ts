/** In-memory databases: a process runs the migrations for the first one only. */
import { expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { SqliteStore } from "@mailroom/store-sql"
import { Effect } from "effect"
import { join } from "node:path"
import { temporaryFolder } from "./support/databases.js"

/** The schema, and the rows that migrations write. */
const contents = (filename: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      schema: yield* sql`SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name`,
      migrations: yield* sql`SELECT migration_id, name FROM schema_migrations ORDER BY migration_id`,
      compatibility: yield* sql`SELECT * FROM schema_compatibility`,
    }
  }).pipe(Effect.provide(SqliteStore.client({ filename })), Effect.scoped)

it.scoped("an in-memory database equals one in a file, the first and the second in a process", () =>
  Effect.gen(function* () {
    const file = yield* contents(join(yield* temporaryFolder, "mailroom.db"))
    expect(file.schema.length).toBeGreaterThan(80)
    expect(file.compatibility).toHaveLength(1)
    for (const _ of [1, 2]) expect(yield* contents(":memory:")).toEqual(file)
  }),
)
