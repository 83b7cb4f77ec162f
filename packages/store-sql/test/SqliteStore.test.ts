/** Opening a SQLite file, and failures of the disk. */
import { describe, expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import {
  AccountStore,
  DomainStore,
  IdempotencyStore,
  RawMailStore,
  storageFailureIn,
  Transactions,
} from "@mailroom/engine"
import { SqliteStore } from "@mailroom/store-sql"
import { temporaryFolder } from "@mailroom/test-services"
import { Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import { execFile } from "node:child_process"
import { mkdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { sqliteAt } from "./support/databases.js"
import { aDomain, anAccount, aRawMail, newId, NOON } from "./support/records.js"

/** Runs `use` with the stores of a file, and closes the file afterwards. */
const withStores = <A, E>(
  filename: string,
  use: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof sqliteAt>>>,
) => Effect.provide(use, sqliteAt(filename))

const insert = (account: ReturnType<typeof anAccount>) =>
  Effect.flatMap(AccountStore, (store) => store.insert(account))

const openingError = (filename: string) =>
  Effect.flip(Effect.scoped(Layer.build(SqliteStore.layer({ filename }))))

const reasonOf = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.causeOption(exit).pipe(
    Option.flatMap(storageFailureIn),
    Option.map(({ reason }) => reason),
  )

describe("a database file", () => {
  it.scoped("is created with its folders, readable by its user only, and keeps its rows", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "a", "b", "mailroom.db")
      const account = anAccount()
      yield* withStores(filename, insert(account))
      const mode = (path: string) =>
        Effect.map(
          Effect.promise(() => stat(path)),
          (found) => found.mode & 0o777,
        )
      expect(yield* mode(filename)).toBe(0o600)
      expect(yield* mode(join(filename, ".."))).toBe(0o700)
      const found = yield* withStores(
        filename,
        Effect.flatMap(AccountStore, (store) => store.byId(account.id)),
      )
      expect(found).toEqual(Option.some(account))
    }),
  )

  it.scoped("is migrated once, however often it is opened", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      const migrations = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`SELECT * FROM schema_migrations ORDER BY migration_id`,
      )
      const before = yield* withStores(filename, migrations)
      expect(before.length).toBeGreaterThan(0)
      expect(yield* withStores(filename, migrations)).toEqual(before)
    }),
  )

  it.scoped("has no lease of the previous process", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      const slot = { accountId: anAccount().id, id: newId() }
      const terms = { fingerprint: "body", expiresAt: NOON + 1000, now: NOON }
      const claim = Effect.flatMap(IdempotencyStore, (store) =>
        store.claim({ ...slot, leaseUntil: NOON + 100 }, terms),
      )
      expect(yield* withStores(filename, Effect.all([claim, claim]))).toEqual([true, false])
      expect(yield* withStores(filename, claim)).toBe(true)

      const account = anAccount()
      const domain = aDomain(account.id, { nextCheckAt: NOON })
      yield* withStores(
        filename,
        Effect.zipRight(
          insert(account),
          Effect.flatMap(DomainStore, (store) => store.insert(domain)),
        ),
      )
      const lease = Effect.flatMap(DomainStore, (store) => store.claim(10, NOON, NOON + 100, []))
      expect(yield* withStores(filename, Effect.all([lease, lease]))).toEqual([[domain], []])
      expect(yield* withStores(filename, lease)).toEqual([domain])
    }),
  )

  it.scoped("is synced at every commit, and checks references", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [journal] = yield* sql`PRAGMA journal_mode`
      const [synchronous] = yield* sql`PRAGMA synchronous`
      const [references] = yield* sql`PRAGMA foreign_keys`
      expect([journal, synchronous, references]).toEqual([
        { journal_mode: "wal" },
        { synchronous: 2 },
        { foreign_keys: 1 },
      ])
    }).pipe(
      Effect.provide(
        Layer.unwrapScoped(Effect.map(temporaryFolder, (folder) => sqliteAt(join(folder, "mailroom.db")))),
      ),
    ),
  )
})

/** The stores of a command that opens the file beside the service. */
const beside = (filename: string) => Effect.scoped(Layer.build(SqliteStore.besideService({ filename })))

describe("a command beside the service", () => {
  it.scoped("reads and writes the same rows, and frees no lease", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      const service = yield* Layer.build(sqliteAt(filename))
      const account = anAccount()
      const domain = aDomain(account.id, { nextCheckAt: NOON })
      const lease = Effect.flatMap(DomainStore, (store) => store.claim(10, NOON, NOON + 100, []))
      const insertDomain = Effect.flatMap(DomainStore, (store) => store.insert(domain))
      const claimed = yield* Effect.provide(
        Effect.zipRight(insert(account), Effect.zipRight(insertDomain, lease)),
        service,
      )
      expect(claimed).toEqual([domain])
      const command = yield* Layer.build(SqliteStore.besideService({ filename }))
      yield* Effect.provide(
        Effect.flatMap(AccountStore, (store) => store.save({ ...account, name: "changed" })),
        command,
      )
      const byId = Effect.flatMap(AccountStore, (store) => store.byId(account.id))
      expect(yield* Effect.provide(byId, service)).toMatchObject({ value: { name: "changed" } })
      expect(yield* Effect.provide(lease, service)).toEqual([])
    }),
  )

  it.scoped("is refused when there is no database, and creates no file", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      expect((yield* Effect.flip(beside(filename))).message).toContain("no service has used it yet")
      expect(yield* Effect.either(Effect.tryPromise(() => stat(filename)))).toMatchObject({ _tag: "Left" })
      yield* Effect.promise(() => writeFile(filename, ""))
      expect((yield* Effect.flip(beside(filename))).message).toContain("no service has used it yet")
    }),
  )

  it.scoped("is refused on an older schema, which stays unchanged", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      const newest = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`DELETE FROM schema_migrations WHERE migration_id > 15`,
      )
      yield* withStores(filename, newest)
      expect((yield* Effect.flip(beside(filename))).message).toMatch(
        /its schema has version 15, and this program needs \d+\. Start the service in this version/,
      )
    }),
  )
})

/** Opens and closes a store in a process of its own, which prints a line afterwards. */
const openAndClose = (filename: string) =>
  `import { SqliteStore } from "@mailroom/store-sql"
   import { Effect, Layer } from "effect"
   await Effect.runPromise(Effect.scoped(Layer.build(SqliteStore.layer({ filename: ${JSON.stringify(filename)} }))))
   process.stdout.write("closed")`

describe("closing", () => {
  it.scoped("completes in a process that does nothing else", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      const said = yield* Effect.async<string>((resume) => {
        const args = ["--input-type=module", "--eval", openAndClose(filename)]
        execFile(process.execPath, args, (_, stdout) => resume(Effect.succeed(stdout)))
      })
      expect(said).toBe("closed")
    }),
  )
})

describe("a database that cannot be used fails with one line that names it and says what to do", () => {
  it.scoped("while another process of the service uses it", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      const why = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(SqliteStore.layer({ filename }))
          yield* Layer.build(SqliteStore.besideService({ filename }))
          return yield* openingError(filename)
        }),
      )
      expect(why.message).toBe(
        `The database ${filename} cannot be used: another process uses it, and only Postgres is for several. Stop that process, or use another file.`,
      )
      yield* Effect.scoped(Layer.build(SqliteStore.layer({ filename })))
    }),
  )

  it.scoped("when a file stands where its folder should be", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.promise(() => writeFile(join(folder, "data"), "a file"))
      const filename = join(folder, "data", "mailroom.db")
      expect(yield* openingError(filename)).toMatchObject({
        _tag: "StoreUnusable",
        database: filename,
        message: `The database ${filename} cannot be used: a file stands where its folder should be. Move that file away, or use another file.`,
      })
    }),
  )

  it.scoped("when it is a folder", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      yield* Effect.promise(() => mkdir(filename))
      expect((yield* openingError(filename)).message).toContain("it is a folder")
    }),
  )

  it.scoped("when it is not a database", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      yield* Effect.promise(() => writeFile(filename, "Dear Sir or Madam, ".repeat(100)))
      expect((yield* openingError(filename)).message).toContain("it is not a SQLite database")
    }),
  )

  it.scoped("when it holds another program's tables, which stay unchanged", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      yield* withStores(
        filename,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`ALTER TABLE schema_migrations RENAME TO recipes`),
      )
      expect((yield* openingError(filename)).message).toContain("it holds the tables of another program")
    }),
  )

  it.scoped("when a newer version has made it incompatible with this one", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      const later = (oldest: number) =>
        withStores(
          filename,
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            Effect.all([
              sql`INSERT INTO schema_migrations (migration_id, name) VALUES (${oldest}, 'later')`,
              sql`UPDATE schema_compatibility SET oldest = ${oldest}`,
            ]),
          ),
        )
      yield* later(9999)
      expect((yield* openingError(filename)).message).toMatch(
        /its schema needs a program that knows version 9999, and this one knows \d+/,
      )
    }),
  )

  it.scoped("but not when a newer version has left it compatible with this one", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      const account = anAccount()
      yield* withStores(
        filename,
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`INSERT INTO schema_migrations (migration_id, name) VALUES (9999, 'later')`,
        ),
      )
      yield* withStores(filename, insert(account))
    }),
  )
})

describe("a failing store", () => {
  const pause = Effect.zipRight(Effect.yieldNow(), Effect.yieldNow())
  const database = Layer.unwrapScoped(
    Effect.map(temporaryFolder, (folder) => sqliteAt(join(folder, "mailroom.db"))),
  )

  it.scoped("reports a full disk, rolls back, still reads, and recovers by itself", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { run } = yield* Transactions
      const raws = yield* RawMailStore
      // Less than the file has already, so SQLite takes its current size.
      yield* sql`PRAGMA max_page_count = 1`
      const account = anAccount()
      const large = Array.from({ length: 64 }, () =>
        aRawMail({ content: { kind: "inline", bytes: new Uint8Array(4096) } }),
      )
      const both = run(Effect.zipRight(insert(account), raws.insert(large)))
      expect(reasonOf(yield* Effect.exit(both))).toEqual(Option.some("full"))
      expect(yield* Effect.flatMap(AccountStore, (store) => store.byId(account.id))).toEqual(Option.none())
      expect(yield* raws.backlog(10)).toBe(0)
      yield* sql`PRAGMA max_page_count = 1000000`
      yield* both
      expect(yield* Effect.flatMap(AccountStore, (store) => store.byId(account.id))).toEqual(
        Option.some(account),
      )
    }).pipe(Effect.provide(database)),
  )

  it.scoped("leaves no transaction open after a failed commit", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { run } = yield* Transactions
      const lost = anAccount()
      const failed = yield* Effect.exit(
        run(
          Effect.gen(function* () {
            yield* sql`PRAGMA defer_foreign_keys = ON`
            yield* insert(lost)
            yield* sql`INSERT INTO sessions (hash, account_id, expires_at) VALUES (${newId()}, 'nobody', ${NOON})`
          }),
        ),
      )
      expect(reasonOf(failed)).toEqual(Option.some("unexpected"))
      const kept = anAccount()
      yield* run(insert(kept))
      const store = yield* AccountStore
      expect(yield* store.byId(lost.id)).toEqual(Option.none())
      expect(yield* store.byId(kept.id)).toEqual(Option.some(kept))
    }).pipe(Effect.provide(database)),
  )

  it.scoped("runs no statement inside a transaction of another fiber, wherever fibers yield", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rounds = Array.from({ length: 30 }, (_, n) => n)
      const use = (counter: string) =>
        sql`INSERT INTO rate_limits (counter, window_start, uses) VALUES (${counter}, ${NOON}, 1)`
      const alone = Effect.forEach(rounds, () => Effect.suspend(() => use(`alone ${newId()}`)))
      const refused = Effect.forEach(rounds, () =>
        sql
          .withTransaction(use("refused").pipe(Effect.zipRight(pause), Effect.zipRight(Effect.fail("no"))))
          .pipe(Effect.ignore, Effect.zipRight(pause)),
      )
      const widths = [14, 23, 31, 35, 36, 37, 38, 40]
      for (const steps of widths)
        yield* Effect.all([alone, refused, alone, refused, alone, refused, alone], {
          concurrency: "unbounded",
        }).pipe(Effect.withMaxOpsBeforeYield(steps))
      const kept = yield* sql`SELECT counter FROM rate_limits`
      expect(kept).toHaveLength(widths.length * 4 * rounds.length)
    }).pipe(Effect.provide(database)),
  )

  it.scoped("reports that it is unavailable while another process holds the file", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporaryFolder, "mailroom.db")
      const waiter = yield* Layer.build(sqliteAt(filename))
      const holder = yield* Layer.build(SqliteStore.besideService({ filename }))
      const sql = yield* Effect.provide(SqlClient.SqlClient, waiter)
      yield* sql`PRAGMA busy_timeout = 1`
      const { run } = yield* Effect.provide(Transactions, holder)
      const { insert } = yield* Effect.provide(RawMailStore, waiter)
      const [taken, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holding = yield* Effect.fork(
        run(Effect.zipRight(Deferred.succeed(taken, undefined), Deferred.await(free))),
      )
      yield* Deferred.await(taken)
      expect(reasonOf(yield* Effect.exit(insert([aRawMail()])))).toEqual(Option.some("unavailable"))
      yield* Deferred.succeed(free, undefined)
      yield* Fiber.join(holding)
      yield* insert([aRawMail()])
    }),
  )

  it.scoped("reports a bug of ours as unexpected", () =>
    Effect.gen(function* () {
      const raws = yield* RawMailStore
      const mail = aRawMail()
      yield* raws.insert([mail])
      expect(reasonOf(yield* Effect.exit(raws.insert([mail])))).toEqual(Option.some("unexpected"))
    }).pipe(Effect.provide(database)),
  )
})
