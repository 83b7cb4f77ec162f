/**
 * All differences between the SQL of SQLite and of Postgres. Every other statement is the same text on both. Columns use
 * types that both have: ids are TEXT, instants BIGINT (milliseconds since 1970), flags SMALLINT (0 or 1), structures
 * JSON in TEXT.
 */
import type { SqlClient } from "@effect/sql"

export interface Dialect {
  /** column type of ids; compared byte by byte, whatever the locale of the database */
  readonly id: string
  /** collation after a text column: compare it byte by byte, like an id */
  readonly bytewise: string
  /** column type of bytes */
  readonly blob: string
  /** end of a CREATE TABLE that stores its (small) rows in the primary key index */
  readonly clustered: string
  /** begins a transaction that may write */
  readonly begin: string
  /**
   * Statements around a transaction whose commit does not wait for the disk (`Transaction.joinUnsynced`).
   * A lease that a power failure undoes only ends early.
   */
  readonly unsynced: {
    readonly before: ReadonlyArray<string>
    readonly begin: string
    readonly after: ReadonlyArray<string>
  }
  /** end of a SELECT that locks its rows until the transaction ends */
  readonly forUpdate: string
  /** SQL that locks a text value until the transaction ends; null where transactions run one at a time */
  readonly lockText: ((expression: string) => string) | null
  /** end of the SELECT of a claim: skips rows that another transaction has locked */
  readonly skipLocked: string
  /** whether other processes may use the same database */
  readonly sharing: "alone" | "shared"
  /** index hint after a table name. SQLite needs it, because it has no statistics unless ANALYZE runs. */
  readonly indexedBy: (index: string) => string
  /** condition after a column: it equals an element of a JSON array, the parameter between the two parts */
  readonly among: readonly [before: string, after: string]
  /** whether WITH may contain INSERT, UPDATE and DELETE, so that one statement can write several tables */
  readonly writesInWith: boolean
  /** the n-th parameter of a statement, counted from 1 */
  readonly placeholder: (position: number) => string
  /** a parameter with a cast, for places where the database cannot infer its type */
  readonly typed: (parameter: string, type: "text" | "bigint") => string
}

/** One connection runs all transactions one after another, so rows need no locks. `IMMEDIATE` locks out other processes. */
const sqlite: Dialect = {
  id: "TEXT",
  bytewise: "",
  blob: "BLOB",
  clustered: "WITHOUT ROWID",
  begin: "BEGIN IMMEDIATE",
  unsynced: {
    before: ["PRAGMA synchronous = NORMAL"],
    begin: "BEGIN IMMEDIATE",
    after: ["PRAGMA synchronous = FULL"],
  },
  forUpdate: "",
  lockText: null,
  skipLocked: "",
  sharing: "alone",
  indexedBy: (index) => `INDEXED BY ${index}`,
  among: ["IN (SELECT value FROM json_each(", "))"],
  writesInWith: false,
  placeholder: () => "?",
  typed: (parameter) => parameter,
}

const postgres: Dialect = {
  id: 'TEXT COLLATE "C"',
  bytewise: 'COLLATE "C"',
  blob: "BYTEA",
  clustered: "",
  begin: "BEGIN",
  unsynced: { before: [], begin: "BEGIN; SET LOCAL synchronous_commit = off", after: [] },
  // Not FOR UPDATE, which also blocks inserts that refer to the row. Their foreign keys lock it outside our lock order.
  forUpdate: "FOR NO KEY UPDATE",
  lockText: (expression) => `pg_advisory_xact_lock(hashtextextended(${expression}, 0))`,
  skipLocked: "FOR UPDATE SKIP LOCKED",
  sharing: "shared",
  indexedBy: () => "",
  among: ["= ANY(ARRAY(SELECT value FROM json_array_elements_text(", ")))"],
  writesInWith: true,
  placeholder: (position) => `$${position}`,
  typed: (parameter, type) => `${parameter}::${type}`,
}

/** The dialect of a client. */
export const dialectOf = (sql: SqlClient.SqlClient): Dialect =>
  sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite })
