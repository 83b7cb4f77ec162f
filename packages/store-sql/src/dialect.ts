/**
 * Everything in which the SQL of the two databases differs. All other statements read the same on both: ids are TEXT,
 * instants BIGINT milliseconds, flags SMALLINT 0 or 1, structures JSON in TEXT.
 */
import type { SqlClient } from "@effect/sql"

export interface Dialect {
  /** type of a column for ids: compared byte by byte, whatever the database's locale */
  readonly id: string
  /** follows a text column: compares it byte by byte, as an id is */
  readonly bytewise: string
  /** type of a column for bytes */
  readonly blob: string
  /** ends a CREATE TABLE whose small rows live in the index of their key, instead of beside it */
  readonly clustered: string
  /** begins a transaction that may write */
  readonly begin: string
  /**
   * around a transaction that takes a lease: a lease that a power failure undoes has ended, which is what leases do
   * then, so its commit need not wait for the disk
   */
  readonly lease: {
    readonly before: ReadonlyArray<string>
    readonly begin: string
    readonly after: ReadonlyArray<string>
  }
  /** ends a SELECT whose rows nobody else may change before the transaction ends */
  readonly forUpdate: string
  /** locks a text until the transaction ends; null where transactions run one at a time */
  readonly lockText: ((expression: string) => string) | null
  /** ends the SELECT of a claim: rows that another claim is taking are left to it */
  readonly skipLocked: string
  /** whether other processes work on the same database */
  readonly sharing: "alone" | "shared"
  /** follows a table's name: the index to use. SQLite keeps no statistics unless told to, and would guess. */
  readonly indexedBy: (index: string) => string
  /** follows a column: it is among the texts of a JSON array, the parameter that stands between the two parts */
  readonly among: readonly [before: string, after: string]
  /** whether a WITH clause may insert, update and delete, so that one statement writes several tables */
  readonly writesInWith: boolean
  /** the n-th parameter of a statement, from 1 */
  readonly placeholder: (position: number) => string
  /** a parameter whose type the statement around it does not tell */
  readonly typed: (parameter: string, type: "text" | "bigint") => string
}

/** One connection runs every transaction, so its rows need no locks; `IMMEDIATE` keeps other processes out. */
const sqlite: Dialect = {
  id: "TEXT",
  bytewise: "",
  blob: "BLOB",
  clustered: "WITHOUT ROWID",
  begin: "BEGIN IMMEDIATE",
  lease: {
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
  lease: { before: [], begin: "BEGIN; SET LOCAL synchronous_commit = off", after: [] },
  // Not FOR UPDATE: that one also keeps out the foreign keys of new rows, which take their locks in no order of ours.
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

/** The dialect a client speaks. */
export const dialectOf = (sql: SqlClient.SqlClient): Dialect =>
  sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite })
