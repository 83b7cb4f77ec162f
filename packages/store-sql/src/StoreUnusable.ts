/** The error of a database that cannot be opened, and its message for the operator. */
import { Cause, Data } from "effect"
import { codeOf, reasonOf } from "./database/failures.js"

/** The database cannot be opened or created. `message` is one line that says which database, why, and what to do. */
export class StoreUnusable extends Data.TaggedError("StoreUnusable")<{
  /** the file name, or the address without user and password */
  readonly database: string
  readonly message: string
  readonly cause: unknown
}> {}

type Diagnosis = readonly [why: string, remedy: string]

/** Diagnosis of an error that has none of its own. */
const otherwise = (code: string | null, error: unknown): Diagnosis => {
  const text = reasonOf(error)
  return [code === null || text.includes(code) ? text : `${text} (${code})`, "Correct that"]
}

/** Diagnosis of a SQLite result code or system error code. */
const diagnoseFile = (code: string | null, error: unknown): Diagnosis => {
  switch (code?.replace(/^(SQLITE_[A-Z]+)_.*$/, "$1")) {
    case "EACCES":
    case "EPERM":
    case "SQLITE_READONLY":
    case "SQLITE_PERM":
      return ["permission denied", "Give the user that runs the service write access to it and its folder"]
    case "EROFS":
      return ["its file system is read-only", "Mount it for writing"]
    case "ENOSPC":
    case "EDQUOT":
    case "SQLITE_FULL":
      return ["there is no space left", "Free some space"]
    case "EEXIST":
    case "ENOTDIR":
      return ["a file stands where its folder should be", "Move that file away"]
    case "ENOENT":
      return ["no file can be created there", "Name a file that the service can write to"]
    case "NOT_A_FILE":
      return ["it is a pipe, a socket or a device", "Name a file that the service can write to"]
    case "EISDIR":
      return ["it is a folder", "Name a file in it"]
    case "SQLITE_CANTOPEN":
      return ["it cannot be opened", "Name a file that the service can write to"]
    case "SQLITE_NOTADB":
      return ["it is not a SQLite database", "Move that file away"]
    case "SQLITE_CORRUPT":
      return ["it is damaged", "Restore a backup"]
    case "SQLITE_BUSY":
    case "SQLITE_LOCKED":
      return ["another process uses it, and only Postgres is for several", "Stop that process"]
    default:
      return otherwise(code, error)
  }
}

/** Diagnosis of a system error code, or of a SQLSTATE (five characters). */
const diagnoseServer = (code: string | null, error: unknown): Diagnosis => {
  switch (code) {
    case "ECONNREFUSED":
      return ["nothing listens there", "Start Postgres"]
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return ["there is no such host", "Correct the host"]
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return ["the host does not answer", "Correct the host and the port"]
    case "28P01":
      return ["it refuses the user or the password", "Correct them"]
    case "28000":
      return ["it refuses the user, or a connection without TLS", "Correct the user, or add ?sslmode=require"]
    case "3D000":
      return ["the server has no such database", "Create it"]
    case "42501":
      return ["the user may not create tables in it", "GRANT CREATE ON SCHEMA public to that user"]
    case "53300":
      return ["the server has no connection left", "Raise its max_connections"]
    case "08P01":
      return [
        "it refuses the settings of the connection",
        "If it is a PgBouncer, set its ignore_startup_parameters (docs/operations.md, Postgres)",
      ]
    case "53100":
      return ["the server's disk is full", "Free some space"]
    default:
      return otherwise(code, error)
  }
}

const unusable = (
  database: string,
  another: string,
  [why, remedy]: Diagnosis,
  cause: unknown,
): StoreUnusable =>
  new StoreUnusable({
    database,
    message: `The database ${database} cannot be used: ${why}. ${remedy}, or use another ${another}.`,
    cause,
  })

/** The errors of one database. */
export interface Problems {
  /** Opening the database failed with `cause`. */
  readonly failedToOpen: (cause: Cause.Cause<unknown>) => StoreUnusable
  /** A newer version of this program has changed the schema so that this version cannot use it. */
  readonly newerSchema: (oldest: number, known: number) => StoreUnusable
  /** The database holds the tables of another program. */
  readonly foreign: StoreUnusable
  /** There is no database yet, or it has no tables. */
  readonly empty: StoreUnusable
  /** No service of this version has migrated the database yet. */
  readonly olderSchema: (version: number, known: number) => StoreUnusable
}

const problemsOf = (
  database: string,
  another: string,
  makeRoom: string,
  diagnose: (code: string | null, error: unknown) => Diagnosis,
): Problems => ({
  failedToOpen: (cause) => {
    const error = Cause.squash(cause)
    return error instanceof StoreUnusable
      ? error
      : unusable(database, another, diagnose(codeOf(error), error), error)
  },
  newerSchema: (oldest, known) =>
    unusable(
      database,
      another,
      [
        `its schema needs a program that knows version ${oldest}, and this one knows ${known}`,
        "Start the newer version that wrote it",
      ],
      null,
    ),
  foreign: unusable(database, another, ["it holds the tables of another program", makeRoom], null),
  empty: unusable(database, another, ["no service has used it yet", "Start the service first"], null),
  olderSchema: (version, known) =>
    unusable(
      database,
      another,
      [
        `its schema has version ${version}, and this program needs ${known}`,
        "Start the service in this version",
      ],
      null,
    ),
})

export const fileProblems = (filename: string): Problems =>
  problemsOf(filename, "file", "Move that file away", diagnoseFile)

/** `address` contains no password. */
export const serverProblems = (address: string): Problems =>
  problemsOf(address, "one", "Create a database of its own", diagnoseServer)
