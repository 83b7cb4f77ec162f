/** Ten thousand event streams that nothing happens on: what they cost, and how soon an event comes beside them. */
import { countingStatements, freshDatabase } from "@mailroom/test-services"
import { Array, Console, Effect, Option, Schema, type Scope } from "effect"
import { unlimitedAccount } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, type Check, figure, table } from "./harness/checks.js"
import { type Mailroom, startMailroom } from "./harness/mailroom.js"
import { durablePostgres, sharedSettings } from "./harness/postgres.js"
import { ask, BenchFailure } from "./harness/processes.js"
import { eventLatencies, showLatencies } from "./latency.js"

const STREAMS_PER_ACCOUNT = 5
const ACCOUNTS = 2_000
/** Accounts whose streams are opened before memory is measured. */
const WARM_UP_ACCOUNTS = 200
const STREAMS = ACCOUNTS * STREAMS_PER_ACCOUNT
/** Each has a file descriptor for every stream of its part. */
const READER_PROCESSES = 2
/** How long nothing happens, milliseconds: two looks of every kind fall into it. */
const IDLE = 30_000

/** Bytes of memory of a process, as it says of itself. */
const residentBytes = ({ baseUrl }: Mailroom): Effect.Effect<number, BenchFailure> =>
  Effect.tryPromise(async () => {
    const text = await (await fetch(`${baseUrl}/metrics`)).text()
    return Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])
  }).pipe(Effect.mapError(({ error }) => new BenchFailure({ message: `/metrics: ${String(error)}` })))

/** Opens all streams, and returns once they are open; they stay until the scope closes. */
const openAll = (server: Mailroom, keys: ReadonlyArray<string>) =>
  Effect.forEach(
    Array.chunksOf(keys, Math.ceil(keys.length / READER_PROCESSES)),
    (part) =>
      ask(
        "streamReaders",
        { port: server.httpPort, keys: part, streamsPerKey: STREAMS_PER_ACCOUNT },
        Schema.Struct({ opened: Schema.Int, millis: Schema.Number }),
      ),
    { concurrency: "unbounded" },
  )

/** `database`: where the accounts are put; `statements`: how many have gone to it, if they are counted. */
const measure = (
  server: Mailroom,
  database: string,
  statements: Option.Option<() => number>,
): Effect.Effect<ReadonlyArray<Check>, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const name = database.startsWith("postgres:") ? "Postgres" : "SQLite"
    const account = yield* unlimitedAccount(server.baseUrl)
    const { keys } = yield* Effect.scoped(
      ask("fillKeys", { database, accounts: ACCOUNTS }, Schema.Struct({ keys: Schema.Array(Schema.String) })),
    )
    const atFirst = yield* residentBytes(server)
    // What the first streams bring is the process's own: compiled code, and room for young objects.
    yield* openAll(server, keys.slice(0, WARM_UP_ACCOUNTS))
    const before = yield* residentBytes(server)
    const opened = yield* openAll(server, keys.slice(WARM_UP_ACCOUNTS))
    const count = Option.getOrElse(statements, () => () => Number.NaN)
    const counted = count()
    yield* Effect.sleep(IDLE)
    const perSecond = ((count() - counted) * 1000) / IDLE
    const after = yield* residentBytes(server)
    const measured = (ACCOUNTS - WARM_UP_ACCOUNTS) * STREAMS_PER_ACCOUNT
    const each = (after - before) / measured / 1000
    const all = (after - atFirst) / 1e6
    yield* Console.log(`\n${figure(STREAMS)} idle event streams of ${figure(ACCOUNTS)} accounts, on ${name}`)
    yield* Console.log(
      table([
        ["memory of one more stream, kB", figure(each)],
        ["memory of all, MB", figure(all)],
        ["statements/s while nothing happens", Number.isNaN(perSecond) ? "not counted" : figure(perSecond)],
        ["opened a second", figure((measured * 1000) / Math.max(...opened.map(({ millis }) => millis)))],
      ]),
    )
    const latencies = yield* eventLatencies(account, server.baseUrl, server.smtpPort)
    yield* showLatencies(`From the 250 to the event beside them, on ${name}`, latencies)
    return [
      atMost(`memory of an idle event stream, on ${name}`, each, 20, "kB"),
      atMost(`memory of ${figure(STREAMS)} idle event streams, on ${name}`, all, 200, "MB"),
      ...(Option.isSome(statements)
        ? [atMost(`statements of ${figure(STREAMS)} idle event streams`, perSecond, 10, "/s")]
        : []),
    ]
  })

export const streams: Benchmark = Effect.gen(function* () {
  const server = yield* startMailroom()
  return yield* measure(server, server.databaseFile, Option.none())
})

/** The same on a Postgres, whose statements are counted. */
export const streamsOnPostgres = (
  postgres: string,
): Effect.Effect<ReadonlyArray<Check>, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* freshDatabase(postgres)
    const { url, count } = yield* countingStatements(database)
    const server = yield* startMailroom({ settings: yield* sharedSettings(url) })
    return yield* measure(server, database, Option.some(count))
  })

program(
  import.meta.url,
  process.argv.includes("--postgres") ? Effect.flatMap(durablePostgres, streamsOnPostgres) : streams,
  5,
)
