/** Why a database cannot be used. */
import { Cause, Data } from "effect"
import { codeOf } from "./database/failures.js"

/** The database cannot be opened or created. `message` is one line: which database, why, and what to do. */
export class StoreUnusable extends Data.TaggedError("StoreUnusable")<{
  /** its file, or its address without the password */
  readonly database: string
  readonly message: string
  readonly cause: unknown
}> {}

type Verdict = readonly [why: string, remedy: string]

/** On a file. */
const verdictOnFile = (code: string | null): Verdict => {
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
      return ["another process uses it", "Stop that process; several share a Postgres database"]
    default:
      return [code ?? "unknown error", "See the cause"]
  }
}

/** On a server; codes of five characters are SQLSTATEs. */
const verdictOnServer = (code: string | null, error: unknown): Verdict => {
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
    case "28000":
      return ["it refuses the user or the password", "Correct them"]
    case "3D000":
      return ["the server has no such database", "Create it"]
    case "42501":
      return ["the user may not create tables in it", "GRANT CREATE ON SCHEMA public to that user"]
    case "53300":
      return ["the server has no connection left", "Raise its max_connections"]
    case "53100":
      return ["the server's disk is full", "Free some space"]
    default:
      return [code ?? (error instanceof Error ? error.message : "unknown error"), "See the cause"]
  }
}

const unusable = (database: string, another: string, [why, remedy]: Verdict, cause: unknown): StoreUnusable =>
  new StoreUnusable({
    database,
    message: `The database ${database} cannot be used: ${why}. ${remedy}, or set DATABASE_URL to another ${another}.`,
    cause,
  })

/** What is wrong with a database, wherever it is. */
export interface Problems {
  /** its opening ended with `cause` */
  readonly failedToOpen: (cause: Cause.Cause<unknown>) => StoreUnusable
  /** a later version of this program has changed it so that this one cannot use it */
  readonly newerSchema: (oldest: number, known: number) => StoreUnusable
  /** it holds the tables of another program */
  readonly foreign: StoreUnusable
  /** there is no database yet, or it has no tables */
  readonly empty: StoreUnusable
  /** this program's version has not brought it to its schema yet */
  readonly olderSchema: (version: number, known: number) => StoreUnusable
}

const problemsOf = (
  database: string,
  another: string,
  makeRoom: string,
  verdictOn: (code: string | null, error: unknown) => Verdict,
): Problems => ({
  failedToOpen: (cause) => {
    const error = Cause.squash(cause)
    return error instanceof StoreUnusable
      ? error
      : unusable(database, another, verdictOn(codeOf(error), error), error)
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
  problemsOf(filename, "file", "Move that file away", verdictOnFile)

/** `address` has no password in it. */
export const serverProblems = (address: string): Problems =>
  problemsOf(address, "one", "Create a database of its own", verdictOnServer)
