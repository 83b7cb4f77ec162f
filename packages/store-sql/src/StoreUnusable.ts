/** Why a database cannot be used. */
import { Cause, Data } from "effect"
import { codeOf } from "./database/failures.js"

/** The database cannot be opened or created. `message` is one line: which file, why, and what to do. */
export class StoreUnusable extends Data.TaggedError("StoreUnusable")<{
  readonly filename: string
  readonly message: string
  readonly cause: unknown
}> {}

type Verdict = readonly [why: string, remedy: string]

const verdictOn = (code: string | null): Verdict => {
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
      return ["another process holds it", "Stop that process"]
    default:
      return [code ?? "unknown error", "See the cause"]
  }
}

const unusable = (filename: string, [why, remedy]: Verdict, cause: unknown): StoreUnusable =>
  new StoreUnusable({
    filename,
    message: `The database ${filename} cannot be used: ${why}. ${remedy}, or set DATABASE_URL to another file.`,
    cause,
  })

/** The error for a database whose opening ended with `cause`. */
export const failedToOpen = (filename: string, cause: Cause.Cause<unknown>): StoreUnusable => {
  const error = Cause.squash(cause)
  return error instanceof StoreUnusable ? error : unusable(filename, verdictOn(codeOf(error)), error)
}

/** The error for a database that a later version of this program has changed. */
export const newerSchema = (filename: string, found: number, known: number): StoreUnusable =>
  unusable(
    filename,
    [
      `its schema is version ${found} and this program knows ${known}`,
      "Start the newer version that wrote it",
    ],
    null,
  )

/** The error for a database that somebody else keeps their tables in. */
export const foreignDatabase = (filename: string): StoreUnusable =>
  unusable(filename, ["it holds the tables of another program", "Move that file away"], null)
