/** The worker thread that checkpoints the write-ahead log, so that no commit has to. */
import { parentPort, workerData } from "node:worker_threads"
import { checkpointer, openLog } from "./checkpointer.js"

/**
 * Milliseconds between checkpoints. A page that changes several times meanwhile is copied once. A checkpoint without work costs
 * some microseconds.
 */
const INTERVAL = 1000

const log = openLog(String(workerData))
const timer = setInterval(checkpointer(log), INTERVAL)

parentPort?.once("message", () => {
  clearInterval(timer)
  log.close()
  parentPort?.close()
})
