/** Which version the schema of a database has, and whether this program may use it. */
import type { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { MIGRATIONS_TABLE, SCHEMA_VERSION } from "./migrations/index.js"
import type { Problems } from "./StoreUnusable.js"

const Version = Schema.Tuple(Schema.Struct({ version: Schema.NullOr(Schema.Int) }))

/** The newest migration that ran; of a database that this program has created. */
export const schemaVersion = (sql: SqlClient.SqlClient) =>
  sql`SELECT max(migration_id) AS version FROM ${sql(MIGRATIONS_TABLE)}`.pipe(
    Effect.flatMap(Schema.decodeUnknown(Version)),
    Effect.map(([{ version }]) => version ?? 0),
  )

/**
 * Fails, with what `problem` makes of it, when a later version changed the schema so that this one cannot use it. One
 * that it can use beside the later one is no problem: so they run side by side while they are replaced.
 */
export const checkCompatible = <E>(sql: SqlClient.SqlClient, problem: (oldest: number, known: number) => E) =>
  sql`SELECT max(oldest) AS version FROM schema_compatibility`.pipe(
    Effect.flatMap(Schema.decodeUnknown(Version)),
    Effect.flatMap(([{ version }]) =>
      (version ?? 0) > SCHEMA_VERSION ? Effect.fail(problem(version ?? 0, SCHEMA_VERSION)) : Effect.void,
    ),
  )

/** Whose tables a database holds. */
export type Owner = "ours" | "foreign" | "empty"

/** Of the first table's name, when our table of migrations comes first; null where there is no table. */
export const ownerOf = (table: unknown): Owner =>
  table === undefined ? "empty" : table === MIGRATIONS_TABLE ? "ours" : "foreign"

/** Fails unless a service brought the database to a schema that this program knows. Changes nothing. */
export const checkPrepared = (sql: SqlClient.SqlClient, owner: Owner, problems: Problems) =>
  Effect.gen(function* () {
    if (owner !== "ours") return yield* problems[owner]
    const version = yield* schemaVersion(sql)
    if (version < SCHEMA_VERSION) return yield* problems.olderSchema(version, SCHEMA_VERSION)
    return yield* checkCompatible(sql, problems.newerSchema)
  })
