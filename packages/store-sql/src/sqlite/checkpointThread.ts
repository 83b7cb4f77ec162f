/** The worker thread that checkpoints the write-ahead log, so that no commit has to. */
import Database from "better-sqlite3"
import { parentPort, workerData } from "node:worker_threads"

/** Milliseconds between checkpoints. One without work costs some microseconds. */
const INTERVAL = 250

const database = new Database(String(workerData), { fileMustExist: true })
const timer = setInterval(() => database.pragma("wal_checkpoint(PASSIVE)"), INTERVAL)

parentPort?.once("message", () => {
  clearInterval(timer)
  database.close()
  parentPort?.close()
})
