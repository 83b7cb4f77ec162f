/**
 * Mail for many accounts: what a mail costs must not grow with their number. The same load for four accounts, for
 * 10,000, and for 10,000 of which one gets half; in one process on SQLite, and in 1, 2 and 4 on Postgres.
 */
import { freshDatabase } from "@mailroom/test-services"
import { Array, Console, Effect, Schedule, Schema, type Scope } from "effect"
import { unlimitedAccount } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atLeast, figure, table } from "./harness/checks.js"
import { type Mailroom, startMailroom } from "./harness/mailroom.js"
import { durablePostgres, sharedSettings } from "./harness/postgres.js"
import { ask, BenchFailure } from "./harness/processes.js"
import { median, wallClock } from "./harness/stats.js"
import { type Recipients, sendMails } from "./load.js"

const ROUNDS = 3
const MAILS = 4000
const ACCOUNTS = 10_000
const MAIL_BYTES = 4096
const PLATFORM_DOMAIN = "mailroom.localhost"
/** How long the last message may take to show up, and how often it is looked for, milliseconds. */
const DELIVERY_TIMEOUT = 120_000
const LOOK = 40

const address = (n: number): string => `inbound@many-${String(n).padStart(5, "0")}.${PLATFORM_DOMAIN}`

const loads: ReadonlyArray<readonly [name: string, recipients: Recipients]> = [
  ["4 accounts", { pattern: address(0), accounts: 4, firstGets: 0 }],
  ["10,000, even", { pattern: address(0), accounts: ACCOUNTS, firstGets: 0 }],
  ["10,000, half to one", { pattern: address(0), accounts: ACCOUNTS, firstGets: 0.5 }],
]

/** Messages that these processes have delivered since they started. */
const delivered = (servers: ReadonlyArray<Mailroom>): Effect.Effect<number, BenchFailure> =>
  Effect.map(
    Effect.forEach(
      servers,
      ({ baseUrl }) =>
        Effect.tryPromise({
          try: async () => {
            const text = await (await fetch(`${baseUrl}/metrics`)).text()
            return Number(/^mailroom_messages_received_total (\d+)/m.exec(text)?.[1] ?? 0)
          },
          catch: (error) => new BenchFailure({ message: String(error) }),
        }),
      { concurrency: "unbounded" },
    ),
    (counts) => counts.reduce((sum, count) => sum + count, 0),
  )

/** A service with many accounts. */
const filled = (database: string | null, count: number) =>
  Effect.gen(function* () {
    const settings = database === null ? {} : yield* sharedSettings(database)
    const servers = yield* Effect.forEach(Array.range(1, count), () => startMailroom({ settings }))
    const [first] = servers
    if (first === undefined) return yield* new BenchFailure({ message: "no process" })
    yield* unlimitedAccount(first.baseUrl, "template")
    yield* Effect.scoped(
      ask(
        "fillAccounts",
        {
          database: database ?? first.databaseFile,
          email: "owner@template.example",
          accounts: ACCOUNTS,
          platformDomain: PLATFORM_DOMAIN,
        },
        Schema.Struct({ accounts: Schema.Int }),
      ),
    )
    return servers
  })

let run = 0

/** Mails a second, from the first MAIL until all are delivered. */
const throughput = (servers: ReadonlyArray<Mailroom>, recipients: Recipients) =>
  Effect.gen(function* () {
    const before = yield* delivered(servers)
    run += 1
    const sent = yield* Effect.forEach(
      servers,
      ({ smtpPort }, n) =>
        sendMails({
          port: smtpPort,
          recipient: address(0),
          recipients,
          bytes: MAIL_BYTES,
          run: `run${run}-${n}`,
          mails: MAILS / servers.length,
          sessions: Math.max(1, Math.floor(20 / servers.length)),
        }),
      { concurrency: "unbounded" },
    )
    yield* delivered(servers).pipe(
      Effect.repeat({ schedule: Schedule.spaced(LOOK), until: (count) => count >= before + MAILS }),
      Effect.timeoutFail({
        duration: DELIVERY_TIMEOUT,
        onTimeout: () => new BenchFailure({ message: "not all mails were delivered" }),
      }),
    )
    return (MAILS * 1000) / (wallClock() - Math.min(...sent.map(({ startedAt }) => startedAt)))
  })

/** Mails a second under each load, medians of rounds that take turns. */
const measured = (name: string, start: Effect.Effect<ReadonlyArray<Mailroom>, BenchFailure, Scope.Scope>) =>
  Effect.gen(function* () {
    const servers = yield* start
    const round = Effect.forEach(loads, ([, recipients]) => throughput(servers, recipients))
    // The first round is to warm up.
    const [, ...rounds] = yield* Effect.replicateEffect(round, ROUNDS + 1)
    const figures = loads.map((_, n) => median(rounds.map((one) => one[n] ?? Number.NaN)))
    return { name, figures, ratios: figures.map((one) => one / (figures[0] ?? Number.NaN)) }
  }).pipe(Effect.scoped)

export const accounts: Benchmark = Effect.gen(function* () {
  const postgres = yield* durablePostgres
  const ways = [
    ["1 on SQLite", filled(null, 1)],
    ...[1, 2, 4].map(
      (count) =>
        [
          `${count} on Postgres`,
          Effect.flatMap(freshDatabase(postgres), (database) => filled(database, count)),
        ] as const,
    ),
  ] as const
  const rows = yield* Effect.forEach(ways, ([name, start]) => measured(name, start))
  yield* Console.log(`\nDelivered for many accounts, 4 kB, medians of ${ROUNDS} rounds, mails/s`)
  yield* Console.log(
    table([
      ["", ...loads.map(([name]) => name), "even, of 4", "half to one, of 4"],
      ...rows.map(({ name, figures, ratios }) => [
        name,
        ...figures.map(figure),
        ...ratios.slice(1).map((ratio) => `${figure(ratio)} x`),
      ]),
    ]),
  )
  return rows
    .slice(0, 2)
    .flatMap(({ name, ratios }) =>
      ratios
        .slice(1)
        .map((ratio, n) =>
          atLeast(`${loads[n + 1]?.[0] ?? ""}: delivered, of 4 accounts, ${name}`, ratio, 0.8, "x"),
        ),
    )
})

program(import.meta.url, accounts, 15)
