/** The commands of docs/operations.md that back up and restore, as they are printed there. */
import { describe, expect, it } from "@effect/vitest"
import { temporaryFolder } from "@mailroom/test-services"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { isInstalled } from "./support/submitting.js"

const page = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")

/** The commands in a row of the table: the backup, then the restore. */
const commandsOf = (what: string): ReadonlyArray<string> => {
  const [row = ""] = new RegExp(`^\\| ${what} .*$`, "m").exec(page) ?? []
  return [...row.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command)
}

/** Runs a command in a folder, with the usual umask, by which everybody may read new files. */
const shell = (command: string, cwd: string, DATABASE_URL = "") =>
  spawnSync("sh", ["-c", `umask 022; ${command}`], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, DATABASE_URL },
  })

const FILE = join("data", "mailroom.db")
const BACKUP = "mailroom.backup"

const permissions = (path: string): number => statSync(path).mode & 0o777

/** A folder with the database of a service in it, which is open. */
const prepared = (statements: string) =>
  Effect.map(temporaryFolder, (folder) => {
    mkdirSync(join(folder, "data"))
    const database = new Database(join(folder, FILE))
    database.exec(statements)
    return { folder, database }
  })

const notes = (database: Database.Database): ReadonlyArray<unknown> =>
  database.prepare("SELECT note FROM notes ORDER BY note").pluck().all()

describe.skipIf(!isInstalled("sqlite3", "--version"))("SQLite (where sqlite3 is installed)", () => {
  const [backup = "", restore = ""] = commandsOf("SQLite")

  it.scoped("the backup replaces a database that a killed process left with its log", () =>
    Effect.gen(function* () {
      const [running, killed] = [yield* temporaryFolder, yield* temporaryFolder]
      mkdirSync(join(running, "data"))
      const database = new Database(join(running, FILE))
      database.pragma("journal_mode = WAL")
      database.exec("CREATE TABLE notes (note TEXT)")
      database.exec("INSERT INTO notes VALUES ('before')")
      expect(shell(backup, running).status).toBe(0)
      database.exec("INSERT INTO notes VALUES ('after')")
      // The files of an open database are those that a killed process leaves.
      cpSync(running, killed, { recursive: true })
      database.close()
      expect(shell(restore, killed)).toMatchObject({ status: 0, stderr: "" })
      const restored = new Database(join(killed, FILE))
      expect(notes(restored)).toEqual(["before"])
      restored.close()
    }),
  )

  it.scoped("the backup ends while the service commits", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "data"))
      const database = new Database(join(folder, FILE))
      database.pragma("journal_mode = WAL")
      database.pragma("synchronous = OFF")
      // More pages than `.backup` copies in a step, which are 100.
      database.exec("CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES (zeroblob(50000000))")
      const command = spawn("sh", ["-c", backup], { cwd: folder })
      yield* Effect.addFinalizer(() => Effect.sync(() => command.kill()))
      const ended = once(command, "exit")
      while (command.exitCode === null) {
        database.exec("INSERT INTO notes VALUES ('new')")
        yield* Effect.yieldNow()
      }
      expect(yield* Effect.promise(() => ended)).toEqual([0, null])
      database.close()
    }),
  )

  it.scoped("only the user of the service can read the backup and the restored database", () =>
    Effect.gen(function* () {
      const { folder, database } = yield* prepared("CREATE TABLE notes (note TEXT)")
      database.close()
      expect(shell(backup, folder).status).toBe(0)
      expect(permissions(join(folder, BACKUP))).toBe(0o600)
      rmSync(join(folder, FILE))
      expect(shell(restore, folder).status).toBe(0)
      expect(permissions(join(folder, FILE))).toBe(0o600)
    }),
  )

  it.scoped("a backup replaces no earlier one", () =>
    Effect.gen(function* () {
      const { folder, database } = yield* prepared(
        "CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('before')",
      )
      expect(shell(backup, folder).status).toBe(0)
      database.exec("INSERT INTO notes VALUES ('after')")
      database.close()
      expect(shell(backup, folder).status).not.toBe(0)
      const earlier = new Database(join(folder, BACKUP), { readonly: true })
      expect(notes(earlier)).toEqual(["before"])
      earlier.close()
    }),
  )

  it.scoped("without the backup nothing is changed", () =>
    Effect.gen(function* () {
      const { folder, database } = yield* prepared(
        "CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('kept')",
      )
      expect(shell(restore, folder).status).not.toBe(0)
      expect(notes(database)).toEqual(["kept"])
      database.close()
    }),
  )
})

it.scoped("the tools of Postgres get the address without the parameters of Mailroom", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const url = "postgres://me:secret@db:5432/mail"
    for (const command of commandsOf("Postgres").map((one) => one.replace(/ > .*/, ""))) {
      const [tool = ""] = command.split(" ")
      const { stdout } = shell(`${tool}() { printf '%s\\n' "$@"; }; ${command}`, folder, `${url}?pool=20`)
      expect(stdout.split("\n")).toContain(url)
    }
  }),
)
