/** Checkpoints of SQLite's write-ahead log (docs/decisions/0011). */
import { describe, expect, it } from "@effect/vitest"
import { temporaryFolder } from "@mailroom/test-services"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import { checkpointer, openLog } from "../src/sqlite/checkpointer.js"

/** Bytes that take more than 24,000 pages. */
const MUCH = 99_000_000

/** A database, and checkpoints of its log during each of which another connection writes a row. */
const busyDatabase = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "log.db")
  const closed = <A extends { readonly close: () => void }>(open: () => A) =>
    Effect.acquireRelease(Effect.sync(open), (opened) => Effect.sync(() => opened.close()))
  const writer = yield* closed(() => new Database(file))
  for (const pragma of ["journal_mode = WAL", "synchronous = OFF", "wal_autocheckpoint = 0"])
    writer.pragma(pragma)
  writer.exec("CREATE TABLE rows (content BLOB)")
  const insert = writer.prepare("INSERT INTO rows VALUES (zeroblob(?))")
  const write = (bytes: number) => void insert.run(bytes)

  const reader = yield* closed(() => new Database(file))
  const log = yield* closed(() => openLog(file))
  let restarts = 0
  const checkpoint = checkpointer({
    copy: () => {
      const copied = log.copy()
      write(1)
      return copied
    },
    restart: () => {
      restarts++
      log.restart()
    },
  })
  return {
    reader,
    write,
    checkpoint,
    pages: () => log.copy().log,
    restarts: () => restarts,
  }
})

describe("a checkpoint of SQLite's log", () => {
  it.scoped("copies a log of 100 MB, and has the next writer begin it again", () =>
    Effect.gen(function* () {
      const { checkpoint, write, pages, restarts } = yield* busyDatabase
      write(MUCH)
      checkpoint()
      expect(restarts()).toBe(1)
      write(1)
      expect(pages()).toBeLessThan(5)
    }),
  )

  it.scoped("keeps no writer waiting while a reader needs the pages of the log", () =>
    Effect.gen(function* () {
      const { reader, write, checkpoint, restarts } = yield* busyDatabase
      reader.exec("BEGIN")
      reader.prepare("SELECT count(*) FROM rows").get()
      write(MUCH)
      checkpoint()
      expect(restarts()).toBe(0)
      reader.exec("COMMIT")
      checkpoint()
      expect(restarts()).toBe(1)
    }),
  )

  it("keeps no writer waiting for a shorter log, or when nobody has written since the last one", () => {
    const restarts: Array<number> = []
    let log = 0
    const checkpoint = checkpointer({
      copy: () => ({ log, checkpointed: log }),
      restart: () => void restarts.push(log),
    })
    for (log of [23_999, 24_000, 24_000]) checkpoint()
    expect(restarts).toEqual([24_000])
  })

  it("that fails, as on a full disk, leaves the work to the next one", () => {
    let copies = 0
    const checkpoint = checkpointer({
      copy: () => {
        copies += 1
        if (copies === 1) throw new Error("database or disk is full")
        return { log: 1, checkpointed: 1 }
      },
      restart: () => undefined,
    })
    checkpoint()
    checkpoint()
    expect(copies).toBe(2)
  })
})
