/** The file of a SQLite database: creating it, and keeping a second process of the service away from it. */
import Database from "better-sqlite3"
import { Effect, type Scope } from "effect"
import { existsSync } from "node:fs"
import { mkdir, open, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf } from "../database/failures.js"

/** Only the user that runs the service may read mail. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** The path is a pipe, a socket or a device. Opening one may block forever. */
class NotAFile extends Error {
  readonly code = "NOT_A_FILE"
}

/** Not `mkdir` with `recursive`, which never returns on a file system without folders, such as `/proc` (Node 20). */
const createFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: FOLDER_MODE })
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT" && dirname(path) !== path) {
      await createFolder(dirname(path))
      await mkdir(path, { mode: FOLDER_MODE })
    } else if (code !== "EEXIST" || !(await stat(path)).isDirectory()) throw error
  }
}

const isOtherThanFile = async (path: string): Promise<boolean> => {
  try {
    const found = await stat(path)
    return !found.isFile() && !found.isDirectory()
  } catch {
    return false
  }
}

/** Whether the file exists. Fails for a pipe, a socket or a device. */
export const isThere = (filename: string): Effect.Effect<boolean, unknown> =>
  Effect.tryPromise({
    try: async () => {
      if (await isOtherThanFile(filename)) throw new NotAFile(`${filename} is not a file`)
      return existsSync(filename)
    },
    catch: (error) => error,
  })

/** Creates the folder and an empty file when absent. SQLite gives its log and shared-memory files the same mode. */
export const createFile = (filename: string): Effect.Effect<void, unknown> =>
  Effect.tryPromise({
    try: async () => {
      await createFolder(dirname(filename))
      if (await isOtherThanFile(filename)) throw new NotAFile(`${filename} is not a file`)
      await (await open(filename, "a", FILE_MODE)).close()
    },
    catch: (error) => error,
  })

/** Milliseconds to wait for a process that is about to end. */
const LOCK_TIMEOUT = 1000

/**
 * Locks `{filename}.lock` until the scope closes. Fails with SQLITE_BUSY while another process of the service holds it.
 * The lock is an exclusive SQLite lock on an empty database, so the operating system releases it even when the process is
 * killed. The database itself is not locked: backups, and commands beside the service, can open it.
 */
export const holdFile = (filename: string): Effect.Effect<void, unknown, Scope.Scope> => {
  const path = `${filename}.lock`
  const open = Effect.try({
    try: () => {
      const lock = new Database(path, { timeout: LOCK_TIMEOUT })
      try {
        lock.exec("BEGIN EXCLUSIVE")
      } catch (error) {
        lock.close()
        throw error
      }
      return lock
    },
    catch: (error) => error,
  })
  return Effect.acquireRelease(Effect.zipRight(createFile(path), open), (lock) =>
    Effect.sync(() => lock.close()),
  ).pipe(Effect.asVoid)
}
