/** Checkpoints of SQLite's write-ahead log: its pages are copied into the database, and a long log begins again. */
import Database from "better-sqlite3"

/**
 * Pages of 4 kB after which the log begins again, 100 MB: before commits checkpoint (`wal_autocheckpoint`), which keeps the
 * event loop for 100 ms and more.
 */
const LONG_LOG_PAGES = 24_000

/** Milliseconds that writers, and then readers, are waited for before the log begins again. */
const BUSY_TIMEOUT = 50

/** `log`: pages in the log; `checkpointed`: those of them that are in the database. */
interface Copied {
  readonly log: number
  readonly checkpointed: number
}

export interface WriteAheadLog {
  /** Copies what it can while others write. */
  readonly copy: () => Copied
  /** Keeps writers out, copies the rest, and has the next writer begin the log again. */
  readonly restart: () => void
}

/** A function that checkpoints; called again and again. */
export const checkpointer = ({ copy, restart }: WriteAheadLog): (() => void) => {
  let pagesBefore = 0
  const checkpoint = () => {
    const { log: pages } = copy()
    // Without new pages nobody writes, and the next writer begins the log again by itself.
    const isGrowing = pages !== pagesBefore
    pagesBefore = pages
    if (pages < LONG_LOG_PAGES || !isGrowing) return
    // What was written during the first copy, so that writers are kept out for some milliseconds only.
    const { log, checkpointed } = copy()
    // A reader that needs old pages, such as a backup, would be waited for in vain.
    if (checkpointed === log) restart()
  }
  return () => {
    try {
      checkpoint()
    } catch {
      // As on a full disk: commits report it, and the next checkpoint may succeed.
    }
  }
}

/** The log of a database file. */
export const openLog = (filename: string): WriteAheadLog & { readonly close: () => void } => {
  const database = new Database(filename, { fileMustExist: true, timeout: BUSY_TIMEOUT })
  const passive = database.prepare<[], Copied>("PRAGMA wal_checkpoint(PASSIVE)")
  const restarting = database.prepare("PRAGMA wal_checkpoint(RESTART)")
  return {
    copy: () => passive.get() ?? { log: 0, checkpointed: 0 },
    restart: () => restarting.get(),
    close: () => database.close(),
  }
}
