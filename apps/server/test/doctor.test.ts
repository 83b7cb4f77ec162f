/** The command `doctor` finds and corrects wrong counts beside a running service (docs/decisions/0048). */
import { describe, expect, it } from "@effect/vitest"
import { deliver, lookInto, plainMail, temporaryFolder } from "@mailroom/test-services"
import { Effect } from "effect"
import { access, readdir } from "node:fs/promises"
import { join } from "node:path"
import { signUp } from "./support/account.js"
import { change, rows } from "./support/database.js"
import { manyProcesses } from "./support/manyProcesses.js"
import { arrived } from "./support/messages.js"
import { spawnServer, type Variables } from "./support/process.js"
import { freshServer } from "./support/server.js"

/** Runs the command in the folder of a service, with the service's variables. */
const examine = (folder: string, variables: Variables = {}) =>
  Effect.scoped(Effect.flatMap(spawnServer(folder, variables, ["doctor"]), ({ ended }) => ended))

const DRIFT = ["UPDATE threads SET message_count = 5", "UPDATE accounts SET storage_used_bytes = 7"]

describe("doctor, beside a running service", () => {
  it.scopedLive("on SQLite: names each count that is wrong, corrects it, and disturbs nothing", () =>
    Effect.gen(function* () {
      const server = yield* freshServer()
      const account = yield* signUp(server, "sick")
      yield* deliver(server.smtpPort, account.address, plainMail("one"))
      yield* arrived(account, 1)
      expect(yield* examine(server.folder)).toMatchObject({ code: 0, stderr: "" })

      yield* change(server.folder, ...DRIFT)
      const [thread] = yield* rows(server.folder, "SELECT id, account_id AS owner FROM threads")
      const [threadId, accountId] = [String(thread?.["id"]), String(thread?.["owner"])]
      const { code, stdout, stderr } = yield* examine(server.folder)
      expect(stdout.split("\n")).toEqual([
        "Counts, compared with the rows they count (a count that is wrong is corrected)",
        `  thread-messages: thread ${threadId} of account ${accountId}: was 5, is 1 now`,
        "  thread-messages: 1 compared, 1 wrong",
        "  thread-activity: 1 compared, 0 wrong",
        "  attachment-message: 0 compared, 0 wrong",
        "  mailbox-gated: 1 compared, 0 wrong",
        "  account-gated: 1 compared, 0 wrong",
        `  account-storage: account ${accountId}: was 7, is 0 now`,
        "  account-storage: 1 compared, 1 wrong",
        "  account-lists: 1 compared, 0 wrong",
        "  account-events: 1 compared, 0 wrong",
        "  webhook-due: 0 compared, 0 wrong",
        "Not everything was in order: see above.",
        "",
      ])
      expect({ code, stderr }).toEqual({ code: 1, stderr: "" })

      const again = yield* examine(server.folder)
      expect(again.code).toBe(0)
      expect(again.stdout).toMatch(/\nNothing is wrong\.\n$/)
      yield* deliver(server.smtpPort, account.address, plainMail("two"))
      yield* arrived(account, 2)
    }),
  )

  it.scopedLive("on Postgres: names the row, corrects the count, and is no process of the service", () =>
    Effect.gen(function* () {
      const { start, databaseUrl, folder, variables } = yield* manyProcesses()
      const server = yield* start()
      const account = yield* signUp(server, "sick")
      yield* deliver(server.smtpPort, account.address, plainMail("one"))
      yield* arrived(account, 1)
      const look = yield* lookInto(databaseUrl)
      yield* Effect.forEach(DRIFT, (statement) => look(statement))
      const [thread] = yield* look("SELECT id FROM threads")
      const processes = yield* look("SELECT id FROM processes")

      const { code, stdout } = yield* examine(folder, variables)
      expect(code).toBe(1)
      expect(stdout).toMatch(`thread-messages: thread ${String(thread?.["id"])} of account`)
      expect(yield* look("SELECT message_count, storage_used_bytes FROM threads, accounts")).toEqual([
        { message_count: "1", storage_used_bytes: "0" },
      ])
      expect(yield* look("SELECT id FROM processes")).toEqual(processes)
      expect(yield* examine(folder, variables)).toMatchObject({ code: 0, stderr: "" })
    }),
  )
})

describe("doctor, where it cannot look", () => {
  it.scopedLive("says in one line what is wrong with the configuration, with code 1", () =>
    Effect.gen(function* () {
      const { code, stdout, stderr } = yield* examine(yield* temporaryFolder, { LOG_LEVEL: "chatty" })
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toMatch(/^Mailroom cannot be checked\. LOG_LEVEL is "chatty"[^\n]+\n$/)
    }),
  )

  const unusable: Readonly<Record<string, readonly [Variables, RegExp]>> = {
    "a database that no service has used": [{}, /no service has used it yet\. Start the service first/],
    "a database in the memory of the service": [
      { DATABASE_URL: "sqlite::memory:" },
      /in the memory of the service/,
    ],
    "a Postgres that is not there": [
      { DATABASE_URL: "postgres://me:hunter2@127.0.0.1:1/mail", SECRET_KEY: "k".repeat(32) },
      /postgres:\/\/127\.0\.0\.1:1\/mail cannot be used: nothing listens there/,
    ],
  }
  for (const [what, [variables, said]] of Object.entries(unusable))
    it.scopedLive(`says so in one line for ${what}, with code 1, and creates nothing`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const { code, stderr } = yield* examine(folder, variables)
        expect(code).toBe(1)
        expect(stderr).toMatch(/^This cannot be checked\. [^\n]+\n$/)
        expect(stderr).toMatch(said)
        expect(stderr).not.toContain("hunter2")
        expect(yield* Effect.promise(() => readdir(folder))).toEqual([])
      }),
    )
})

describe("a command that there is not", () => {
  it.scopedLive("is refused in one line that names the commands, with code 1", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { ended } = yield* spawnServer(folder, {}, ["docter"])
      const { code, stderr } = yield* ended
      expect(code).toBe(1)
      expect(stderr).toMatch(
        /^Mailroom cannot start\. There is no command docter[^\n]+start[^\n]+doctor\.\n$/,
      )
      const created = yield* Effect.promise(() =>
        access(join(folder, "data")).then(
          () => true,
          () => false,
        ),
      )
      expect(created).toBe(false)
    }),
  )
})
