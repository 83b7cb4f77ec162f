/** From the 250 to the frame on the event stream, one mail at a time on an idle system. */
import { setTimeout as sleep } from "node:timers/promises"
import { Console, Effect, type Scope } from "effect"
import { openEventStream } from "./eventStream.js"
import { type Account, newMailbox, unlimitedAccount } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, figure, table } from "./harness/checks.js"
import { startMailroom } from "./harness/mailroom.js"
import { BenchFailure } from "./harness/processes.js"
import { percentile } from "./harness/stats.js"
import { mailPress } from "./mails.js"
import { deliver, greetedSession } from "./smtpSession.js"

const MAILS = 200
const WARM_UP_MAILS = 50
/** Between two mails, milliseconds: long enough for everything to come to rest. */
const REST = 25
/** For one frame, milliseconds. */
const FRAME_TIMEOUT = 10_000

/** Milliseconds from the 250 of each mail to its frame on a stream of `baseUrl`; 0 when the frame was there first. */
export const eventLatencies = (
  account: Account,
  baseUrl: string,
  smtpPort: number,
): Effect.Effect<ReadonlyArray<number>, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const mailbox = yield* newMailbox(account, "latency")
    const stream = yield* openEventStream(`${baseUrl}/v1/events`, account.key)
    const session = yield* Effect.acquireRelease(
      Effect.promise(() => greetedSession(smtpPort)),
      ({ close }) => Effect.sync(close),
    )
    const envelope = { from: "orders@sender.example", to: mailbox.address }
    const press = mailPress("latency", mailbox.address, 4096)

    const one = (serial: number) =>
      Effect.tryPromise({
        try: async () => {
          const frame = stream.arrival(`Your order ${String(serial).padStart(10, "0")} `)
          const reply = await deliver(session, envelope, press(serial))
          const acceptedAt = performance.now()
          if (reply.code !== 250) throw new Error(`refused: ${reply.text}`)
          const arrivedAt = await frame
          await sleep(REST)
          return Math.max(0, arrivedAt - acceptedAt)
        },
        catch: (error) => new BenchFailure({ message: String(error) }),
      }).pipe(
        Effect.timeoutFail({
          duration: FRAME_TIMEOUT,
          onTimeout: () => new BenchFailure({ message: `no event for mail ${serial}` }),
        }),
      )

    const all = yield* Effect.forEach(
      Array.from({ length: WARM_UP_MAILS + MAILS }, (_, serial) => serial),
      one,
    )
    return all.slice(WARM_UP_MAILS)
  })

/** Shows them as percentiles. */
export const showLatencies = (what: string, measured: ReadonlyArray<number>) =>
  Console.log(
    `\n${what}, ${MAILS} mails one at a time, ms\n${table([
      ["p50", "p95", "p99"],
      [0.5, 0.95, 0.99].map((p) => figure(percentile(measured, p))),
    ])}`,
  )

export const latency: Benchmark = Effect.gen(function* () {
  const server = yield* startMailroom()
  const account = yield* unlimitedAccount(server.baseUrl)
  const measured = yield* eventLatencies(account, server.baseUrl, server.smtpPort)
  yield* showLatencies("From the 250 to the event", measured)
  return [atMost("from the 250 to the event, p50", percentile(measured, 0.5), 10, "ms")]
})

program(import.meta.url, latency, 2)
