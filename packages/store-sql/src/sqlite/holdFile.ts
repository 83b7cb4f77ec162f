/** Keeps a second process of the service from the same SQLite file. */
import Database from "better-sqlite3"
import { Effect, type Scope } from "effect"
import { createFile } from "./createFile.js"

/** Milliseconds to wait for a process that is about to end. */
const WAIT = 1000

/**
 * Holds `{filename}.lock` until the scope closes. Fails with SQLITE_BUSY while another process of the service holds it. The
 * lock is one of SQLite's own on an empty database, so the operating system frees it when the process dies, however it
 * dies. The database itself stays open to backups, and to commands beside the service.
 */
export const holdFile = (filename: string): Effect.Effect<void, unknown, Scope.Scope> => {
  const path = `${filename}.lock`
  const open = Effect.try({
    try: () => {
      const lock = new Database(path, { timeout: WAIT })
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
