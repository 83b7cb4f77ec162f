/** Several processes on one Postgres database: migrations, leases of dead processes, outages and signals. */
import { describe, expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import {
  AccountStore,
  AttachmentStore,
  ConsumerStore,
  JobStore,
  MailboxStore,
  MessageStore,
  RawMailStore,
  Signals,
  StreamSlots,
  storageFailureIn,
  Transactions,
} from "@mailroom/engine"
import { SqlStore } from "@mailroom/store-sql"
import * as PostgresStore from "@mailroom/store-sql/postgres"
import { tcpProxyTo, freshDatabase, eventually } from "@mailroom/test-services"
import {
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Metric,
  MetricState,
  Option,
  Redacted,
} from "effect"
import { postgresAt } from "./support/databases.js"
import {
  aMailbox,
  aMessage,
  anAccount,
  anAttachment,
  aQueueEntry,
  aRawMail,
  newId,
  NOON,
} from "./support/records.js"

const openingError = (url: string) =>
  Effect.flip(Effect.scoped(Layer.build(PostgresStore.layer({ url: Redacted.make(url), maxConnections: 2 }))))

/** The stores of one process, open until the scope closes. */
const processOn = (url: string) => Effect.orDie(Layer.build(postgresAt(url)))
type Process = Effect.Effect.Success<ReturnType<typeof processOn>>

const reasonOf = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.causeOption(exit).pipe(
    Option.flatMap(storageFailureIn),
    Option.map(({ reason }) => reason),
    Option.getOrNull,
  )

/** A database behind a TCP proxy: its own address, and the address of the proxy. */
const behindProxy = Effect.gen(function* () {
  const url = new URL(yield* freshDatabase())
  const proxy = yield* tcpProxyTo(url.hostname, Number(url.port))
  const through = new URL(url)
  through.port = String(proxy.port)
  return { url: url.href, through: through.href, proxy }
})

/** How often a listen connection was opened again in this test run. */
const reconnects = Effect.map(Metric.snapshot, (pairs) =>
  pairs.reduce(
    (sum, { metricKey, metricState }) =>
      metricKey.name === "mailroom_listen_reconnects_total" && MetricState.isCounterState(metricState)
        ? sum + Number(metricState.count)
        : sum,
    0,
  ),
)

const insertAccount = (process: Process) =>
  Effect.gen(function* () {
    const account = anAccount()
    yield* Context.get(process, AccountStore).insert(account)
    return account
  })

/** A database whose schema is that of an older version, and a process that uses it. */
const olderDatabase = Effect.gen(function* () {
  const url = yield* freshDatabase()
  const sql = Context.get(yield* processOn(url), SqlClient.SqlClient)
  yield* sql`DELETE FROM schema_migrations WHERE migration_id > 40`
  yield* sql`ALTER TABLE accounts DROP COLUMN event_at`
  yield* sql`DROP TABLE billing_modes`
  return { sql, url }
})

/** Returns when a migration has waited for the locks of its tables for as long as this. */
const migrationWaits = (sql: SqlClient.SqlClient, time: string) =>
  eventually(
    "a migration that waits for its tables",
    sql`SELECT 1 FROM pg_stat_activity
      WHERE query LIKE 'LOCK TABLE%' AND wait_event_type = 'Lock' AND clock_timestamp() - query_start >= ${time}::interval`,
    (rows) => rows.length > 0,
  )

const isMigrated = (process: Process) =>
  Effect.map(Context.get(process, SqlClient.SqlClient)`SELECT max(event_at) AS at FROM accounts`, (rows) =>
    expect(rows).toEqual([{ at: null }]),
  )

describe("a Postgres database", () => {
  it.scopedLive("compiles no statement, which takes longer than to run it", () =>
    Effect.gen(function* () {
      const process = yield* processOn(yield* freshDatabase())
      const [row] = yield* Context.get(process, SqlClient.SqlClient)`SHOW jit`
      expect(row).toEqual({ jit: "off" })
    }),
  )

  it.scopedLive("is migrated once, by one of the processes that start at once", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const processes = yield* Effect.all([processOn(url), processOn(url), processOn(url), processOn(url)], {
        concurrency: "unbounded",
      })
      const migrations = yield* Effect.forEach(
        processes,
        (process) =>
          Context.get(process, SqlClient.SqlClient)`SELECT * FROM schema_migrations ORDER BY migration_id`,
      )
      expect(migrations[0]?.length).toBeGreaterThan(5)
      for (const found of migrations) expect(found).toEqual(migrations[0])
    }),
  )

  it.scopedLive("is migrated without the deadlines that its role has", () =>
    Effect.gen(function* () {
      const { sql, url } = yield* olderDatabase
      yield* sql.unsafe(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET statement_timeout = '300ms'`)
      const [locked, release] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      yield* Effect.fork(
        sql.withTransaction(
          sql`LOCK TABLE accounts IN ACCESS SHARE MODE`.pipe(
            Effect.zipRight(Deferred.succeed(locked, undefined)),
            Effect.zipRight(Deferred.await(release)),
          ),
        ),
      )
      yield* Deferred.await(locked)
      const starting = yield* Effect.fork(processOn(url))
      yield* migrationWaits(sql, "500 ms")
      yield* Deferred.succeed(release, undefined)
      yield* isMigrated(yield* Fiber.join(starting))
    }),
  )

  it.scopedLive("is migrated beside transactions of an older process that lock tables in another order", () =>
    Effect.gen(function* () {
      const { sql, url } = yield* olderDatabase
      const [locked, waits] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const transaction = yield* Effect.fork(
        sql.withTransaction(
          sql`LOCK TABLE messages IN ROW EXCLUSIVE MODE`.pipe(
            Effect.zipRight(Deferred.succeed(locked, undefined)),
            Effect.zipRight(Deferred.await(waits)),
            // The migration has this table, and waits for the other. Postgres aborts one of the two.
            Effect.zipRight(sql`LOCK TABLE accounts IN ROW EXCLUSIVE MODE`),
          ),
        ),
      )
      yield* Deferred.await(locked)
      const starting = yield* Effect.fork(processOn(url))
      yield* migrationWaits(sql, "0 ms")
      yield* Deferred.succeed(waits, undefined)
      yield* Fiber.await(transaction)
      yield* isMigrated(yield* Fiber.join(starting))
    }),
  )

  it.scopedLive("is refused when it holds another program's tables, and stays unchanged", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const process = yield* processOn(url)
      yield* Context.get(process, SqlClient.SqlClient)`ALTER TABLE schema_migrations RENAME TO recipes`
      const { message } = yield* openingError(url)
      expect(message).toContain("it holds the tables of another program. Create a database of its own")
    }),
  )

  it.scopedLive("is refused to a command until a service of its version has migrated it", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const options = { url: Redacted.make(url), maxConnections: 1 }
      const refusal = Effect.flip(Effect.scoped(Layer.build(PostgresStore.besideService(options))))
      expect((yield* refusal).message).toContain("no service has used it yet")
      const process = yield* processOn(url)
      const account = yield* insertAccount(process)
      const command = yield* Layer.build(PostgresStore.besideService(options))
      expect(yield* Context.get(command, AccountStore).byId(account.id)).toEqual(Option.some(account))
      yield* Context.get(process, SqlClient.SqlClient)`DELETE FROM schema_migrations WHERE migration_id > 15`
      expect((yield* refusal).message).toContain("its schema has version 15")
    }),
  )

  it.scopedLive("is refused when a newer version has made it incompatible with this one", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const process = yield* processOn(url)
      const sql = Context.get(process, SqlClient.SqlClient)
      yield* sql`INSERT INTO schema_migrations (migration_id, name) VALUES (9999, 'later')`
      yield* processOn(url)
      yield* sql`UPDATE schema_compatibility SET oldest = 9999`
      expect((yield* openingError(url)).message).toContain(
        "its schema needs a program that knows version 9999",
      )
    }),
  )

  it.scopedLive("stores U+FFFD for a NUL, which Postgres text cannot hold", () =>
    Effect.gen(function* () {
      const process = yield* processOn(yield* freshDatabase())
      const accounts = Context.get(process, AccountStore)
      const account = anAccount({ name: "a\0b" })
      yield* accounts.insert(account)
      expect(Option.map(yield* accounts.byId(account.id), ({ name }) => name)).toEqual(
        Option.some("a\u{fffd}b"),
      )
    }),
  )
})

describe("concurrent transactions", () => {
  it.scopedLive("both commit after a deadlock: the one that Postgres aborts runs again", () =>
    Effect.gen(function* () {
      const process = yield* processOn(yield* freshDatabase())
      const accounts = Context.get(process, AccountStore)
      const { run } = Context.get(process, Transactions)
      const [one, other] = [yield* insertAccount(process), yield* insertAccount(process)]
      const met = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      let runs = 0
      const both = (first: typeof one, second: typeof one, [mine, yours]: typeof met) =>
        run(
          Effect.gen(function* () {
            runs++
            const [locked] = yield* accounts.lock([first.id])
            yield* Deferred.succeed(mine, undefined)
            yield* Deferred.await(yours)
            const [next] = yield* accounts.lock([second.id])
            for (const account of [locked, next])
              if (account !== undefined)
                yield* accounts.save({ ...account, trialSends: account.trialSends + 1 })
          }),
        )
      yield* Effect.all([both(one, other, met), both(other, one, [met[1], met[0]])], { concurrency: 2 })
      // Two runs and a repetition. One more for each time the repetition gets a lock before the winner wakes.
      expect(runs).toBeGreaterThanOrEqual(3)
      for (const { id } of [one, other])
        expect(Option.map(yield* accounts.byId(id), ({ trialSends }) => trialSends)).toEqual(Option.some(2))
    }),
  )

  it.scopedLive("that remove the last two messages of one raw mail remove the raw mail and its blobs", () =>
    Effect.gen(function* () {
      const process = yield* processOn(yield* freshDatabase())
      const { run } = Context.get(process, Transactions)
      const messages = Context.get(process, MessageStore)
      const rawMails = Context.get(process, RawMailStore)
      const raw = aRawMail({ content: { kind: "blob", key: "raw/shared", sizeBytes: 70_000 } })
      yield* rawMails.insert([raw])
      const copies = yield* Effect.forEach([1, 2], () =>
        Effect.gen(function* () {
          const account = yield* insertAccount(process)
          const mailbox = aMailbox(account.id)
          yield* Context.get(process, MailboxStore).insert(mailbox)
          const message = aMessage(mailbox, { rawId: raw.id })
          yield* messages.insert([message])
          yield* Context.get(process, AttachmentStore).insert([
            anAttachment(account.id, {
              mailboxId: mailbox.id,
              messageId: message.content.id,
              blobKey: "attachments/shared",
            }),
          ])
          return message.content.id
        }),
      )
      const removed = yield* Effect.forEach(copies, (id) => run(messages.remove(id)), { concurrency: 2 })
      expect(removed.flatMap(({ blobKeys }) => blobKeys).sort()).toEqual(["attachments/shared", "raw/shared"])
      expect(yield* rawMails.byId(raw.id)).toEqual(Option.none())
    }),
  )
})

/** Timeout for events that take up to 8 s of real time, with room for a busy machine. */
const GENEROUS = "25 seconds"

/** Timeout of a test with such waits, milliseconds. */
const LONG = 60_000

// Concurrent, because they wait for deadlines and heartbeats. Each has a database of its own.
describe.concurrent("leases of a process that stops or dies", () => {
  it.scopedLive("are free at once when the process stops", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const id = newId()
      const account = yield* Effect.scoped(
        Effect.gen(function* () {
          const process = yield* processOn(url)
          const made = yield* insertAccount(process)
          const jobs = Context.get(process, JobStore)
          yield* jobs.add([{ id, spec: { kind: "remove-blobs", keys: [] }, dueAt: NOON }])
          expect(yield* jobs.claim(1, NOON, NOON + 1_000)).toHaveLength(1)
          expect(yield* Context.get(process, StreamSlots).take(made.id, 1, [])).toEqual(Option.some(1))
          return made
        }),
      )
      const next = yield* processOn(url)
      expect((yield* Context.get(next, JobStore).claim(1, NOON, NOON + 1_000)).map((job) => job.id)).toEqual([
        id,
      ])
      expect(yield* Context.get(next, StreamSlots).take(account.id, 1, [])).toEqual(Option.some(1))
    }),
  )

  it.scopedLive(
    "are freed within ten seconds when the process dies, and waiting workers are woken",
    () =>
      Effect.gen(function* () {
        const { url, through, proxy } = yield* behindProxy
        const lost = yield* processOn(through)
        const next = yield* processOn(url)
        const jobs = Context.get(next, JobStore)
        const { wait } = yield* Context.get(next, Signals).subscribe("jobs")
        const id = newId()
        yield* jobs.add([{ id, spec: { kind: "remove-blobs", keys: [] }, dueAt: NOON }])
        expect(yield* Context.get(lost, JobStore).claim(1, NOON, NOON + 1_000)).toHaveLength(1)
        expect(yield* jobs.claim(1, NOON, NOON + 1_000)).toEqual([])
        proxy.set("closed")
        // The next heartbeat of another process, at most 2 s later, frees the leases.
        const sql = Context.get(next, SqlClient.SqlClient)
        const left =
          yield* sql`SELECT max(alive_until) - (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms FROM processes`
        expect(Number(left[0]?.["ms"])).toBeLessThanOrEqual(6_000)
        expect(Option.isSome(yield* Effect.timeoutOption(wait, GENEROUS))).toBe(true)
        expect((yield* jobs.claim(1, NOON, NOON + 1_000)).map((job) => job.id)).toEqual([id])
      }),
    LONG,
  )

  it.scopedLive(
    "are freed for consumers of events, and those of the account are woken in every process",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase()
        const [one, other] = [yield* processOn(url), yield* processOn(url)]
        const key = { accountId: (yield* insertAccount(one)).id, name: "worker" }
        const consumers = Context.get(one, ConsumerStore)
        yield* consumers.add(key, 0, NOON)
        yield* consumers.take(key, [1], NOON + 1_000)
        const waits = yield* Effect.forEach([one, other], (process) =>
          Effect.map(Context.get(process, Signals).subscribe(`events:${key.accountId}`), ({ wait }) => wait),
        )
        const sql = Context.get(one, SqlClient.SqlClient)
        yield* sql`UPDATE consumer_events SET locked_by = 'dead'`
        yield* sql`INSERT INTO processes (id, alive_until) VALUES ('dead', 0)`
        yield* Effect.timeout(Effect.all(waits, { concurrency: 2 }), GENEROUS)
        expect(yield* consumers.nextDue(key)).toEqual(Option.some(0))
      }),
    LONG,
  )

  it.scopedLive(
    "are refused to a process that was only cut off, and its streams take slots again",
    () =>
      Effect.gen(function* () {
        const { url, through, proxy } = yield* behindProxy
        const cutOff = yield* processOn(through)
        const next = yield* processOn(url)
        const account = yield* insertAccount(cutOff)
        const raw = aRawMail()
        const queue = Context.get(cutOff, RawMailStore)
        yield* queue.insert([raw])
        const entry = aQueueEntry(raw.id)
        yield* queue.enqueue([entry])
        const terms = (leaseUntil: number) => ({
          lane: "fast" as const,
          through: NOON,
          except: [],
          limits: { mails: 1, bytes: 1_000 },
          now: NOON,
          leaseUntil,
        })
        expect(yield* queue.claim(terms(NOON + 1_000))).toHaveLength(1)
        expect(yield* Context.get(cutOff, StreamSlots).take(account.id, 1, [])).toEqual(Option.some(1))
        const { wait: freed } = yield* Context.get(next, Signals).subscribe("mail")
        const { wait: noticed } = yield* Context.get(cutOff, Signals).subscribe("stream-slots")
        proxy.set("closed")
        yield* Effect.timeout(freed, GENEROUS)
        proxy.set("open")
        yield* Effect.timeout(noticed, GENEROUS)
        expect(yield* queue.finish([entry.id], NOON + 1_000)).toEqual([])
        expect(yield* Context.get(next, RawMailStore).claim(terms(NOON + 2_000))).toHaveLength(1)
        expect(yield* Context.get(cutOff, StreamSlots).take(account.id, 1, [])).toEqual(Option.some(1))
      }),
    LONG,
  )
})

describe.concurrent("leases of a process that dies in a transaction", () => {
  it.scopedLive(
    "keep no process from starting, and are freed when Postgres ends the transaction",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase()
        const first = yield* processOn(url)
        const sql = Context.get(first, SqlClient.SqlClient)
        const id = newId()
        yield* Context.get(first, JobStore).add([
          { id, spec: { kind: "remove-blobs", keys: [] }, dueAt: NOON },
        ])
        yield* sql`UPDATE jobs SET locked_until = 1, locked_by = 'dead'`
        const [locked, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const transaction = Context.get(first, Transactions).run(
          Effect.orDie(sql`SELECT id FROM jobs FOR UPDATE`).pipe(
            Effect.zipRight(Deferred.succeed(locked, undefined)),
            Effect.zipRight(Deferred.await(ended)),
          ),
        )
        const fiber = yield* Effect.fork(transaction)
        yield* Deferred.await(locked)
        yield* sql`INSERT INTO processes (id, alive_until) VALUES ('dead', 0)`
        const next = yield* processOn(url)
        const { wait: freed } = yield* Context.get(next, Signals).subscribe("jobs")
        yield* Deferred.succeed(ended, undefined)
        yield* Fiber.join(fiber)
        yield* Effect.timeout(freed, GENEROUS)
        expect(yield* sql`SELECT locked_until FROM jobs`).toEqual([{ locked_until: 0 }])
      }),
    LONG,
  )
})

describe.concurrent("slots of a process that died while it was taken for dead", () => {
  it.scopedLive("are free for others, and those of living processes are not", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const [one, other] = [yield* processOn(url), yield* processOn(url)]
      const { id } = yield* insertAccount(one)
      const sql = Context.get(one, SqlClient.SqlClient)
      yield* sql`INSERT INTO stream_places (account_id, place, locked_by) VALUES (${id}, 1, 'dead')`
      expect(yield* Context.get(other, StreamSlots).take(id, 2, [])).toEqual(Option.some(2))
      expect(yield* Context.get(one, StreamSlots).take(id, 2, [])).toEqual(Option.some(1))
      expect(yield* Context.get(one, StreamSlots).take(id, 2, [1])).toEqual(Option.none())
    }),
  )
})

describe.concurrent("a claim of some of the due work", () => {
  it.scopedLive("takes no more than it asks for, whatever Postgres knows of the table", () =>
    Effect.gen(function* () {
      const process = yield* processOn(yield* freshDatabase())
      const sql = Context.get(process, SqlClient.SqlClient)
      const jobs = Context.get(process, JobStore)
      const add = (count: number) =>
        jobs.add(
          Array.from({ length: count }, () => ({
            id: newId(),
            spec: { kind: "remove-blobs" as const, keys: [] },
            dueAt: NOON,
          })),
        )
      // The statistics of a table that has one row nearly always.
      yield* add(1)
      yield* sql`ANALYZE jobs`
      yield* add(50)
      expect(yield* jobs.claim(4, NOON, NOON + 1_000)).toHaveLength(4)
    }),
  )
})

describe.concurrent("a connection on which the server takes no more writes, as after a failover", () => {
  it.scopedLive("fails as unavailable, and another one is opened", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const process = yield* Effect.orDie(
        Layer.build(
          SqlStore.layer.pipe(
            Layer.provideMerge(PostgresStore.client({ url: Redacted.make(url), maxConnections: 1 })),
          ),
        ),
      )
      const sql = Context.get(process, SqlClient.SqlClient)
      yield* sql`SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY`
      expect(reasonOf(yield* Effect.exit(insertAccount(process)))).toBe("unavailable")
      yield* insertAccount(process)
    }),
  )
})

describe.concurrent("a database that is away", () => {
  const find = (process: Process) => Context.get(process, AccountStore).byId(anAccount().id)

  it.scopedLive("fails at once as unavailable, and works again when it is back", () =>
    Effect.gen(function* () {
      const { through, proxy } = yield* behindProxy
      const process = yield* processOn(through)
      yield* find(process)
      proxy.set("closed")
      expect(reasonOf(yield* Effect.exit(find(process)))).toBe("unavailable")
      proxy.set("open")
      yield* find(process)
    }),
  )

  it.scopedLive("fails as unavailable within ten seconds when it does not answer, transactions too", () =>
    Effect.gen(function* () {
      const { through, proxy } = yield* behindProxy
      const process = yield* processOn(through)
      const { run } = Context.get(process, Transactions)
      const begun = yield* Deferred.make<void>()
      const held = yield* Deferred.make<void>()
      const inside = run(
        find(process).pipe(
          Effect.zipRight(Deferred.succeed(begun, undefined)),
          Effect.zipRight(Deferred.await(held)),
          Effect.zipRight(find(process)),
        ),
      )
      const fiber = yield* Effect.fork(Effect.exit(inside))
      yield* Deferred.await(begun)
      proxy.set("held")
      yield* Deferred.succeed(held, undefined)
      const [took, exits] = yield* Effect.timed(
        Effect.all([Fiber.join(fiber), Effect.exit(find(process)), Effect.exit(run(find(process)))], {
          concurrency: "unbounded",
        }),
      )
      expect(exits.map(reasonOf)).toEqual(["unavailable", "unavailable", "unavailable"])
      expect(Duration.toMillis(took)).toBeLessThan(10_000)
      proxy.set("open")
      yield* eventually("the store works again", Effect.exit(find(process)), Exit.isSuccess)
    }),
  )
})

// Not concurrent: one of them counts the reconnections of this test process.
describe("signals between processes", () => {
  it.scopedLive("wake the listeners to a topic in another process, and no others", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const [one, other] = [yield* processOn(url), yield* processOn(url)]
      const { publish } = Context.get(one, Signals)
      const { subscribe } = Context.get(other, Signals)
      const [mine, others] = [yield* subscribe("events:mine"), yield* subscribe("events:other")]
      // Opening the first connection woke all listeners.
      yield* Effect.all([
        Effect.timeoutOption(mine.wait, "50 millis"),
        Effect.timeoutOption(others.wait, "50 millis"),
      ])
      yield* publish(["events:mine"])
      expect(Option.isSome(yield* Effect.timeoutOption(mine.wait, "5 seconds"))).toBe(true)
      expect(Option.isNone(yield* Effect.timeoutOption(others.wait, "50 millis"))).toBe(true)
    }),
  )

  it.scopedLive("carry any number of topics at once", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const [one, other] = [yield* processOn(url), yield* processOn(url)]
      const topics = Array.from({ length: 1_000 }, () => `events:${newId()}` as const)
      const waiting = yield* Effect.forEach(topics, (topic) => Context.get(other, Signals).subscribe(topic))
      yield* Context.get(one, Signals).publish(topics)
      const woken = yield* Effect.forEach(waiting, ({ wait }) => Effect.timeoutOption(wait, "10 seconds"), {
        concurrency: "unbounded",
      })
      expect(woken.every(Option.isSome)).toBe(true)
    }),
  )

  it.scopedLive(
    "arrive again on a new listen connection; the log says once that it is lost and once that it is back",
    () =>
      Effect.gen(function* () {
        const { url, through, proxy } = yield* behindProxy
        const lines: Array<string> = []
        const written = Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ message }) => lines.push(String(message))),
        )
        const [lost, other] = [yield* Effect.provide(processOn(through), written), yield* processOn(url)]
        const { wait } = yield* Context.get(lost, Signals).subscribe("events:mine")
        const before = yield* reconnects
        proxy.set("closed")
        proxy.set("open")
        // Reconnecting wakes all listeners.
        yield* Effect.timeout(wait, "20 seconds")
        yield* Context.get(other, Signals).publish(["events:mine"])
        yield* Effect.timeout(wait, "5 seconds")
        // On a busy machine the log may also say that a heartbeat is late.
        expect(lines.filter((line) => line.includes("listen connection"))).toEqual([
          expect.stringMatching(/^The listen connection to Postgres is lost \([A-Z0-9]+\)/),
          expect.stringContaining("is back after"),
        ])
        expect((yield* reconnects) - before).toBe(1)
      }),
  )

  it.scopedLive("wake all listeners when a lost connection is back, because some may have been missed", () =>
    Effect.gen(function* () {
      const { through, proxy } = yield* behindProxy
      const process = yield* processOn(through)
      const { wait } = yield* Context.get(process, Signals).subscribe("events:mine")
      yield* Effect.timeoutOption(wait, "50 millis")
      proxy.set("closed")
      proxy.set("open")
      expect(Option.isSome(yield* Effect.timeoutOption(wait, "10 seconds"))).toBe(true)
    }),
  )
})
