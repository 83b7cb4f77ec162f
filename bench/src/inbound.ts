/** Durable inbound mail against the obvious loop, in rounds that take turns. */
import { temporaryFolder } from "@mailroom/test-services"
import { Console, Effect, Schema } from "effect"
import { newMailbox, unlimitedAccount, untilReceived } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atLeast, figure, table } from "./harness/checks.js"
import { startMailroom } from "./harness/mailroom.js"
import { ask } from "./harness/processes.js"
import { median, wallClock } from "./harness/stats.js"
import { sendMails } from "./load.js"

const ROUNDS = 5
const MAILS = 4000
const MAIL_BYTES = 4096
/** Sent before the clock runs: every round starts fresh processes, and what counts is a service that has been running. */
const WARM_UP_MAILS = 12_000
/** How long the last message may take to show up, milliseconds. */
const DELIVERY_TIMEOUT = 60_000

const perSecond = (from: number, to: number): number => (MAILS * 1000) / (to - from)

const ours = Effect.gen(function* () {
  const server = yield* startMailroom()
  const account = yield* unlimitedAccount(server.baseUrl)
  const mailbox = yield* newMailbox(account, "inbound")
  const load = { port: server.smtpPort, recipient: mailbox.address, bytes: MAIL_BYTES }
  yield* sendMails({ ...load, run: "warm", mails: WARM_UP_MAILS })
  yield* untilReceived(account, mailbox, WARM_UP_MAILS, DELIVERY_TIMEOUT)
  const sent = yield* sendMails({ ...load, run: "timed", mails: MAILS })
  yield* untilReceived(account, mailbox, WARM_UP_MAILS + MAILS, DELIVERY_TIMEOUT)
  return {
    accepted: perSecond(sent.startedAt, sent.acceptedAt),
    delivered: perSecond(sent.startedAt, wallClock()),
    p50: sent.p50,
    p99: sent.p99,
  }
}).pipe(Effect.scoped)

/** Here a mail is delivered when it is accepted. */
const obvious = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const { port } = yield* ask("obviousLoop", { folder }, Schema.Struct({ port: Schema.Int }))
  const load = { port, recipient: "inbound@bench.example", bytes: MAIL_BYTES }
  yield* sendMails({ ...load, run: "warm", mails: WARM_UP_MAILS })
  const sent = yield* sendMails({ ...load, run: "timed", mails: MAILS })
  return { accepted: perSecond(sent.startedAt, sent.acceptedAt), p50: sent.p50, p99: sent.p99 }
}).pipe(Effect.scoped)

export const inbound: Benchmark = Effect.gen(function* () {
  yield* Console.log(`\nInbound, 4 kB, 20 sessions, ${MAILS} mails a round, mails/s`)
  const rounds = yield* Effect.replicateEffect(Effect.all({ ours, obvious }), ROUNDS)
  const rows = rounds.map((round, n) => [
    `round ${n + 1}`,
    ...[round.ours.accepted, round.ours.delivered, round.ours.p50, round.ours.p99].map(figure),
    ...[round.obvious.accepted, round.obvious.p50, round.obvious.p99].map(figure),
  ])
  yield* Console.log(
    table([["", "accepted", "delivered", "p50 ms", "p99 ms", "obvious loop", "p50 ms", "p99 ms"], ...rows]),
  )
  const peer = median(rounds.map((round) => round.obvious.accepted))
  return [
    atLeast(
      "accepted, of the obvious loop",
      median(rounds.map((round) => round.ours.accepted)) / peer,
      2.5,
      "x",
    ),
    atLeast(
      "delivered, of the obvious loop",
      median(rounds.map((round) => round.ours.delivered)) / peer,
      1.3,
      "x",
    ),
  ]
})

program(import.meta.url, inbound, 3)
