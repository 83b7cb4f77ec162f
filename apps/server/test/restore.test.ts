/** The commands of docs/operations.md that back up and restore, as they are printed there. */
import { describe, expect, it } from "@effect/vitest"
import { temporaryFolder } from "@mailroom/test-services"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isInstalled } from "./support/submitting.js"

const page = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")

/** The commands in a row of the table: the backup, then the restore. */
const commandsOf = (what: string): ReadonlyArray<string> => {
  const [row = ""] = new RegExp(`^\\| ${what} .*$`, "m").exec(page) ?? []
  return [...row.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command)
}

/** Runs a command in a folder. */
const shell = (command: string, cwd: string, DATABASE_URL = "") =>
  spawnSync("sh", ["-c", command], { cwd, encoding: "utf8", env: { ...process.env, DATABASE_URL } })

const FILE = join("data", "mailroom.db")

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

  it.scoped("without the backup nothing is changed", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "data"))
      const database = new Database(join(folder, FILE))
      database.exec("CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('kept')")
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
