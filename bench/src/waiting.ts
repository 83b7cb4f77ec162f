/**
 * Waiting for messages. How soon after its 250 a mail ends the wait for it, with 200 requests waiting over ten accounts; and
 * 10,000 mails that arrive during 200 chains of waits, each of which must be seen once.
 */
import { Array, Console, Effect, Schema, type Scope } from "effect"
import { type Account, type Mailbox, newMailbox, unlimitedAccount } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, type Check, figure, table } from "./harness/checks.js"
import { call } from "./harness/http.js"
import { startMailroom } from "./harness/mailroom.js"
import { BenchFailure } from "./harness/processes.js"
import { percentile } from "./harness/stats.js"
import { eventLatencies, showLatencies } from "./latency.js"
import { deliver, greetedSession, type SmtpSession } from "./smtpSession.js"

const ACCOUNTS = 10
/** Requests of one account that wait at a time: as many as it may have. */
const LANES = 20
const MEASURED_MAILS = 200
const WARM_UP_MAILS = 50
const FLOOD_MAILS = 10_000
const SESSIONS = 10
/** For a mail to end its wait, seconds. */
const ANSWER_TIMEOUT = 30

const Waited = Schema.Struct({
  message: Schema.NullOr(Schema.Struct({ subject: Schema.String })),
  after: Schema.String,
})

interface Owner {
  readonly account: Account
  readonly mailbox: Mailbox
}

const wait = ({ account }: Owner, query: string) =>
  call({ method: "GET", url: `${account.baseUrl}/v1/messages/wait?${query}`, key: account.key }, Waited)

const startOf = (owner: Owner) => Effect.map(wait(owner, "timeout=0"), ({ after }) => after)

/** What a lane waits for: subjects with its name. */
const laneName = (lane: number): string => `lane-${String(lane).padStart(2, "0")}-`

const send = (session: SmtpSession, { mailbox }: Owner, subject: string) =>
  Effect.tryPromise({
    try: async () => {
      const raw = `From: orders@sender.example\r\nTo: ${mailbox.address}\r\nSubject: ${subject}\r\n\r\nHello\r\n.\r\n`
      const envelope = { from: "orders@sender.example", to: mailbox.address }
      const reply = await deliver(session, envelope, Buffer.from(raw))
      if (reply.code !== 250) throw new Error(`refused: ${reply.text}`)
      return performance.now()
    },
    catch: (error) => new BenchFailure({ message: String(error) }),
  })

const session = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(() => greetedSession(port)),
    ({ close }) => Effect.sync(close),
  )

/** Waits, again and again, for a mail that never comes. */
const idle = (owner: Owner) => Effect.forever(wait(owner, "timeout=55&subject=never"))

/** Milliseconds from the 250 of each mail to the answer of the wait for it. */
const latencies = (owners: ReadonlyArray<Owner>, port: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const smtp = yield* session(port)
      for (const owner of owners)
        yield* Effect.forkScoped(
          Effect.forEach(Array.range(2, LANES), () => idle(owner), { concurrency: "unbounded" }),
        )
      const one = (serial: number) =>
        Effect.gen(function* () {
          const owner = owners[serial % owners.length]
          if (owner === undefined) return Number.NaN
          const after = yield* startOf(owner)
          const answered = yield* Effect.fork(
            Effect.map(wait(owner, `timeout=${ANSWER_TIMEOUT}&after=${after}`), ({ message }) =>
              message === null ? Number.NaN : performance.now(),
            ),
          )
          // The wait has begun by then.
          yield* Effect.sleep(25)
          const acceptedAt = yield* send(smtp, owner, `mail ${serial}`)
          return Math.max(0, (yield* answered) - acceptedAt)
        })
      const all = yield* Effect.forEach(Array.range(1, WARM_UP_MAILS + MEASURED_MAILS), one)
      return all.slice(WARM_UP_MAILS)
    }),
  )

/** The subjects that a chain of waits sees, until a wait for more has timed out after the last mail was sent. */
const chain = (owner: Owner, lane: number, after: string, isSent: () => boolean) =>
  Effect.gen(function* () {
    const subjects: Array<string> = []
    let position = after
    for (;;) {
      const wasSent = isSent()
      const seen = yield* wait(owner, `timeout=5&subject=${laneName(lane)}&after=${position}`)
      position = seen.after
      if (seen.message !== null) subjects.push(seen.message.subject)
      else if (wasSent) return subjects
    }
  })

/** Mails of the flood that no chain saw, and those that one saw more than once. */
const flood = (owners: ReadonlyArray<Owner>, port: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sessions = yield* Effect.forEach(Array.range(1, SESSIONS), () => session(port))
      let left = SESSIONS
      const chains = yield* Effect.forEach(owners, (owner, n) =>
        Effect.flatMap(startOf(owner), (after) =>
          Effect.forEach(Array.range(1, LANES), (lane) =>
            Effect.fork(
              Effect.map(
                chain(owner, lane, after, () => left === 0),
                (subjects) => subjects.map((subject) => `${n} ${subject}`),
              ),
            ),
          ),
        ),
      )
      const startedAt = performance.now()
      yield* Effect.forEach(
        sessions,
        (smtp, first) =>
          Effect.forEach(Array.range(0, FLOOD_MAILS / SESSIONS - 1), (index) => {
            const serial = index * SESSIONS + first
            const owner = owners[serial % owners.length]
            const lane = 1 + (Math.floor(serial / owners.length) % LANES)
            return owner === undefined ? Effect.void : send(smtp, owner, `${laneName(lane)}${serial}`)
          }).pipe(Effect.zipRight(Effect.sync(() => (left -= 1)))),
        { concurrency: "unbounded", discard: true },
      )
      const seen = (yield* Effect.forEach(chains.flat(), (fiber) => fiber)).flat()
      return {
        missed: FLOOD_MAILS - new Set(seen).size,
        repeated: seen.length - new Set(seen).size,
        perSecond: (seen.length * 1000) / (performance.now() - startedAt),
      }
    }),
  )

export const waiting: Benchmark = Effect.gen(function* (): Effect.fn.Return<
  ReadonlyArray<Check>,
  BenchFailure,
  Scope.Scope
> {
  const server = yield* startMailroom({ settings: { SIGNUPS_PER_HOUR: "100" } })
  const owners = yield* Effect.forEach(Array.range(1, ACCOUNTS), (n) =>
    Effect.gen(function* () {
      const account = yield* unlimitedAccount(server.baseUrl, `waiting-${n}`)
      return { account, mailbox: yield* newMailbox(account, "waiting") }
    }),
  )
  const measured = yield* latencies(owners, server.smtpPort)
  const p = (share: number) => percentile(measured, share)
  const [first] = owners
  if (first === undefined) return yield* new BenchFailure({ message: "no account" })
  const beside = yield* eventLatencies(first.account, server.baseUrl, server.smtpPort)
  yield* showLatencies("From the 250 to the event, for comparison", beside)
  yield* Console.log(
    `\nFrom the 250 to the end of the wait, ${figure(ACCOUNTS * LANES)} waiting, ms\n${table([
      ["p50", "p95", "p99"],
      [0.5, 0.95, 0.99].map((share) => figure(p(share))),
    ])}`,
  )
  const { missed, repeated, perSecond } = yield* flood(owners, server.smtpPort)
  yield* Console.log(
    `\n${figure(FLOOD_MAILS)} mails during ${figure(ACCOUNTS * LANES)} chains of waits: ${figure(perSecond)} seen a second`,
  )
  return [
    atMost("from the 250 to the end of the wait, p50", p(0.5), 10, "ms"),
    atMost("from the 250 to the end of the wait, p95", p(0.95), 50, "ms"),
    atMost("mails that no chain of waits saw", missed, 0, "mails"),
    atMost("mails that a chain of waits saw twice", repeated, 0, "mails"),
  ]
})

program(import.meta.url, waiting, 15)
