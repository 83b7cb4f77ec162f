/** How fast mail is accepted, beside Postfix (to a Maildir) and Haraka (to synced files), in rounds that take turns. */
import { freePort, postfixAvailable, postfixServer, WORLD_ADDRESS } from "@mailroom/test-services"
import { Clock, Console, Effect, type Scope } from "effect"
import { newMailbox, unlimitedAccount, untilReceived } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atLeast, atMost, figure, table } from "./harness/checks.js"
import { harakaAvailable, startHaraka } from "./harness/haraka.js"
import { startMailroom } from "./harness/mailroom.js"
import type { BenchFailure } from "./harness/processes.js"
import { median } from "./harness/stats.js"
import { type Load, sendMails } from "./load.js"

const ROUNDS = 3
/** How long the last message may take to show up, milliseconds. */
const DELIVERY_TIMEOUT = 120_000
interface Row {
  readonly name: string
  readonly mails: number
  readonly bytes: number
  readonly sessions?: number
  readonly mailsPerSession?: number
}

/** 1 MB has a thousand mails: 300 take two seconds, and V8 compiles on one of two cores for a good part of them. */
const rows: ReadonlyArray<Row> = [
  { name: "4 kB, many a session", mails: 4000, bytes: 4096 },
  { name: "4 kB, one a session", mails: 1500, bytes: 4096, mailsPerSession: 1 },
  { name: "4 kB, one session", mails: 500, bytes: 4096, sessions: 1 },
  { name: "100 kB", mails: 1500, bytes: 100_000 },
  { name: "1 MB", mails: 1000, bytes: 1_000_000, sessions: 10 },
  { name: "25 MB", mails: 6, bytes: 25_000_000, sessions: 3 },
]

interface Target {
  readonly port: number
  readonly recipient: string
  /** returns when so many mails were delivered */
  readonly delivered: (mails: number) => Effect.Effect<void, BenchFailure>
}

type Start = Effect.Effect<Target, BenchFailure, Scope.Scope>

const ours: Start = Effect.gen(function* () {
  const server = yield* startMailroom()
  const account = yield* unlimitedAccount(server.baseUrl)
  const mailbox = yield* newMailbox(account, "accepting")
  return {
    port: server.smtpPort,
    recipient: mailbox.address,
    delivered: (mails) => untilReceived(account, mailbox, mails, DELIVERY_TIMEOUT),
  }
})

const postfix: Start = Effect.gen(function* () {
  const nobody = yield* freePort
  const server = yield* postfixServer({
    mailroom: { domains: ["mailroom.test"], port: nobody },
    settings: { virtual_mailbox_limit: "0" },
  })
  const delivered = (mails: number): Effect.Effect<void> =>
    Effect.flatMap(server.delivered, (count) =>
      count >= mails ? Effect.void : Effect.delay(delivered(mails), "50 millis"),
    )
  return { port: server.port, recipient: WORLD_ADDRESS, delivered }
})

const haraka: Start = Effect.map(startHaraka, (port) => ({
  port,
  recipient: "inbound@bench.example",
  delivered: () => Effect.void,
}))

interface Outcome {
  /** mails accepted a second */
  readonly rate: number
  /** mails delivered a second, from the first MAIL to the last that can be read */
  readonly delivered: number
  /** from MAIL to the 250, milliseconds */
  readonly p50: number
  readonly p99: number
}

/**
 * All rows on a fresh server. The next row begins when the mails of the one before it were delivered. The mails of each are
 * sent once before the clock runs: V8 compiles what it has run some hundred times, and takes a core meanwhile, a second or two for
 * each kind of mail.
 */
const round = (start: Start): Effect.Effect<ReadonlyArray<Outcome>, BenchFailure> =>
  Effect.gen(function* () {
    const { port, recipient, delivered } = yield* start
    let sent = 0
    const send = ({ name, ...load }: Row, run: string) =>
      Effect.gen(function* () {
        const settings: Load = { port, recipient, run: `${run}-${name.replaceAll(/\W+/g, "-")}`, ...load }
        const { startedAt, acceptedAt, p50, p99 } = yield* sendMails(settings)
        sent += load.mails
        yield* delivered(sent)
        const deliveredAt = yield* Clock.currentTimeMillis
        const perSecond = (until: number) => (load.mails * 1000) / (until - startedAt)
        return { rate: perSecond(acceptedAt), delivered: perSecond(deliveredAt), p50, p99 }
      })
    return yield* Effect.forEach(rows, (row) => Effect.zipRight(send(row, "warm-up"), send(row, "measured")))
  }).pipe(Effect.scoped)

const peers = [
  {
    name: "Postfix",
    isAvailable: postfixAvailable,
    needs: "it has to be installed, and only root may start it",
    start: postfix,
  },
  {
    name: "Haraka",
    isAvailable: harakaAvailable,
    needs: "HARAKA has to name the folder of the installed package",
    start: haraka,
  },
]

const medianOf = (rounds: ReadonlyArray<ReadonlyArray<Outcome>>, row: number): Outcome => {
  const of = (key: keyof Outcome) => median(rounds.map((outcomes) => outcomes[row]?.[key] ?? Number.NaN))
  return { rate: of("rate"), delivered: of("delivered"), p50: of("p50"), p99: of("p99") }
}

const NOT_MEASURED: Outcome = { rate: NaN, delivered: NaN, p50: NaN, p99: NaN }

/** What each row has to reach of the rate at which Postfix accepts. */
const OF_POSTFIX: Readonly<Record<string, number>> = {
  "4 kB, many a session": 2,
  "4 kB, one a session": 2,
  "100 kB": 1.5,
  "1 MB": 1,
  "25 MB": 1,
}

/** What each row has to reach of the rate at which Postfix delivers. */
const DELIVERED_OF_POSTFIX: Readonly<Record<string, number>> = { "100 kB": 1, "1 MB": 1, "25 MB": 1 }

export const accepting: Benchmark = Effect.gen(function* () {
  const servers = [{ name: "Mailroom", start: ours }, ...peers.filter(({ isAvailable }) => isAvailable)]
  yield* Console.log(
    `\nMails/s accepted, delivered, and ms from MAIL to the 250 (p50 / p99), medians of ${ROUNDS} rounds`,
  )
  for (const { name, isAvailable, needs } of peers)
    if (!isAvailable) yield* Console.log(`  ${name} cannot be started here, so it is not compared: ${needs}`)
  const rounds = yield* Effect.replicateEffect(
    Effect.forEach(servers, ({ start }) => round(start)),
    ROUNDS,
  )
  const outcomes = servers.map(({ name }, server) => ({
    name,
    rows: rows.map((_, row) =>
      medianOf(
        rounds.map((all) => all[server] ?? []),
        row,
      ),
    ),
  }))
  const [own, ...others] = outcomes
  const cell = ({ rate, delivered, p50, p99 }: Outcome) =>
    `${figure(rate)}, ${figure(delivered)} (${figure(p50)} / ${figure(p99)})`
  const ratio = (mine = NOT_MEASURED, theirs = NOT_MEASURED) =>
    `${figure(mine.rate / theirs.rate)} x, ${figure(mine.delivered / theirs.delivered)} x`
  yield* Console.log(
    table([
      ["", ...outcomes.map(({ name }) => name), ...others.map(({ name }) => `of ${name}`)],
      ...rows.map(({ name }, row) => [
        name,
        ...outcomes.map((server) => cell(server.rows[row] ?? NOT_MEASURED)),
        ...others.map((peer) => ratio(own?.rows[row], peer.rows[row])),
      ]),
    ]),
  )
  return rows.flatMap(({ name }, row) => {
    const [mine, ofPostfix, ofHaraka] = ["Mailroom", "Postfix", "Haraka"].map(
      (server) => outcomes.find((outcome) => outcome.name === server)?.rows[row],
    )
    const compared = (what: string, of: "rate" | "delivered", limit: number | undefined) =>
      mine === undefined || ofPostfix === undefined || limit === undefined
        ? []
        : [atLeast(`${what}, ${name}, of Postfix`, mine[of] / ofPostfix[of], limit, "x")]
    const isLockstep = name === "4 kB, one session"
    const latencyCheck =
      mine === undefined || ofHaraka === undefined || !isLockstep
        ? []
        : [atMost(`p50, ${name}, of Haraka`, mine.p50 / ofHaraka.p50, 1, "x")]
    return [
      ...compared("accepted", "rate", OF_POSTFIX[name]),
      ...compared("delivered", "delivered", DELIVERED_OF_POSTFIX[name]),
      ...latencyCheck,
    ]
  })
})

program(import.meta.url, accepting, 8)
