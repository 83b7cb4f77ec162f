/** The thread that folds the write-ahead log back into the database, so that no commit has to. */
import Database from "better-sqlite3"
import { parentPort, workerData } from "node:worker_threads"

/** Milliseconds between two looks; one that finds nothing to do costs some microseconds. */
const EVERY = 250

const database = new Database(String(workerData), { fileMustExist: true })
const timer = setInterval(() => database.pragma("wal_checkpoint(PASSIVE)"), EVERY)

parentPort?.once("message", () => {
  clearInterval(timer)
  database.close()
  parentPort?.close()
})
