/**
 * The version of a database's schema, and whether this version of the program may use it.
 *
 * A schema has two numbers. `schema_migrations` holds the number of every migration that has run; the highest is the
 * schema version. `schema_compatibility.oldest` is the lowest `SCHEMA_VERSION` with which a program can still use the
 * schema. Migrations are additive, so `oldest` rises rarely and an older program keeps working beside a newer one while
 * processes are replaced one by one (docs/decisions/0025).
 */
import type { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { MIGRATIONS_TABLE, SCHEMA_VERSION } from "./migrations/index.js"
import type { Problems } from "./StoreUnusable.js"

const Version = Schema.Tuple(Schema.Struct({ version: Schema.NullOr(Schema.Int) }))

/** The highest migration that has run; 0 for none. Fails when the database has no `schema_migrations` table. */
export const schemaVersion = (sql: SqlClient.SqlClient) =>
  sql`SELECT max(migration_id) AS version FROM ${sql(MIGRATIONS_TABLE)}`.pipe(
    Effect.flatMap(Schema.decodeUnknown(Version)),
    Effect.map(([{ version }]) => version ?? 0),
  )

/** Fails with `problem` when a newer version has raised `oldest` above this program's `SCHEMA_VERSION`. */
export const checkCompatible = <E>(sql: SqlClient.SqlClient, problem: (oldest: number, known: number) => E) =>
  sql`SELECT max(oldest) AS version FROM schema_compatibility`.pipe(
    Effect.flatMap(Schema.decodeUnknown(Version)),
    Effect.flatMap(([{ version }]) =>
      (version ?? 0) > SCHEMA_VERSION ? Effect.fail(problem(version ?? 0, SCHEMA_VERSION)) : Effect.void,
    ),
  )

/** Whose tables a database holds: this program's, another program's, or none. */
export type Owner = "ours" | "foreign" | "empty"

/** `table` is the name of one table, `schema_migrations` if there is one by that name; undefined for an empty database. */
export const ownerOf = (table: unknown): Owner =>
  table === undefined ? "empty" : table === MIGRATIONS_TABLE ? "ours" : "foreign"

/** Fails unless a service has brought the database to a schema that this program can use. Changes nothing. */
export const checkPrepared = (sql: SqlClient.SqlClient, owner: Owner, problems: Problems) =>
  Effect.gen(function* () {
    if (owner !== "ours") return yield* problems[owner]
    const version = yield* schemaVersion(sql)
    if (version < SCHEMA_VERSION) return yield* problems.olderSchema(version, SCHEMA_VERSION)
    return yield* checkCompatible(sql, problems.newerSchema)
  })
