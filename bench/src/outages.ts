/**
 * Outages of what the server depends on, under load: no mail is lost or doubled, and nothing waits longer than the outage
 * and 5 s. A closed dependency refuses connections and ends open ones; a silent one accepts them and never answers.
 *
 *   npm run bench:outages [-- [--long] ["database"] ["database silent"] ["blob store"] ["relay"] ["DNS"] …]
 *
 * `--long` adds outages of a minute. Names choose the rows that begin with them; without one, all rows run.
 */
import { Console, Effect, Schedule } from "effect"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, figure, table } from "./harness/checks.js"
import { BenchFailure } from "./harness/processes.js"
import { hookReceiver, readLog } from "./outages/arrivals.js"
import { inboundLoad } from "./outages/inboundLoad.js"
import { type Ledger, makeLedger, type Tally } from "./outages/ledger.js"
import { relay } from "./outages/relay.js"
import { sendLoad } from "./outages/sendLoad.js"
import { HOOKS, startService } from "./outages/service.js"

const SECONDS = process.argv.includes("--long") ? [1, 8, 60] : [1, 8]
/** What may be waited beyond the outage, seconds. */
const GRACE = 5
/** Seconds of load before and after an outage. */
const BEFORE = 3
const AFTER = 3
/** Seconds of load before the first outage, not shown: a process that has just started is slower than one in service. */
const WARM_UP = 6
/** Seconds after the load until what has not arrived counts as lost: a webhook is tried again after a minute. */
const SETTLE = 70

interface Outage {
  readonly what: string
  readonly begin: () => void
  readonly end: () => void
}

/** What is followed in one outage. */
const makeLedgers = () => ({
  mail: makeLedger(),
  hooks: makeLedger(),
  /** sends, from the first request to the answer that settles them */
  asked: makeLedger(),
  /** sends, from their 201 to the relay */
  relayed: makeLedger(),
})
type Ledgers = ReturnType<typeof makeLedgers>

/** The same load while everything is there: what the machine does by itself is in all rows. */
const noOutage: Outage = { what: "no outage", begin: () => {}, end: () => {} }

type Service = Effect.Effect.Success<ReturnType<typeof startService>>

const outagesOf = ({ proxies, names }: Service): ReadonlyArray<Outage> => [
  ...Object.entries(proxies).flatMap(([what, proxy]) =>
    (["closed", "held"] as const).map((state) => ({
      what: `${what} ${state === "held" ? "silent" : "closed"}`,
      begin: () => proxy.set(state),
      end: () => proxy.set("open"),
    })),
  ),
  { what: "DNS silent", begin: () => names.setSilent(true), end: () => names.setSilent(false) },
]

const asPromised = <A>(work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (error) => new BenchFailure({ message: String(error) }) })

const settled = (ledgers: ReadonlyArray<Ledger>) =>
  Effect.sync(() => ledgers.every((ledger) => ledger.pending() === 0)).pipe(
    Effect.repeat({ schedule: Schedule.spaced(100), until: (done) => done }),
    Effect.timeoutOption(`${SETTLE} seconds`),
  )

interface Row {
  readonly what: string
  readonly seconds: number
  readonly tally: Tally
}

/** One outage under load. */
const measured = (service: Service, outage: Outage, seconds: number, run: string, ledgers: Ledgers) =>
  Effect.gen(function* () {
    const { server, account, mailbox } = service
    let isOver = false
    const over = () => isOver
    const { mail, hooks, asked, relayed } = ledgers
    const mails = inboundLoad({
      port: server.smtpPort,
      recipient: mailbox.address,
      run,
      ledger: mail,
      onAccepted: (serial) => {
        for (const hook of HOOKS) hooks.accepted(hook + serial)
      },
      isOver: over,
    })
    const sends = sendLoad({ account, mailbox, run, asked, relayed, isOver: over })
    yield* Effect.sleep(`${BEFORE} seconds`)
    yield* Effect.sync(outage.begin)
    yield* Effect.sleep(`${seconds} seconds`)
    yield* Effect.sync(outage.end)
    yield* Effect.sleep(`${AFTER} seconds`)
    isOver = true
    const [unknown] = yield* asPromised(() => Promise.all([sends, mails]))
    yield* settled(Object.values(ledgers))
    const [lost, twice] = [relayed.tally().lost, relayed.tally().twice]
    const sent = asked.tally()
    const rows: ReadonlyArray<Row> = [
      { what: `${outage.what}: mail`, seconds, tally: mail.tally() },
      { what: `${outage.what}: webhooks`, seconds, tally: hooks.tally() },
      { what: `${outage.what}: sends`, seconds, tally: { ...sent, lost: sent.lost + lost, twice } },
    ]
    yield* Console.log(`${outage.what} for ${seconds} s: ${unknown} sends ended as UNKNOWN`)
    return rows
  })

const shown = (rows: ReadonlyArray<Row>): string =>
  table([
    ["", "outage, s", "accepted", "lost", "twice", "repeated", "oldest wait, s", "limit, s", ""],
    ...rows.map(({ what, seconds, tally: { accepted, lost, twice, repeated, oldest } }) => [
      what,
      ...[seconds, accepted, lost, twice, repeated, oldest, seconds + GRACE].map(figure),
      lost === 0 && twice === 0 && oldest <= seconds + GRACE ? "holds" : "MISSED",
    ]),
  ])

const outages: Benchmark = Effect.gen(function* () {
  /** of the outage that is being measured; what comes late from one before is not counted again */
  let current = { run: "", ledgers: makeLedgers() }
  const relayPort = yield* relay((subject) => {
    if (subject.startsWith(`${current.run}-send-`)) current.ledgers.relayed.arrived(subject)
  })
  const hookPort = yield* hookReceiver((hook, run, serial) => {
    if (run !== current.run) return
    const id = hook + serial
    // Webhooks are delivered at least once, as their contract says.
    current.ledgers.hooks.repeatable(id)
    current.ledgers.hooks.arrived(id)
  })
  const service = yield* startService({ relayPort, hookPort })
  let isOver = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOver = true
    }),
  )
  void readLog(
    service.account,
    () => isOver,
    (run, serial) => {
      if (run === current.run) current.ledgers.mail.arrived(serial)
    },
  )
  const chosen = process.argv.slice(2).filter((name) => !name.startsWith("--"))
  const all = outagesOf(service).filter(
    ({ what }) => chosen.length === 0 || chosen.some((name) => what.startsWith(name)),
  )
  const plan = [
    { outage: noOutage, seconds: WARM_UP },
    { outage: noOutage, seconds: 1 },
    ...all.flatMap((outage) => SECONDS.map((seconds) => ({ outage, seconds }))),
  ]
  const rows = yield* Effect.raceFirst(
    Effect.forEach(plan, ({ outage, seconds }, n) =>
      Effect.suspend(() => {
        current = { run: `outage${n}`, ledgers: makeLedgers() }
        return measured(service, outage, seconds, current.run, current.ledgers)
      }),
    ),
    service.server.watch,
  )
  const flat = rows.slice(1).flat()
  yield* Console.log(`\n20 mails and 2 sends a second\n${shown(flat)}`)
  return flat.flatMap(({ what, seconds, tally }) => [
    atMost(`${what}, ${seconds} s: oldest wait`, tally.oldest, seconds + GRACE, "s"),
    atMost(`${what}, ${seconds} s: lost or twice`, tally.lost + tally.twice, 0, ""),
  ])
})

program(import.meta.url, outages, 40)
