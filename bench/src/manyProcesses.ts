/** Postgres and many processes: how much more they carry, how far apart they are, and who goes on for a dead one. */
import { countingStatements, freshDatabase } from "@mailroom/test-services"
import { Array, Console, Effect, Schema, type Scope } from "effect"
import { newMailbox, unlimitedAccount, untilReceived } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, figure, table } from "./harness/checks.js"
import { call } from "./harness/http.js"
import { type Mailroom, startMailroom } from "./harness/mailroom.js"
import { durablePostgres, sharedSettings } from "./harness/postgres.js"
import type { BenchFailure } from "./harness/processes.js"
import { median, percentile, wallClock } from "./harness/stats.js"
import { eventLatencies, showLatencies } from "./latency.js"
import { sendMails } from "./load.js"
import { streamsOnPostgres } from "./streams.js"

const ROUNDS = 3
const MAILS = 4000
const WARM_UP_MAILS = 4000
const MAIL_BYTES = 4096
/** Mail of one account is delivered in its order, one batch after another: many accounts, as a service has. */
const ACCOUNTS = 4
const SESSIONS = 20
const DELIVERY_TIMEOUT = 120_000

/** `count` processes with every role, on a database of their own. */
const processesOn = (postgres: string, count: number) =>
  Effect.gen(function* () {
    const settings = yield* sharedSettings(yield* freshDatabase(postgres))
    return yield* Effect.forEach(
      Array.makeBy(count, () => settings),
      (own) => startMailroom({ settings: own }),
    )
  })

/** Mails a second, accepted and delivered. */
const throughput = (
  start: Effect.Effect<ReadonlyArray<Mailroom>, BenchFailure, Scope.Scope>,
): Effect.Effect<{ readonly accepted: number; readonly delivered: number }, BenchFailure> =>
  Effect.gen(function* () {
    const servers = yield* start
    const [first] = servers
    if (first === undefined) return { accepted: Number.NaN, delivered: Number.NaN }
    const targets = yield* Effect.forEach(
      Array.makeBy(ACCOUNTS, (n) => `bench-${n}`),
      (slug, n) =>
        Effect.gen(function* () {
          const account = yield* unlimitedAccount(first.baseUrl, slug)
          const mailbox = yield* newMailbox(account, "inbound")
          return { account, mailbox, port: servers[n % servers.length]?.smtpPort ?? 0 }
        }),
    )
    const all = (run: string, mails: number, received: number) =>
      Effect.forEach(
        targets,
        ({ account, mailbox, port }) =>
          Effect.gen(function* () {
            const each = mails / ACCOUNTS
            const sent = yield* sendMails({
              port,
              recipient: mailbox.address,
              bytes: MAIL_BYTES,
              run,
              mails: each,
              sessions: SESSIONS / ACCOUNTS,
            })
            yield* untilReceived(account, mailbox, received / ACCOUNTS, DELIVERY_TIMEOUT)
            return { ...sent, deliveredAt: wallClock() }
          }),
        { concurrency: "unbounded" },
      )
    yield* all("warm", WARM_UP_MAILS, WARM_UP_MAILS)
    const parts = yield* all("timed", MAILS, WARM_UP_MAILS + MAILS)
    const startedAt = Math.min(...parts.map((part) => part.startedAt))
    const perSecond = (until: number) => (MAILS * 1000) / (until - startedAt)
    return {
      accepted: perSecond(Math.max(...parts.map(({ acceptedAt }) => acceptedAt))),
      delivered: perSecond(Math.max(...parts.map(({ deliveredAt }) => deliveredAt))),
    }
  }).pipe(Effect.scoped)

const throughputs = (postgres: string) =>
  Effect.gen(function* () {
    const sqlite = Effect.map(startMailroom(), (server) => [server])
    const ways = [
      ["1 on SQLite", sqlite],
      ["1 on Postgres", processesOn(postgres, 1)],
      ["2 on Postgres", processesOn(postgres, 2)],
      ["4 on Postgres", processesOn(postgres, 4)],
    ] as const
    const rounds = yield* Effect.replicateEffect(
      Effect.forEach(ways, ([, start]) => throughput(start)),
      ROUNDS,
    )
    const rows = ways.map(([name], n) => {
      const accepted = median(rounds.map((round) => round[n]?.accepted ?? Number.NaN))
      const delivered = median(rounds.map((round) => round[n]?.delivered ?? Number.NaN))
      return { name, accepted, delivered }
    })
    const base = rows[0]
    yield* Console.log(
      `\nInbound over processes on this machine, 4 kB, ${ACCOUNTS} accounts, medians of ${ROUNDS} rounds, mails/s`,
    )
    yield* Console.log(
      table([
        ["", "accepted", "of SQLite", "delivered", "of SQLite"],
        ...rows.map(({ name, accepted, delivered }) => [
          name,
          figure(accepted),
          `${figure(accepted / (base?.accepted ?? Number.NaN))} x`,
          figure(delivered),
          `${figure(delivered / (base?.delivered ?? Number.NaN))} x`,
        ]),
      ]),
    )
  })

/** A mail into one process is an event on the stream of another. */
const apart = (postgres: string) =>
  Effect.gen(function* () {
    const [one, other] = yield* processesOn(postgres, 2)
    if (one === undefined || other === undefined) return Number.NaN
    const account = yield* unlimitedAccount(one.baseUrl)
    const measured = yield* eventLatencies(account, other.baseUrl, one.smtpPort)
    yield* showLatencies("From the 250 of one process to the event of another", measured)
    return percentile(measured, 0.99)
  }).pipe(Effect.scoped)

/** Seconds from the kill of a process that delivers until everything is delivered that was accepted. */
const takeover = (postgres: string) =>
  Effect.gen(function* () {
    const [killed, other] = yield* processesOn(postgres, 2)
    if (killed === undefined || other === undefined) return Number.NaN
    const account = yield* unlimitedAccount(other.baseUrl)
    const mailbox = yield* newMailbox(account, "takeover")
    const mails = 2000
    const load = { recipient: mailbox.address, bytes: MAIL_BYTES, run: "takeover" }
    // What it accepts it delivers: when it is killed it is in the middle of that.
    yield* sendMails({ ...load, port: killed.smtpPort, mails })
    const killedAt = wallClock()
    yield* Effect.sync(() => process.kill(killed.pid, "SIGKILL"))
    yield* untilReceived(account, mailbox, mails, DELIVERY_TIMEOUT)
    return (wallClock() - killedAt) / 1000
  }).pipe(Effect.scoped)

const takeovers = (postgres: string) =>
  Effect.gen(function* () {
    const seconds = yield* Effect.replicateEffect(takeover(postgres), ROUNDS)
    yield* Console.log(
      `\nFrom kill -9 of one of two that deliver to the last of its mails, s: ${seconds.map(figure).join("  ")}`,
    )
    return Math.max(...seconds)
  })

const Listed = Schema.Struct({ messages: Schema.Array(Schema.Struct({ id: Schema.String })) })

/** How many statements each thing takes. */
const statements = (postgres: string) =>
  Effect.gen(function* () {
    const counter = yield* countingStatements(yield* freshDatabase(postgres))
    const settings = yield* sharedSettings(counter.url)
    // Without a worker nothing else runs but a beat every two seconds, which a request is shorter than.
    const setUp = yield* startMailroom({ settings })
    const account = yield* unlimitedAccount(setUp.baseUrl)
    const mailbox = yield* newMailbox(account, "counted")
    const load = { port: setUp.smtpPort, recipient: mailbox.address, bytes: MAIL_BYTES }
    yield* sendMails({ ...load, run: "counted", mails: 100 })
    yield* untilReceived(account, mailbox, 100, DELIVERY_TIMEOUT)
    const quiet = yield* startMailroom({ settings: { ...settings, ROLES: "http" } })
    const get = (path: string) =>
      call({ method: "GET", url: `${quiet.baseUrl}${path}`, key: account.key }, Schema.Unknown)
    const messages = `/v1/mailboxes/${mailbox.id}/messages`
    const { messages: listed } = yield* call(
      { method: "GET", url: `${quiet.baseUrl}${messages}`, key: account.key },
      Listed,
    )
    const send = call(
      {
        method: "POST",
        url: `${quiet.baseUrl}${messages}`,
        key: account.key,
        body: { to: ["bob@partner.dev"], subject: "Counted", bodyText: "Hello." },
      },
      Schema.Unknown,
    )
    const requests = [
      ["GET /v1/account", get("/v1/account")],
      ["GET /v1/mailboxes", get("/v1/mailboxes")],
      ["GET …/messages", get(messages)],
      ["GET …/messages/{id}", get(`${messages}/${listed[0]?.id}`)],
      ["GET …/threads", get(`/v1/mailboxes/${mailbox.id}/threads`)],
      ["GET /v1/events/log", get("/v1/events/log")],
      ["POST …/messages", send],
    ] as const
    const counted = yield* Effect.forEach(requests, ([name, request]) =>
      Effect.gen(function* () {
        yield* request
        // The lowest of a few: a beat, or a look for work, may have fallen into one of them.
        const counts = yield* Effect.replicateEffect(
          Effect.gen(function* () {
            const before = counter.count()
            yield* request
            return counter.count() - before
          }),
          7,
        )
        return [name, String(Math.min(...counts))]
      }),
    )
    yield* Console.log("\nStatements a request, BEGIN and COMMIT included")
    yield* Console.log(table(counted))
  }).pipe(Effect.scoped)

export const manyProcesses: Benchmark = Effect.gen(function* () {
  const postgres = yield* durablePostgres
  yield* statements(postgres)
  const p99 = yield* apart(postgres)
  const longest = yield* takeovers(postgres)
  yield* throughputs(postgres)
  const idle = yield* Effect.scoped(streamsOnPostgres(postgres))
  return [
    ...idle,
    atMost("from the 250 of one process to the event of another, p99", p99, 100, "ms"),
    atMost("until the work of a dead process is done by another", longest, 10, "s"),
  ]
})

program(import.meta.url, manyProcesses, 14)
